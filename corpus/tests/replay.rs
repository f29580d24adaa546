//! Every case on disk, replayed at several chunkings, gives exactly what its oracle says.

use std::collections::BTreeMap;
use std::path::Path;

use corpus::{
    Case, Chunking, Expectation, Family, compare, denied_rules, expectation_for, load_all, replay,
    rule_set,
};
use inspect::{Inspector, RuleSet, Setting};
use model::{ProtocolVersion, Verdict};

const CHUNKINGS: [Chunking; 5] = [
    Chunking::AsScripted,
    Chunking::Pieces(1),
    Chunking::Pieces(7),
    Chunking::Pieces(4096),
    Chunking::Pieces(65536),
];

/// Expanded cases of megabytes are cut no finer than this.
const FINEST_FOR_LARGE: usize = 1024 * 1024;

fn cases() -> Vec<Case> {
    let cases = load_all(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap_or_else(|errors| {
        panic!("{}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    });
    assert!(!cases.is_empty(), "no case was found");
    cases
}

fn verdict(case: &Case, chunking: Chunking, rules: RuleSet) -> Verdict {
    replay(case, chunking, Box::new(Inspector::new(rules)))
        .unwrap_or_else(|error| panic!("{}: {error}", case.file.id))
}

fn expectations(case: &Case) -> impl Iterator<Item = (ProtocolVersion, &Expectation)> {
    ProtocolVersion::ALL
        .into_iter()
        .filter_map(|version| Some((version, expectation_for(&case.file, version)?)))
}

fn chunkings(case: &Case) -> impl Iterator<Item = Chunking> {
    let large = case.stdout.len() > FINEST_FOR_LARGE;
    CHUNKINGS.into_iter().filter(move |chunking| match chunking {
        Chunking::Pieces(size) => !large || *size >= 4096,
        Chunking::AsScripted => true,
    })
}

#[test]
fn every_case_gives_exactly_its_oracle_however_its_bytes_are_cut() {
    let mut wrong = Vec::new();
    for case in cases() {
        let mut judged = 0;
        for (version, expected) in expectations(&case) {
            for chunking in chunkings(&case) {
                let verdict = verdict(&case, chunking, rule_set(&case, Some(version)));
                judged += 1;
                for difference in compare(expected, &verdict) {
                    wrong.push(format!("{} ({version}, {chunking:?}): {difference}", case.file.id));
                }
            }
        }
        assert!(judged > 0, "{}: no revision has an oracle", case.file.id);
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

/// The revision that the initialize result in the bytes of a case names, as another reader of JSON
/// finds it.
fn revision_on_the_wire(case: &Case) -> Option<ProtocolVersion> {
    case.stdout.split(|byte| *byte == b'\n').find_map(|line| {
        let message: serde_json::Value = serde_json::from_slice(line).ok()?;
        message.pointer("/result/protocolVersion")?.as_str()?.parse().ok()
    })
}

/// Nobody asks for a revision in an ordinary run: it is taken from the initialize result.
#[test]
fn without_a_revision_asked_for_the_negotiated_one_is_in_force() {
    let mut wrong = Vec::new();
    let mut by_revision = BTreeMap::new();
    for case in cases() {
        let Some(version) = revision_on_the_wire(&case) else { continue };
        let Some(expected) = expectation_for(&case.file, version) else { continue };
        let verdict = verdict(&case, Chunking::AsScripted, rule_set(&case, None));
        *by_revision.entry(version).or_insert(0) += 1;
        for difference in compare(expected, &verdict) {
            wrong.push(format!("{} ({version}): {difference}", case.file.id));
        }
    }
    assert!(by_revision.len() > 2, "too few revisions are negotiated: {by_revision:?}");
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

/// Other places of the result name other revisions.
#[test]
fn the_revision_that_is_spoken_is_the_result_s_own() {
    let cases = cases();
    let case = cases.iter().find(|case| case.file.id == "syn-0245-revision-named-at-other-places");
    let spoken = corpus::spoken_revision(case.expect("the case is there"));
    assert_eq!(spoken, ProtocolVersion::V2025_11_25);
}

#[test]
fn as_many_cases_are_replayed_as_there_are_directories() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut directories = 0;
    for family in Family::ALL {
        let entries = std::fs::read_dir(root.join(family.directory())).expect("a family is there");
        let of_family = entries
            .filter(|entry| entry.as_ref().expect("an entry can be read").path().is_dir())
            .count();
        assert!(of_family > 0, "{}: no case", family.directory());
        directories += of_family;
    }
    assert_eq!(cases().len(), directories);
}

#[test]
fn advice_fails_the_run_when_it_is_denied() {
    let mut wrong = Vec::new();
    let mut denied = 0;
    for case in cases() {
        for (version, expected) in expectations(&case) {
            for rule in denied_rules(expected) {
                let mut rules = rule_set(&case, Some(version));
                rules.set(rule, Setting::Deny);
                let verdict = verdict(&case, Chunking::AsScripted, rules);
                denied += 1;
                let fails = matches!(&verdict.outcome, model::Outcome::Violation(finding) if finding.rule == rule);
                if !fails {
                    wrong.push(format!(
                        "{}: --deny {rule} gives {:?}",
                        case.file.id, verdict.outcome
                    ));
                }
            }
        }
    }
    assert!(denied > 0, "no case expects advice");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
