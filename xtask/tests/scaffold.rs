//! What `new-incident`, `new-fixture` and `new-rule` write, in copies of this workspace: `check`
//! names exactly what is owed, and once that is paid everything is green.

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use corpus::{
    Case, Chunking, Family, Origin, compare, expectation_for, load_case, replay, rule_set,
};
use inspect::Inspector;
use model::{Layer, Outcome, Phase, ProtocolVersion, RuleId};
use xtask::check::{Code, Complaint};
use xtask::regen::{self, Edits, Mode};
use xtask::scaffold::{
    Expected, Frame, LayerNumber, NewFixture, NewIncident, NewRule, Pending, RuleLevel,
    StatedOracle,
};

use support::Copy;

const WRITE: Mode = Mode::Write(Edits::Overwrite);
const CAPTURE: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\nready, try me\n";

fn incident(copy: &Copy, capture: &[u8]) -> NewIncident {
    let stdout = copy.path("some.bin");
    std::fs::write(&stdout, capture).expect("a capture can be written");
    NewIncident {
        name: "try-me".to_owned(),
        stdout,
        stderr: None,
        source: "https://example.org/issue/1".to_owned(),
        seen: None,
        redact: false,
        oracle: StatedOracle::default(),
    }
}

fn invalid_json_at(frame: u64, byte: u64) -> StatedOracle {
    StatedOracle {
        rule: Some(RuleId::InvalidJson),
        frame: Some(Frame::Number(frame)),
        byte: Some(byte),
        ..StatedOracle::default()
    }
}

/// The directory of the only incident named try-me.
fn directory(copy: &Copy) -> PathBuf {
    let incidents = std::fs::read_dir(copy.path("corpus/incidents")).expect("there are incidents");
    let mut found = incidents
        .map(|entry| entry.expect("an entry can be read").path())
        .filter(|path| path.display().to_string().ends_with("-try-me"));
    let directory = found.next().expect("the incident was made");
    assert_eq!(found.next(), None);
    directory
}

fn case(copy: &Copy) -> Case {
    load_case(Family::Incidents, &directory(copy)).expect("the new case can be read")
}

/// The author writes what no tool can know.
fn fill_in(copy: &Copy, case: &Path) {
    let case = case.join("case.json");
    let case = case.strip_prefix(copy.workspace.root()).expect("it lies in the copy");
    let case = case.to_str().expect("a plain path");
    copy.edit(case, "TODO: one sentence: what happens", "a ready line is printed");
    copy.edit(
        case,
        "TODO: which sentence of the specification, and why at that byte",
        "No JSON text begins with the letter r.",
    );
}

fn new_complaints(copy: &Copy, before: &[Complaint]) -> Vec<Complaint> {
    copy.complaints().into_iter().filter(|complaint| !before.contains(complaint)).collect()
}

/// Code, place and the beginning of each text.
fn assert_owed(complaints: &[Complaint], owed: &[(Code, &str, &str)]) {
    let right = complaints.len() == owed.len()
        && complaints.iter().zip(owed).all(|(complaint, (code, place, text))| {
            complaint.code == *code && complaint.place == *place && complaint.text.starts_with(text)
        });
    assert!(right, "wanted {owed:?}, got {complaints:#?}");
}

fn assert_replays(case: &Case) {
    let mut judged = 0;
    for version in ProtocolVersion::ALL {
        let Some(expected) = expectation_for(&case.file, version) else { continue };
        let detector = Box::new(Inspector::new(rule_set(case, Some(version))));
        let verdict = replay(case, Chunking::AsScripted, detector).expect("the script plays");
        assert_eq!(compare(expected, &verdict), Vec::<String>::new(), "{version}");
        judged += 1;
    }
    assert!(judged > 0);
}

/// The files that are not as they were, of those that were there.
fn changed(copy: &Copy, ending: &str, before: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<PathBuf> {
    let after = copy.files(ending);
    let differs = |(path, bytes): (&PathBuf, &Vec<u8>)| {
        (after.get(path) != Some(bytes)).then(|| path.clone())
    };
    before.iter().filter_map(differs).collect()
}

#[test]
fn an_incident_without_an_oracle_is_owed_by_its_author() {
    let copy = Copy::of_this_workspace();
    let before = copy.complaints();
    assert_eq!(incident(&copy, CAPTURE).run(&copy.workspace), Vec::<String>::new());
    let case = case(&copy);
    let id = case.file.id.as_str();
    assert_owed(
        &new_complaints(&copy, &before),
        &[
            (Code::C1, id, "expect is TODO"),
            (Code::C1, id, "title is not written"),
            (Code::C1, id, "why is not written"),
            (Code::S1, id, "its report"),
            (Code::S1, "snapshots/kill-matrix.txt", "it is not of these cases"),
        ],
    );
    assert_eq!(case.stdout, CAPTURE);
    let json = std::fs::read_to_string(directory(&copy).join("case.json")).expect("it is text");
    assert!(RuleId::ALL.iter().all(|rule| !json.contains(rule.name())), "{json}");
}

#[test]
fn an_incident_with_its_oracle_is_green_without_a_line_of_rust() {
    let copy = Copy::of_this_workspace();
    let (sources, before) = (copy.files(".rs"), copy.complaints());
    let oracles = copy.files("case.json");
    let task = NewIncident { oracle: invalid_json_at(2, 0), ..incident(&copy, CAPTURE) };
    assert_eq!(task.run(&copy.workspace), Vec::<String>::new());
    fill_in(&copy, &directory(&copy));
    assert_replays(&case(&copy));
    assert_eq!(regen::tabulate(&copy.workspace, WRITE, regen::inspector), Vec::<String>::new());
    assert_eq!(regen::report(&copy.workspace, WRITE), Vec::<String>::new());
    assert_eq!(new_complaints(&copy, &before), []);
    assert!(copy.read("snapshots/traceability.md").contains("-try-me"));
    assert_eq!(changed(&copy, ".rs", &sources), Vec::<PathBuf>::new());
    assert_eq!(changed(&copy, "case.json", &oracles), Vec::<PathBuf>::new());
}

#[test]
fn what_is_plain_counting_is_counted() {
    let copy = Copy::of_this_workspace();
    let task = NewIncident { oracle: invalid_json_at(2, 3), ..incident(&copy, CAPTURE) };
    assert_eq!(task.run(&copy.workspace), Vec::<String>::new());
    let json = std::fs::read_to_string(directory(&copy).join("case.json")).expect("it is text");
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    // The oracle is wrong, and stays as its author stated it.
    assert_eq!(
        json["expect"],
        serde_json::json!({ "all": {
            "rule": "invalid-json", "frame": 2, "byte": 3, "byte_in_stream": 44,
            "clean_before": 1, "pending": null, "advice": [],
        } })
    );
}

#[test]
fn what_is_a_judgement_must_be_said() {
    let copy = Copy::of_this_workspace();
    let recording = copy.path("corpus/recordings/debug-print");
    let task = NewIncident {
        stdout: recording.clone(),
        oracle: invalid_json_at(2, 0),
        ..incident(&copy, CAPTURE)
    };
    let complaints = task.run(&copy.workspace);
    assert_eq!(
        complaints,
        [
            "--phase must be said: it cannot be counted",
            "--pending must be said: it cannot be counted",
        ]
    );
    let oracle = StatedOracle {
        phase: vec![Phase::Discovery],
        pending: Some(Pending::Method("tools/list".to_owned())),
        ..invalid_json_at(2, 0)
    };
    let task = NewIncident { oracle, ..task };
    assert_eq!(task.run(&copy.workspace), Vec::<String>::new());
    let made = case(&copy);
    let recorded = load_case(Family::Recordings, &recording).expect("the recording can be read");
    assert_eq!(made.file.script, recorded.file.script);
    assert_eq!(made.file.expect, recorded.file.expect);
    assert_eq!(made.stdout, recorded.stdout);
}

#[test]
fn batches_are_not_counted() {
    let copy = Copy::of_this_workspace();
    let task =
        NewIncident { oracle: invalid_json_at(2, 0), ..incident(&copy, b"[{},{}]\nready\n") };
    let complaints = task.run(&copy.workspace);
    assert_eq!(complaints, ["--clean-before must be said: it cannot be counted"]);
}

#[test]
fn personal_data_is_replaced_and_every_offset_stays() {
    let token = ["ghp", "_", &"a1B2c3".repeat(6)].concat();
    let capture = format!("open /home/jodoe/app.js\nkey {token}\nhello\n");
    let shown = Copy::of_this_workspace();
    let before = shown.complaints();
    assert_eq!(incident(&shown, capture.as_bytes()).run(&shown.workspace), Vec::<String>::new());
    let left: Vec<Code> =
        new_complaints(&shown, &before).iter().map(|complaint| complaint.code).collect();
    assert_eq!(left.iter().filter(|code| **code == Code::C4).count(), 2, "{left:?}");
    assert_eq!(case(&shown).stdout, capture.as_bytes());

    let copy = Copy::of_this_workspace();
    let task = NewIncident { redact: true, ..incident(&copy, capture.as_bytes()) };
    assert_eq!(task.run(&copy.workspace), Vec::<String>::new());
    let case = case(&copy);
    assert_eq!(case.stdout.len(), capture.len());
    assert!(case.stdout.starts_with(b"open /home/xxxxx/app.js\nkey xxx_x0x0x0"));
    assert!(case.stdout.ends_with(b"\nhello\n"));
    let Origin::Incident { redacted, .. } = &case.file.origin else { panic!("not an incident") };
    assert_eq!(redacted, &["home path", "token (github-token)"]);
    assert!(new_complaints(&copy, &before).iter().all(|complaint| complaint.code != Code::C4));
}

#[test]
fn what_cannot_become_an_incident_is_refused() {
    let copy = Copy::of_this_workspace();
    let good = incident(&copy, CAPTURE);
    let empty = copy.path("empty.bin");
    std::fs::write(&empty, b"").expect("a file can be written");
    let cited = load_case(
        Family::Incidents,
        &copy.path("corpus/incidents/inc-0001-version-line-at-startup"),
    );
    let Origin::Incident { url, .. } = cited.expect("the first incident is there").file.origin
    else {
        panic!("not an incident")
    };
    let outside = StatedOracle { byte: Some(99), ..invalid_json_at(2, 0) };
    let miscounted = StatedOracle { byte_in_stream: Some(5), ..invalid_json_at(2, 0) };
    let refused = [
        (NewIncident { name: "Try_Me".to_owned(), ..good.clone() }, "not kebab-case"),
        (NewIncident { name: "hang".to_owned(), ..good.clone() }, "used by hang"),
        (
            NewIncident { name: "version-line-at-startup".to_owned(), ..good.clone() },
            "used by inc-0001-version-line-at-startup",
        ),
        (NewIncident { source: "http://example.org".to_owned(), ..good.clone() }, "https URL"),
        (NewIncident { source: format!("{url}#comment-1"), ..good.clone() }, "cited by inc-0001"),
        (NewIncident { stdout: empty, ..good.clone() }, "the capture is empty"),
        (NewIncident { stdout: copy.path("none.bin"), ..good.clone() }, "none.bin"),
        (NewIncident { oracle: outside, ..good.clone() }, "frame 2 has no byte 99"),
        (NewIncident { oracle: miscounted, ..good.clone() }, "frame and byte name 41"),
    ];
    let before = copy.files("case.json");
    for (task, reason) in refused {
        let complaints = task.run(&copy.workspace);
        assert!(
            complaints.len() == 1 && complaints[0].contains(reason),
            "{reason}: {complaints:?}"
        );
    }
    assert_eq!(copy.files("case.json").len(), before.len());
}

/// What the fixtures of a copy are: as few as the reports need.
const KEPT: &[&str] = snapshots::WITH_JSON;

#[test]
fn a_fixture_is_live_and_green_with_its_own_source_alone() {
    let copy = Copy::of_this_workspace();
    copy.keep_fixtures(KEPT);
    let (sources, before) = (copy.files(".rs"), copy.complaints());
    let task =
        NewFixture { name: "try-me".to_owned(), expect: Expected::Rule(RuleId::InvalidJson) };
    assert_eq!(task.run(&copy.workspace), Vec::<String>::new());
    let (source, recording) = ("fixture-servers/src/bin/try-me.rs", "corpus/recordings/try-me");
    assert_owed(
        &new_complaints(&copy, &before),
        &[
            (Code::C1, "try-me", "expect is TODO"),
            (Code::C1, "try-me", "title is not written"),
            (Code::C1, "try-me", "why is not written"),
            (Code::C2, "try-me", "the script takes more bytes than were recorded"),
            (Code::S1, "try-me", "its report"),
            (Code::T2, source, "its mistake is not written yet"),
        ],
    );
    copy.edit(source, "TODO: what it does", "Prints a line while it lists its tools");
    copy.edit(source, "does not.", "prints none.");
    copy.edit(source, "// TODO: the one mistake, here", "// The one mistake, here");
    copy.edit(source, "TODO", "trying");
    fill_in(&copy, &copy.path(recording));
    copy.edit(
        &format!("{recording}/case.json"),
        "\"TODO\"",
        r#"{"all":{"rule":"invalid-json","frame":2,"byte":2,"byte_in_stream":144,"clean_before":1,
            "phase":"discovery","pending":"tools/list","advice":[]}}"#,
    );
    assert_eq!(regen::run(&copy.workspace, WRITE, regen::inspector), Vec::<String>::new());
    assert_eq!(new_complaints(&copy, &before), []);
    assert_eq!(changed(&copy, ".rs", &sources), Vec::<PathBuf>::new());

    let case = load_case(Family::Recordings, &copy.path(recording)).expect("it was recorded");
    assert_replays(&case);
    let live = |args: &[&str]| {
        let launch = drive::LaunchSpec::new(copy.path("target/debug/try-me")).args(args);
        probe::rehearse(&case, launch).expect("the case has no calls")
    };
    let expected = expectation_for(&case.file, ProtocolVersion::NEWEST_WITH_HANDSHAKE);
    let differences = compare(expected.expect("it is stated"), &live(&[]).verdict);
    assert_eq!(differences, Vec::<String>::new());
    assert_eq!(live(&["--sane"]).verdict.outcome, Outcome::ValidStdout);
}

#[test]
fn a_fixture_that_shows_a_rule_is_not_named_like_a_control() {
    let copy = Copy::of_this_workspace();
    for (name, expect) in [
        ("ok-try-me", Expected::Rule(RuleId::InvalidJson)),
        ("try-me", Expected::ValidStdout),
        ("hang", Expected::Rule(RuleId::NoResponse)),
    ] {
        let complaints = NewFixture { name: name.to_owned(), expect }.run(&copy.workspace);
        assert_eq!(complaints.len(), 1, "{name}: {complaints:?}");
    }
}

#[expect(clippy::disallowed_methods, reason = "cargo is not probed")]
fn cargo() -> Command {
    Command::new(env!("CARGO"))
}

#[test]
fn a_rule_has_its_variant_and_a_row_that_is_still_to_be_written() {
    let copy = Copy::of_this_workspace();
    let task = NewRule {
        id: "try-me".to_owned(),
        layer: LayerNumber(Layer::Json),
        level: RuleLevel::Advice,
    };
    assert_eq!(task.run(&copy.workspace), Vec::<String>::new());
    let row = copy.read("crates/model/src/catalogue/json.rs");
    let (_, row) = row.rsplit_once("    Rule {").expect("there is a row");
    assert!(row.contains("RuleId::TryMe"), "{row}");
    assert_eq!(row.matches("TODO").count(), 6, "{row}");
    // The catalogue checks the order of its rows itself.
    let output = cargo()
        .current_dir(copy.workspace.root())
        .args(["test", "--quiet", "--package", "mcp-stdio-probe-model", "--lib", "--target-dir"])
        .arg(copy.path("target"))
        .output()
        .expect("cargo can be started");
    assert!(output.status.success(), "{}", String::from_utf8(output.stderr).unwrap_or_default());

    let again = task.run(&copy.workspace);
    assert!(again.len() == 1 && again[0].contains("never reused"), "{again:?}");
    let camel = NewRule { id: "TryMe".to_owned(), ..task };
    assert!(camel.run(&copy.workspace)[0].contains("not kebab-case"));
}
