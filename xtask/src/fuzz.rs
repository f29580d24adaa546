//! Coverage-guided fuzzing of the detector, beginning with the bytes of the corpus.
//!
//! Owns the seeds and what becomes of a finding. The target lies in `fuzz/`, outside the workspace:
//! it needs a nightly toolchain.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use corpus::{Case, CaseFile, Origin, load_all};

use crate::Complaints;
use crate::command::{Failure, program, status};
use crate::tool::{FUZZ, Tool};
use crate::workspace::{self, Workspace, name, sorted, write};

const TARGET: &str = "scanner";

/// Longer inputs say little more and cost much.
const LARGEST_BYTES: usize = 64 * 1024;

/// What stands before the bytes of an input of the target: it decides how they are cut, and here
/// the largest frame is that of an ordinary run.
const AS_A_WHOLE: u8 = 31;

/// Fuzzes for so many seconds.
#[must_use]
pub fn run(seconds: u32) -> Complaints {
    let outcome = fuzz(&Workspace::here(), seconds);
    outcome.unwrap_or_else(|failure| vec![failure.to_string()])
}

fn fuzz(here: &Workspace, seconds: u32) -> Result<Complaints, Failure> {
    let cases = match load_all(&here.corpus()) {
        Ok(cases) => cases,
        Err(errors) => return Ok(errors.iter().map(ToString::to_string).collect()),
    };
    let seeds = here.path(format!("fuzz/corpus/{TARGET}"));
    let count = plant(&cases, &seeds)
        .map_err(|source| Failure::Start { program: seeds.display().to_string(), source })?;
    if count == 0 {
        return Ok(vec!["not one seed was found in the corpus".to_owned()]);
    }
    println!("fuzz: {count} seeds, {seconds} s");
    let artifacts = here.path(format!("fuzz/artifacts/{TARGET}"));
    let before = sorted(&artifacts).unwrap_or_default();
    let tool = Tool::find_or_install(FUZZ)?;
    let mut command = program(tool.path());
    command.current_dir(workspace::root());
    // The toolchain that built this task has set variables for its own compiler.
    command.env("RUSTUP_TOOLCHAIN", "nightly").env_remove("CARGO").env_remove("RUSTC");
    command.args(["run", TARGET, "--"]);
    command.arg(format!("-max_total_time={seconds}")).arg(format!("-max_len={LARGEST_BYTES}"));
    let ended = status(&mut command)?;
    let after = sorted(&artifacts).unwrap_or_default();
    let found: Vec<PathBuf> =
        after.into_iter().filter(|path| path.is_file() && !before.contains(path)).collect();
    let mut complaints: Complaints = found.iter().map(|path| begin_case(here, path)).collect();
    if !ended.success() && complaints.is_empty() {
        complaints.push(format!("{} ended with {ended}, and found nothing", FUZZ));
    }
    Ok(complaints)
}

/// Writes the bytes of each case as an input of the target.
fn plant(cases: &[Case], seeds: &Path) -> io::Result<usize> {
    let mut count = 0;
    for case in cases.iter().filter(|case| case.stdout.len() < LARGEST_BYTES) {
        let input = [&[AS_A_WHOLE], case.stdout.as_slice()].concat();
        write(&seeds.join(&case.file.id), &input)?;
        count += 1;
    }
    Ok(count)
}

/// Makes of a finding what becomes a case, and says how to go on.
fn begin_case(here: &Workspace, input: &Path) -> String {
    let directory = input.with_extension("case");
    let begun = begin(input, &directory);
    let shown = here.shown(input);
    match begun {
        Ok(()) => format!(
            "{shown}: the detector fails on it; mend it, then move {} to corpus/synthetic under the \
            next free name syn-NNNN-what-happens, and say in its case.json what must be found",
            here.shown(&directory)
        ),
        Err(error) => format!("{shown}: the detector fails on it ({error})"),
    }
}

fn begin(input: &Path, directory: &Path) -> io::Result<()> {
    let bytes = fs::read(input)?;
    // Without what decides how the input is cut.
    write(&directory.join("stdout.raw"), bytes.get(1..).unwrap_or_default())?;
    let case = CaseFile::begun(name(directory), Origin::Synthetic);
    let mut text = serde_json::to_string_pretty(&case).map_err(io::Error::from)?;
    text.push('\n');
    write(&directory.join("case.json"), text.as_bytes())
}

#[cfg(test)]
mod tests {
    use corpus::load_recording;

    use super::{AS_A_WHOLE, LARGEST_BYTES, begin_case, plant};
    use crate::Workspace;

    #[test]
    fn every_case_but_the_largest_is_a_seed() {
        let cases = corpus::load_all(&Workspace::here().corpus()).unwrap();
        let seeds = tempfile::tempdir().unwrap();
        let count = plant(&cases, seeds.path()).unwrap();
        assert_eq!(count, cases.iter().filter(|case| case.stdout.len() < LARGEST_BYTES).count());
        assert!(count > 400);
        let seed = std::fs::read(seeds.path().join(&cases[0].file.id)).unwrap();
        assert_eq!((seed[0], &seed[1..]), (AS_A_WHOLE, cases[0].stdout.as_slice()));
    }

    #[test]
    fn a_finding_begins_a_case() {
        let directory = tempfile::tempdir().unwrap();
        let input = directory.path().join("crash-1");
        std::fs::write(&input, b"\x07{\"a\":\n").unwrap();
        let complaint = begin_case(&Workspace::at(directory.path()), &input);
        assert!(complaint.starts_with("crash-1: the detector fails on it; mend it"), "{complaint}");
        let case = load_recording(&directory.path().join("crash-1.case")).unwrap();
        assert_eq!(case.stdout, b"{\"a\":\n");
        assert_eq!(case.file.expect, corpus::Oracle::Open(corpus::Todo::Todo));
    }
}
