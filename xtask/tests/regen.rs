//! `regen` writes what is generated and nothing else, whatever the detector says, and never over
//! edits that were not committed.

mod support;

use std::process::Command;

use corpus::{Case, Chunking, compare, expectation_for, load_all, replay, rule_set};
use inspect::{Detector, Inspector, RuleSet, Setting};
use model::{ProtocolVersion, RuleId};
use xtask::regen::{self, Edits, Mode};

use support::{Copy, minimal};

/// A detector that finds nothing.
fn lenient(mut rules: RuleSet) -> Box<dyn Detector> {
    for rule in RuleId::ALL {
        rules.set(*rule, Setting::Off);
    }
    Box::new(Inspector::new(rules))
}

#[test]
fn a_lenient_detector_changes_no_oracle() {
    let copy = Copy::of_this_workspace();
    copy.keep_fixtures(&["missing-jsonrpc", "ok-plain", "startup-banner"]);
    let (oracles, sources) = (copy.files("case.json"), copy.files(".rs"));
    let captured = |copy: &Copy| -> Vec<_> {
        let raw = copy.files(".raw").into_iter();
        raw.filter(|(path, _)| !path.starts_with(copy.path("corpus/recordings"))).collect()
    };
    let bytes = captured(&copy);
    let write = Mode::Write(Edits::Overwrite);
    assert_eq!(regen::tabulate(&copy.workspace, write, lenient), Vec::<String>::new());
    // It was plugged in: the tables say that nothing is wrong anywhere, the oracles do not.
    let table = copy.read("snapshots/fixtures.md");
    assert!(table.contains("| startup-banner | valid-stdout |"), "{table}");
    let red = red_cases(&copy, lenient);
    assert!(red.len() > 100, "the replay stays green but for {red:?}");

    // Sessions that should have ended at their violation go on, which no longer fits the scripts.
    let complaints = regen::run(&copy.workspace, write, lenient);
    assert!(complaints.iter().any(|line| line.starts_with("startup-banner: ")), "{complaints:?}");
    assert!(copy.files("case.json") == oracles, "an oracle was written");
    assert!(copy.files(".rs") == sources, "a source was written");
    assert!(captured(&copy) == bytes, "captured bytes were written");
}

/// The cases whose oracle a detector does not meet.
fn red_cases(copy: &Copy, detector: regen::DetectorFactory) -> Vec<String> {
    let version = ProtocolVersion::NEWEST_WITH_HANDSHAKE;
    let cases = load_all(&copy.workspace.corpus()).expect("the corpus loads");
    let is_red = |case: &&Case| {
        let Some(expected) = expectation_for(&case.file, version) else { return false };
        let detector = detector(rule_set(case, Some(version)));
        let verdict = replay(case, Chunking::AsScripted, detector).expect("the script plays");
        !compare(expected, &verdict).is_empty()
    };
    cases.iter().filter(is_red).map(|case| case.file.id.clone()).collect()
}

#[test]
fn what_is_not_fresh_is_named() {
    let copy = Copy::of_this_workspace();
    let _ = regen::tabulate(&copy.workspace, Mode::Write(Edits::Overwrite), regen::inspector);
    let check = |copy: &Copy| regen::tabulate(&copy.workspace, Mode::Check, regen::inspector);
    assert_eq!(check(&copy), Vec::<String>::new());
    copy.edit("snapshots/traceability.md", "invalid-json", "valid-json");
    copy.remove("snapshots/fixtures.md");
    copy.edit("corpus/case.schema.json", "\"title\"", "\"heading\"");
    let wrong = copy.read("snapshots/traceability.md");
    assert_eq!(
        check(&copy),
        [
            "S1 corpus/case.schema.json: not fresh; `cargo xtask regen`",
            "S1 snapshots/traceability.md: not fresh; `cargo xtask regen`",
            "S1 snapshots/fixtures.md: not fresh; `cargo xtask regen`",
        ]
    );
    assert_eq!(copy.read("snapshots/traceability.md"), wrong, "a check writes nothing");
}

#[expect(clippy::disallowed_methods, reason = "git is not probed")]
fn git(copy: &Copy, args: &[&str]) {
    let output = Command::new("git")
        .arg("-C")
        .arg(copy.workspace.root())
        .args(["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"])
        .args(args)
        .output()
        .expect("git can be started");
    assert!(output.status.success(), "{}", String::from_utf8(output.stderr).unwrap_or_default());
}

#[test]
fn edits_that_were_not_committed_are_not_written_over() {
    let (copy, _) = minimal();
    let write = Mode::Write(Edits::Protect);
    let complaints = regen::run(&copy.workspace, write, regen::inspector);
    assert_eq!(
        complaints,
        ["git cannot tell which generated files were edited; commit or revert it, or use --force"]
    );
    git(&copy, &["init", "--quiet"]);
    git(&copy, &["add", "."]);
    git(&copy, &["commit", "--quiet", "--message", "all"]);
    let edited = [
        "corpus/case.schema.json",
        "corpus/recordings/garbage/stdout.raw",
        "snapshots/fixtures.md",
        "snapshots/reports/controls/ctl-0001-number.snap",
        "snapshots/traceability.md",
    ];
    for path in edited {
        copy.write(path, "edited\n");
    }
    // What a person says is not generated, and a new file holds no edit.
    copy.edit("corpus/recordings/garbage/case.json", "a line", "another line");
    copy.write("snapshots/reports/controls/ctl-0002-new.snap", "a report\n");
    let complaints = regen::run(&copy.workspace, write, regen::inspector);
    let named: Vec<&str> =
        complaints.iter().filter_map(|line| Some(line.split_once(": generated,")?.0)).collect();
    assert_eq!(named, edited);
    assert_eq!(complaints.len(), edited.len());
    assert!(edited.iter().all(|path| copy.read(path) == "edited\n"));

    git(&copy, &["commit", "--quiet", "--all", "--message", "edits"]);
    let complaints = regen::run(&copy.workspace, write, regen::inspector);
    assert!(complaints.iter().all(|line| !line.contains("edited since")), "{complaints:?}");
}
