//! The programs beside cases: each makes its mistake live as its case says, and its repaired twin
//! is valid without advice. What could not be tested is red too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use corpus::{
    Case, Clean, Expectation, Program, Runtime, ScriptStep, ValidStdout, compare, expectation_for,
    load_all,
};
use drive::{Cwd, LaunchSpec, Run};
use model::{ExitStatus, ProtocolVersion, ReapState};

use crate::Complaints;
use crate::command::{program, succeed};
use crate::workspace::Workspace;

/// A program shows one mistake: it can be read at a glance.
const MAX_LINES: usize = 60;

/// Runs every program of the corpus.
#[must_use]
pub fn run() -> Complaints {
    let cases = match load_all(&Workspace::here().corpus()) {
        Ok(cases) => cases,
        Err(errors) => return errors.iter().map(ToString::to_string).collect(),
    };
    let programs: Vec<(&Case, &Program)> =
        cases.iter().filter_map(|case| Some((case, case.file.program.as_ref()?))).collect();
    if programs.is_empty() {
        return vec!["no case has a program".to_owned()];
    }
    let mut complaints = Complaints::new();
    let runtimes = installed(&programs, &mut complaints);
    let (mut right, mut wrong) = (0, 0);
    for (case, program) in &programs {
        let id = case.file.id.as_str();
        if !runtimes.contains_key(&program.runtime) {
            complaints.push(format!("{id}: could not test: no {}", program.runtime.command()));
            continue;
        }
        let found = judge(case, program);
        if found.is_empty() {
            right += 1;
        } else {
            wrong += 1;
        }
        complaints.extend(found.into_iter().map(|text| format!("{id}: {text}")));
    }
    let versions: Vec<&str> = runtimes.values().map(String::as_str).collect();
    println!(
        "programs, each with its twin: {right} as they should be, {wrong} not, {} not tested ({})",
        programs.len() - right - wrong,
        versions.join(", "),
    );
    complaints
}

/// The runtimes that are there, with what they say of their version.
fn installed(
    programs: &[(&Case, &Program)],
    complaints: &mut Complaints,
) -> BTreeMap<Runtime, String> {
    let wanted: BTreeSet<Runtime> = programs.iter().map(|(_, program)| program.runtime).collect();
    let mut versions = BTreeMap::new();
    for runtime in wanted {
        match succeed(program(runtime.command()).arg("--version")) {
            Ok(output) => {
                let text = String::from_utf8(output.stdout).unwrap_or_default();
                let version = text.split_whitespace().last().unwrap_or("of unknown version");
                versions.insert(runtime, format!("{} {version}", runtime.command()));
            }
            Err(failure) => complaints.push(format!("could not test: {failure}")),
        }
    }
    versions
}

/// What is wrong with a program and its twin.
fn judge(case: &Case, program: &Program) -> Vec<String> {
    let mut found = misdescribed(case, program);
    if !found.is_empty() {
        return found;
    }
    let mut tell = |which: &str, differences: Result<Vec<String>, String>| {
        let differences =
            differences.unwrap_or_else(|error| vec![format!("could not test: {error}")]);
        found.extend(differences.into_iter().map(|text| format!("{which}: {text}")));
    };
    tell(&program.command.join(" "), broken(case, program));
    tell(&program.fixed.join(" "), repaired(case, program));
    found
}

/// What is wrong with a program before it is run. A missing file would look like a server that
/// ends before it answers.
pub(crate) fn misdescribed(case: &Case, program: &Program) -> Vec<String> {
    let mut found = Vec::new();
    for command in [&program.command, &program.fixed] {
        let runtime = program.runtime.command();
        if command.len() < 2 || command[0] != runtime {
            found.push(format!("`{}` does not begin with {runtime} and a file", command.join(" ")));
        }
    }
    let mut texts = BTreeSet::new();
    for file in program.files() {
        match fs::read_to_string(case.path.join(file)) {
            Ok(text) => {
                let lines = text.lines().count();
                if lines > MAX_LINES {
                    found.push(format!("{file} has {lines} lines; it may have {MAX_LINES}"));
                }
                if !texts.insert(text) {
                    found.push(format!("{file} has the same text as another of its files"));
                }
            }
            Err(error) => found.push(format!("{file}: {error}")),
        }
    }
    found
}

/// In what the program differs from its case.
fn broken(case: &Case, program: &Program) -> Result<Vec<String>, String> {
    let (run, mut differences) = live(case, program, &program.command)?;
    let version = run.verdict.protocol.unwrap_or(ProtocolVersion::NEWEST_WITH_HANDSHAKE);
    match expectation_for(&case.file, version) {
        Some(expected) => differences.extend(compare(expected, &run.verdict)),
        None => differences.push(format!("the oracle does not cover {version}")),
    }
    differences.extend(differs("stdout", run.transcript.stdout().bytes(), &case.stdout));
    if !case.stderr.is_empty() {
        differences.extend(differs("stderr", run.transcript.stderr().bytes(), &case.stderr));
    }
    let ended = case.file.script.iter().flatten().find_map(|step| match step {
        ScriptStep::Exit(code) => Some(ExitStatus::Code(*code)),
        ScriptStep::KilledBy(signal) => Some(ExitStatus::Signal(*signal)),
        _ => None,
    });
    let status = run.telemetry.exit_status;
    if status != ended {
        differences.push(format!("the script ends with {ended:?}, the process with {status:?}"));
    }
    Ok(differences)
}

/// What keeps the twin from being valid without advice.
fn repaired(case: &Case, program: &Program) -> Result<Vec<String>, String> {
    // No deadline is meant to pass, so none is short.
    let mut patient = case.clone();
    patient.file.script = None;
    let (run, mut differences) = live(&patient, program, &program.fixed)?;
    let clean = Clean { verdict: ValidStdout::ValidStdout, advice: Vec::new() };
    differences.extend(compare(&Expectation::Clean(clean), &run.verdict));
    Ok(differences)
}

/// Runs one of the two, and tells what is left of it.
fn live(case: &Case, program: &Program, command: &[String]) -> Result<(Run, Vec<String>), String> {
    let mark = format!("{}={}-{}", Census::VARIABLE, case.file.id, std::process::id());
    let census = Census { mark };
    let mut launch = LaunchSpec::new(&command[0]).args(&command[1..]);
    launch.cwd = Cwd::Dir(case.path.clone());
    launch.set = program.env.iter().map(|(name, value)| (name.into(), value.into())).collect();
    launch.set.push((Census::VARIABLE.into(), census.value().into()));
    let run = probe::rehearse(case, launch).map_err(|error| error.to_string())?;
    if let Some(error) = &run.telemetry.launch_error {
        return Err(error.to_string());
    }
    let mut differences = Vec::new();
    if run.telemetry.cleanup.child_reaped != ReapState::Reaped {
        differences.push("the process was not reaped".to_owned());
    }
    let left = census.processes()?;
    if !left.is_empty() {
        differences.push(format!("processes left: {}", left.join(", ")));
    }
    Ok((run, differences))
}

/// Where live bytes differ from recorded ones.
fn differs(stream: &str, live: &[u8], recorded: &[u8]) -> Option<String> {
    let same = live.iter().zip(recorded).take_while(|(live, recorded)| live == recorded).count();
    (live != recorded).then(|| {
        let (live, recorded) = (live.len(), recorded.len());
        format!("{stream} ({live} bytes) differs from the recording ({recorded}) at byte {same}")
    })
}

/// The processes of one run, found by a variable in their environment, which descendants inherit
/// whatever group or session they move to.
struct Census {
    mark: String,
}

impl Census {
    const VARIABLE: &str = "PROGRAM_CENSUS";

    /// The value of the variable.
    fn value(&self) -> &str {
        &self.mark[Self::VARIABLE.len() + 1..]
    }

    /// The ids of those that are left.
    fn processes(&self) -> Result<Vec<String>, String> {
        let entries = fs::read_dir("/proc").map_err(|error| format!("/proc: {error}"))?;
        let mut left = Vec::new();
        for entry in entries.flatten() {
            // A process that ends while it is looked at is not left.
            let Ok(environment) = fs::read(entry.path().join("environ")) else { continue };
            if environment.split(|byte| *byte == 0).any(|variable| variable == self.mark.as_bytes())
            {
                left.push(entry.file_name().display().to_string());
            }
        }
        Ok(left)
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINES, differs, misdescribed};
    use corpus::{Case, load_recording};
    use std::fs;
    use tempfile::TempDir;

    /// A case of `node server.mjs` and `node fixed.mjs`, with these texts.
    fn case(server: &str, fixed: Option<&str>) -> (TempDir, Case) {
        let directory = TempDir::new().unwrap();
        let json = r#"{
            "schema": 1, "id": "x", "title": "x", "why": "x", "origin": { "kind": "synthetic" },
            "program": {
                "runtime": "node",
                "command": ["node", "server.mjs"],
                "fixed": ["node", "fixed.mjs", "--argument"]
            },
            "expect": "TODO"
        }"#;
        fs::write(directory.path().join("case.json"), json).unwrap();
        fs::write(directory.path().join("stdout.raw"), "").unwrap();
        fs::write(directory.path().join("server.mjs"), server).unwrap();
        if let Some(fixed) = fixed {
            fs::write(directory.path().join("fixed.mjs"), fixed).unwrap();
        }
        let case = load_recording(directory.path()).unwrap();
        (directory, case)
    }

    fn complaints(server: &str, fixed: Option<&str>) -> Vec<String> {
        let (_directory, case) = case(server, fixed);
        misdescribed(&case, case.file.program.as_ref().unwrap())
    }

    #[test]
    fn a_program_has_two_short_files_of_its_runtime_that_differ() {
        assert_eq!(complaints("a", Some("b")), Vec::<String>::new());
        assert!(complaints("a", None)[0].starts_with("fixed.mjs: "));
        assert_eq!(complaints("a", Some("a")).len(), 1);
        assert_eq!(complaints(&"a\n".repeat(MAX_LINES), Some("b")).len(), 0);
        assert_eq!(complaints(&"a\n".repeat(MAX_LINES + 1), Some("b")).len(), 1);
        let (_directory, case) = case("a", Some("b"));
        let mut program = case.file.program.clone().unwrap();
        program.command[0] = "python3".to_owned();
        program.fixed.truncate(1);
        assert_eq!(misdescribed(&case, &program).len(), 2);
    }

    #[test]
    fn the_first_byte_that_differs_is_named() {
        assert_eq!(differs("stdout", b"ab", b"ab"), None);
        for (live, recorded) in [("ab", "ac"), ("a", "ab"), ("ab", "a")] {
            let text = differs("stdout", live.as_bytes(), recorded.as_bytes()).unwrap();
            assert!(text.ends_with("at byte 1"), "{text}");
        }
    }
}
