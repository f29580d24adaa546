//! The report that each case leads to, in both formats.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use corpus::{Case, Chunking, Family, load_all, replay, rule_set};
use inspect::Inspector;
use model::ProtocolVersion;
use report::{Evidence, Format, Mode, RunFacts, StderrFacts, Style, render};

/// Cases whose JSON report is kept too: one of each outcome and layer.
const JSON: &[&str] = &[
    "startup-banner",
    "invalid-utf8",
    "partial-frame-exit",
    "missing-jsonrpc",
    "wrong-id",
    "hang",
    "uncaught-error",
    "nonzero-exit",
    "ok-plain",
];

fn corpus_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus")
}

fn cases() -> Vec<Case> {
    let cases = load_all(&corpus_root()).expect("the corpus loads");
    assert!(!cases.is_empty());
    cases
}

fn evidence(case: &Case) -> Evidence {
    let rules = rule_set(case, Some(ProtocolVersion::NEWEST_WITH_HANDSHAKE));
    let verdict = replay(case, Chunking::AsScripted, Box::new(Inspector::new(rules)))
        .unwrap_or_else(|error| panic!("{}: {error}", case.file.id));
    let mut facts = RunFacts::new(Mode::Replay { case: case.file.id.clone() });
    facts.stderr = StderrFacts {
        bytes: case.stderr.len() as u64,
        lines: case.stderr.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count()
            as u64,
        head: case.stderr.clone(),
        tail: Vec::new(),
        dropped: 0,
    };
    Evidence::new(&verdict, facts)
}

fn family(case: &Case) -> &'static str {
    case.family.map_or("elsewhere", Family::directory)
}

fn settings(case: &Case) -> insta::Settings {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(Path::new("../reports").join(family(case)));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(&case.file.title);
    settings.set_input_file(format!("corpus/{}/{}/case.json", family(case), case.file.id));
    settings
}

#[test]
fn every_case_has_its_report() {
    for case in cases() {
        let report = render(&evidence(&case), Format::Human, &Style::default());
        settings(&case).bind(|| insta::assert_snapshot!(case.file.id.clone(), report));
    }
}

#[test]
fn one_case_of_each_sort_has_its_json_report() {
    let cases = cases();
    for id in JSON {
        let case = cases.iter().find(|case| case.file.id == *id);
        let case = case.unwrap_or_else(|| panic!("no case is named {id}"));
        let report = render(&evidence(case), Format::Json, &Style::default());
        settings(case).bind(|| insta::assert_snapshot!(format!("{id}.json"), report));
    }
}

#[test]
fn no_snapshot_is_left_over() {
    let reports = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports");
    let mut wanted = BTreeSet::new();
    for case in cases() {
        wanted.insert(format!("{}/{}.snap", family(&case), case.file.id));
        if JSON.contains(&case.file.id.as_str()) {
            wanted.insert(format!("{}/{}.json.snap", family(&case), case.file.id));
        }
    }
    let mut found = BTreeSet::new();
    for family in std::fs::read_dir(&reports).expect("there are reports").flatten() {
        for file in std::fs::read_dir(family.path()).expect("a family of reports").flatten() {
            let family = family.file_name().display().to_string();
            found.insert(format!("{family}/{}", file.file_name().display()));
        }
    }
    let orphans: Vec<_> = found.difference(&wanted).collect();
    assert!(orphans.is_empty(), "remove these, or bring their cases back: {orphans:?}");
}
