//! The detector against test data from elsewhere: the JSON grammar against the public parsing
//! suite and against serde_json, layers 1, 2 and 4 against recordings of published servers,
//! layer 4 against the official schemas.

mod schemas;
mod sessions;

use std::path::Path;

use inspect::{Detector, Inspector, RuleSet, check_json_text};
use model::{Event, EventKind, Layer, Outcome, Seq, Verdict};
use serde::Deserialize;

use crate::Complaints;
use crate::workspace::{entries, name, read};

/// What the grammar of RFC 8259 and UTF-8 say of each file that the suite leaves open.
///
/// A number, a depth or a surrogate that some reader cannot hold is still grammatical; bytes
/// that are not UTF-8, and a byte-order mark, are not.
const DECISIONS: &[(&str, Grammatical)] = &[
    ("i_number_double_huge_neg_exp.json", Grammatical::Yes),
    ("i_number_huge_exp.json", Grammatical::Yes),
    ("i_number_neg_int_huge_exp.json", Grammatical::Yes),
    ("i_number_pos_double_huge_exp.json", Grammatical::Yes),
    ("i_number_real_neg_overflow.json", Grammatical::Yes),
    ("i_number_real_pos_overflow.json", Grammatical::Yes),
    ("i_number_real_underflow.json", Grammatical::Yes),
    ("i_number_too_big_neg_int.json", Grammatical::Yes),
    ("i_number_too_big_pos_int.json", Grammatical::Yes),
    ("i_number_very_big_negative_int.json", Grammatical::Yes),
    ("i_object_key_lone_2nd_surrogate.json", Grammatical::Yes),
    ("i_string_1st_surrogate_but_2nd_missing.json", Grammatical::Yes),
    ("i_string_1st_valid_surrogate_2nd_invalid.json", Grammatical::Yes),
    ("i_string_UTF-16LE_with_BOM.json", Grammatical::No),
    ("i_string_UTF-8_invalid_sequence.json", Grammatical::No),
    ("i_string_UTF8_surrogate_U+D800.json", Grammatical::No),
    ("i_string_incomplete_surrogate_and_escape_valid.json", Grammatical::Yes),
    ("i_string_incomplete_surrogate_pair.json", Grammatical::Yes),
    ("i_string_incomplete_surrogates_escape_valid.json", Grammatical::Yes),
    ("i_string_invalid_lonely_surrogate.json", Grammatical::Yes),
    ("i_string_invalid_surrogate.json", Grammatical::Yes),
    ("i_string_invalid_utf-8.json", Grammatical::No),
    ("i_string_inverted_surrogates_U+1D11E.json", Grammatical::Yes),
    ("i_string_iso_latin_1.json", Grammatical::No),
    ("i_string_lone_second_surrogate.json", Grammatical::Yes),
    ("i_string_lone_utf8_continuation_byte.json", Grammatical::No),
    ("i_string_not_in_unicode_range.json", Grammatical::No),
    ("i_string_overlong_sequence_2_bytes.json", Grammatical::No),
    ("i_string_overlong_sequence_6_bytes.json", Grammatical::No),
    ("i_string_overlong_sequence_6_bytes_null.json", Grammatical::No),
    ("i_string_truncated-utf-8.json", Grammatical::No),
    ("i_string_utf16BE_no_BOM.json", Grammatical::No),
    ("i_string_utf16LE_no_BOM.json", Grammatical::No),
    ("i_structure_500_nested_arrays.json", Grammatical::Yes),
    ("i_structure_UTF-8_BOM_empty_object.json", Grammatical::No),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grammatical {
    Yes,
    No,
}

impl Grammatical {
    fn of(text: &[u8]) -> Self {
        if check_json_text(text).is_ok() { Self::Yes } else { Self::No }
    }
}

/// Compares the detector with the data in a directory.
pub fn run(data: &Path) -> Complaints {
    let mut complaints = Complaints::new();
    json_test_suite(&data.join("json-test-suite"), &mut complaints);
    schemas::run(&data.join("mcp-schema"), &mut complaints);
    real_servers(&data.join("real-servers"), &mut complaints);
    complaints
}

fn json_test_suite(directory: &Path, complaints: &mut Complaints) {
    let mut counts = [0_u32; 3];
    for path in entries(directory, complaints) {
        let name = name(&path);
        let Some(prefix) = name.find('_').filter(|at| *at == 1).and_then(|_| name.chars().next())
        else {
            continue;
        };
        let Some(text) = read(&path, complaints) else { continue };
        let (index, expected) = match prefix {
            'y' => (0, Some(Grammatical::Yes)),
            'n' => (1, Some(Grammatical::No)),
            _ => {
                let decision = DECISIONS.iter().find(|(file, _)| *file == name);
                (2, decision.map(|(_, decision)| *decision))
            }
        };
        counts[index] += 1;
        let got = Grammatical::of(&text);
        match expected {
            None => complaints
                .push(format!("{name}: no decision is written down; the grammar says {got:?}")),
            Some(expected) if expected != got => {
                complaints.push(format!("{name}: expected {expected:?}, the grammar says {got:?}"));
            }
            Some(_) => {}
        }
        // serde_json also rejects what it cannot hold, so only its acceptance binds us.
        let held = serde_json::from_slice::<serde_json::Value>(&text).is_ok();
        if held && got == Grammatical::No {
            complaints.push(format!("{name}: serde_json accepts it, the grammar does not"));
        }
    }
    if counts.contains(&0) {
        complaints.push(format!("{}: found {counts:?} files of y, n, i", directory.display()));
    }
    println!("json-test-suite: {} y, {} n, {} i", counts[0], counts[1], counts[2]);
}

#[derive(Deserialize)]
struct Expected {
    stdout: Purity,
    first_bad: Option<FirstBad>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Purity {
    Clean,
    Dirty,
}

/// The first frame that is no message; `offset` is where it begins in the stream.
#[derive(Deserialize)]
struct FirstBad {
    frame: u64,
    offset: u64,
}

fn real_servers(directory: &Path, complaints: &mut Complaints) {
    let (mut clean, mut dirty, mut empty) = (0, 0, 0);
    let mut sessions = sessions::Tally::default();
    for path in entries(directory, complaints) {
        let name = name(&path);
        let Some(stdout) = read(&path.join("stdout.raw"), complaints) else { continue };
        let Some(expected) = read(&path.join("expected.json"), complaints) else { continue };
        let expected: Expected = match serde_json::from_slice(&expected) {
            Ok(expected) => expected,
            Err(error) => {
                complaints.push(format!("{name}: expected.json: {error}"));
                continue;
            }
        };
        if stdout.is_empty() {
            empty += 1;
            continue;
        }
        match expected.stdout {
            Purity::Clean => {
                clean += 1;
                sessions.judge(&name, &path, complaints);
            }
            Purity::Dirty => dirty += 1,
        }
        let expected = expected.first_bad.map(|bad| (bad.frame, bad.offset));
        let got = first_low_violation(&check(&stdout));
        if got.as_ref().map(|(frame, offset, _)| (*frame, *offset)) != expected {
            complaints.push(format!("{name}: expected (frame, start) {expected:?}, got {got:?}"));
        }
    }
    if clean == 0 || dirty == 0 {
        complaints.push(format!("{}: {clean} clean and {dirty} dirty", directory.display()));
    }
    sessions.conclude(complaints);
    println!("real-servers: {clean} clean, {dirty} dirty, {empty} empty");
}

fn check(stdout: &[u8]) -> Verdict {
    let mut detector = Inspector::new(RuleSet::without_client());
    for kind in [EventKind::Stdout(stdout.into()), EventKind::StdoutEof] {
        detector.push(&Event { seq: Seq(0), at: std::time::Duration::ZERO, kind });
    }
    Box::new(detector).finish()
}

/// The violation, if it is of layer 1 or 2: the frame, where it begins in the stream, the rule.
fn first_low_violation(verdict: &Verdict) -> Option<(u64, u64, &'static str)> {
    let Outcome::Violation(finding) = &verdict.outcome else { return None };
    let position = finding.position;
    (finding.rule.rule().layer <= Layer::Json).then(|| {
        let frame = position.frame().map_or(0, |frame| frame.0);
        let start = position.stream().0 - position.byte().map_or(0, |byte| byte.0);
        (frame, start, finding.rule.name())
    })
}
