//! Every fixture through the real process layer, with its mistake and without.
//!
//! What must be found stands in the fixture's recording, so that one oracle binds both the live
//! run and the replay.

mod census;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use corpus::{Case, Expectation, Family, ScriptStep, compare, expectation_for, load_case};
use drive::{Budgets, LaunchSpec, Run, Session, ToolCall};
use inspect::{Inspector, RuleSet};
use model::{DeadlineName, Outcome, ProtocolVersion, ReapState};
use rstest::rstest;

use census::Census;

/// What every fixture prints on stderr when it starts, with its name.
const CANARY: &str = "canary-7f3a";
/// For a deadline that a mistake makes pass. Reaching any other is a failure of the test.
const SHORT: Duration = Duration::from_millis(400);

fn binary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_ok-plain")).with_file_name(name)
}

fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/recordings")
}

/// Deadlines are generous, but for those that the script says will pass.
fn budgets(case: &Case) -> Budgets {
    let passes = |name: DeadlineName| {
        let script = case.file.script.iter().flatten();
        script.into_iter().any(|step| *step == ScriptStep::Deadline(name.name().to_owned()))
    };
    let mut budgets = Budgets::default();
    budgets.shutdown = Duration::from_secs(20);
    budgets.exit_grace = Duration::from_secs(20);
    budgets.reply = Duration::from_secs(30);
    if passes(DeadlineName::Reply) {
        budgets.reply = SHORT;
    }
    if passes(DeadlineName::ExitGrace) {
        budgets.exit_grace = SHORT;
    }
    if passes(DeadlineName::ShutdownEof) {
        budgets.shutdown = SHORT;
    }
    if case.file.script.iter().flatten().any(|step| *step == ScriptStep::AfterExit) {
        budgets.leak_window = SHORT;
    }
    budgets
}

fn run(case: &Case, args: &[&str], budgets: Budgets, census: &Census) -> Run {
    let mut launch = LaunchSpec::new(binary(&case.file.id)).args(args);
    launch.set.push(census.variable());
    let mut session = Session { budgets, ..Session::new(launch) };
    for call in &case.file.run.calls {
        let (tool, arguments) = call.split_once('=').expect("a call is TOOL=JSON");
        session.plan.calls.push(ToolCall::new(tool, arguments).expect("arguments are an object"));
    }
    let mut rules = RuleSet::default();
    if let Some(max) = case.file.run.max_frame_bytes {
        rules.max_frame_bytes = max;
    }
    let detector = Box::new(Inspector::new(rules));
    drive::run_blocking(&session, detector, &mut (), std::future::pending())
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
    let run = run(&case, &[], budgets(&case), &census);
    let version = ProtocolVersion::NEWEST_WITH_HANDSHAKE;
    let expected = expectation_for(&case.file.expect, version).expect("the oracle covers it");
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
    let run = run(&case, &["--sane"], Budgets::default(), &census);
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
