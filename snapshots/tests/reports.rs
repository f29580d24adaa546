//! The report that each case leads to, in both formats.

use std::path::{Path, PathBuf};

use corpus::{Case, Chunking, events, load_all, replay, revision_shown, rule_set};
use inspect::Inspector;
use report::{Evidence, Format, Mode, RunFacts, StderrFacts, Style, Timeline, render};
use snapshots::{REPORTS, WITH_JSON, WORKSPACE_VARIABLE, directory};

fn workspace() -> PathBuf {
    let this = || Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::env::var_os(WORKSPACE_VARIABLE).map_or_else(this, PathBuf::from)
}

fn cases() -> Vec<Case> {
    let cases = load_all(&workspace().join("corpus")).expect("the corpus loads");
    assert!(!cases.is_empty());
    cases
}

fn evidence(case: &Case) -> Evidence {
    let rules = rule_set(case, Some(revision_shown(&case.file)));
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
    facts.calls.clone_from(&case.file.run.calls);
    facts.timeline = Timeline::new(events(case, Chunking::AsScripted).expect("it was replayed"));
    Evidence::new(&verdict, facts)
}

fn settings(case: &Case) -> insta::Settings {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(workspace().join(REPORTS).join(directory(case)));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(&case.file.title);
    settings.set_input_file(format!("corpus/{}/{}/case.json", directory(case), case.file.id));
    settings
}

#[test]
fn every_case_has_its_report() {
    for case in cases() {
        let report = render(&evidence(&case).into(), Format::Human, &Style::default());
        settings(&case).bind(|| insta::assert_snapshot!(case.file.id.clone(), report));
    }
}

#[test]
fn one_case_of_each_sort_has_its_json_report() {
    let cases = cases();
    for id in WITH_JSON {
        let case = cases.iter().find(|case| case.file.id == *id);
        let case = case.unwrap_or_else(|| panic!("no case is named {id}"));
        let report = render(&evidence(case).into(), Format::Json, &Style::default());
        settings(case).bind(|| insta::assert_snapshot!(format!("{id}.json"), report));
    }
}
