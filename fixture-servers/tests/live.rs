//! Every fixture through the real process layer, with its mistake and without.
//!
//! What must be found stands in the fixture's recording, so that one oracle binds both the live
//! run and the replay.

mod census;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use corpus::{Case, Expectation, Family, compare, expectation_for, load_case, revision_shown};
use drive::{LaunchSpec, Run};
use model::{Outcome, ReapState};
use rstest::rstest;

use census::Census;

/// What every fixture prints on stderr when it starts, with its name.
const CANARY: &str = "canary-7f3a";

fn binary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_ok-plain")).with_file_name(name)
}

fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/recordings")
}

fn run(case: &Case, args: &[&str], census: &Census) -> Run {
    let mut launch = LaunchSpec::new(binary(&case.file.id)).args(args);
    launch.set.push(census.variable());
    probe::rehearse(case, launch).expect("the case's calls are TOOL=JSON")
}

fn assert_cleaned_up(case: &Case, run: &Run, census: &Census) {
    let id = &case.file.id;
    assert_eq!(run.telemetry.cleanup.child_reaped, ReapState::Reaped, "{id} was not reaped");
    census.assert_empty();
    let canary = format!("{CANARY} {id}\n").into_bytes();
    let holds = |bytes: &[u8]| bytes.windows(canary.len()).any(|window| window == canary);
    assert!(run.telemetry.stderr.head.starts_with(&canary), "{id}: no canary on stderr");
    assert!(!holds(run.transcript.stdout().bytes()), "{id}: the canary is on stdout");
}

#[rstest]
fn a_mistake_is_found_at_its_byte_and_only_it(
    #[files("../corpus/recordings/*/case.json")] file: PathBuf,
) {
    let case = load_case(Family::Recordings, file.parent().expect("a case has a directory"))
        .unwrap_or_else(|error| panic!("{error}"));
    let census = Census::begin(&case.file.id);
    let run = run(&case, &[], &census);
    let version = revision_shown(&case.file);
    let expected = expectation_for(&case.file, version).expect("the oracle covers it");
    let differences = compare(expected, &run.verdict);
    assert!(differences.is_empty(), "{}:\n{}", case.file.id, differences.join("\n"));
    let stdout = run.transcript.stdout().bytes();
    let same = stdout.iter().zip(&case.stdout).take_while(|(got, kept)| got == kept).count();
    assert!(
        stdout == case.stdout,
        "{}: stdout ({} bytes) differs from the recording ({} bytes) at byte {same}",
        case.file.id,
        stdout.len(),
        case.stdout.len(),
    );
    assert_cleaned_up(&case, &run, &census);
    if let Expectation::Violation(_) = expected {
        let ladder = Duration::from_secs(5);
        assert!(run.telemetry.elapsed < ladder, "{}: judged late", case.file.id);
    }
}

#[rstest]
fn without_its_mistake_a_fixture_is_clean(
    #[files("../corpus/recordings/*/case.json")] file: PathBuf,
) {
    let case = load_case(Family::Recordings, file.parent().expect("a case has a directory"))
        .unwrap_or_else(|error| panic!("{error}"));
    let census = Census::begin(&case.file.id);
    let run = run(&case, &["--sane"], &census);
    assert_eq!(run.verdict.outcome, Outcome::ValidStdout, "{}", case.file.id);
    let control = case.file.id.starts_with("ok-");
    if !control {
        assert!(run.verdict.advice.is_empty(), "{}: {:?}", case.file.id, run.verdict.advice);
    }
    assert_cleaned_up(&case, &run, &census);
}

#[test]
fn every_fixture_has_a_recording_and_every_recording_a_fixture() {
    let names = |directory: &Path| -> BTreeSet<String> {
        std::fs::read_dir(directory)
            .expect("the directory can be read")
            .map(|entry| entry.expect("an entry can be read").path())
            .map(|path| path.file_stem().expect("an entry has a name").display().to_string())
            .collect()
    };
    let fixtures = names(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bin"));
    assert!(!fixtures.is_empty());
    assert_eq!(fixtures, names(&recordings()));
}
