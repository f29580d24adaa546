//! Every code of `check` is provoked, and nothing that is deleted goes unnoticed.

mod support;

use std::collections::BTreeSet;

use model::{Rule, RuleId};
use xtask::Workspace;
use xtask::check::{self, Code, Complaint, RuleTable};

use support::{Copy, minimal};

const INCIDENT: &str = "corpus/incidents/inc-0001-greeting/case.json";
const SYNTHETIC: &str = "corpus/synthetic/syn-0001-word/case.json";
const CONTROL: &str = "corpus/controls/ctl-0001-number/case.json";
const RECORDING: &str = "corpus/recordings/garbage/case.json";
const FIXTURE: &str = "fixture-servers/src/bin/garbage.rs";
const KILL_MATRIX: &str = "snapshots/kill-matrix.txt";

/// Something done to the minimal workspace, and every complaint that it leads to: code, place,
/// and a part of the text.
struct Provocation {
    done: fn(&Copy, &mut RuleTable),
    complaints: &'static [(Code, &'static str, &'static str)],
}

fn row(table: &mut RuleTable, change: fn(&mut Rule)) {
    change(&mut table.rows[0]);
}

const PROVOCATIONS: &[Provocation] = &[
    Provocation {
        done: |_, table| table.rows.clear(),
        complaints: &[(Code::R1, "invalid-json", "no row")],
    },
    Provocation {
        done: |_, table| row(table, |row| row.spec.quote = ""),
        complaints: &[(Code::R1, "invalid-json", "no spec.quote")],
    },
    Provocation {
        done: |_, table| {
            row(table, |row| row.explanation = "TODO: write it, or a reader knows nothing")
        },
        complaints: &[(Code::R1, "invalid-json", "no explanation")],
    },
    Provocation {
        done: |_, table| table.ids.push(RuleId::EmptyFrame),
        complaints: &[
            (Code::R1, "empty-frame", "no row"),
            (Code::R2, "empty-frame", "no fixture shows it"),
            (Code::R3, "empty-frame", "no case but a recording"),
            (Code::R4, "empty-frame", "no mutant is blind to it"),
        ],
    },
    Provocation {
        done: |copy, _| copy.remove("corpus/recordings/garbage"),
        complaints: &[
            (Code::R2, "garbage", "no recording"),
            (Code::R2, "invalid-json", "no fixture shows it"),
            (Code::S1, KILL_MATRIX, "not of these cases and mutants"),
            (Code::S2, "garbage", "the report of no case"),
        ],
    },
    Provocation {
        done: |copy, _| copy.remove(FIXTURE),
        complaints: &[(Code::R2, "garbage", "no fixture")],
    },
    Provocation {
        done: |copy, _| {
            let clean = r#"{"all":{"verdict":"valid-stdout","advice":[]}}"#;
            expect(copy, RECORDING, clean);
        },
        complaints: &[
            (Code::R2, "garbage", "shows no rule"),
            (Code::R2, "invalid-json", "no fixture shows it"),
        ],
    },
    Provocation {
        done: |copy, _| {
            copy.edit(INCIDENT, "invalid-json", "empty-frame");
            copy.edit(SYNTHETIC, "invalid-json", "empty-frame");
        },
        complaints: &[
            (Code::R3, "invalid-json", "no case but a recording"),
            (Code::C1, "inc-0001-greeting", "no rule is named empty-frame"),
            (Code::C1, "syn-0001-word", "no rule is named empty-frame"),
        ],
    },
    Provocation {
        done: |copy, _| copy.edit(CONTROL, "numbers", "size"),
        complaints: &[(Code::R5, "layer 2", "no clean control of JSON")],
    },
    Provocation {
        done: |copy, _| expect(copy, INCIDENT, "\"TODO\""),
        complaints: &[(Code::C1, "inc-0001-greeting", "expect is TODO")],
    },
    Provocation {
        done: |copy, _| copy.edit(INCIDENT, "\"title\":\"a line\"", "\"title\":\"TODO\""),
        complaints: &[(Code::C1, "inc-0001-greeting", "title is not written")],
    },
    Provocation {
        done: |copy, _| copy.edit(INCIDENT, "\"title\"", "\"name\""),
        complaints: &[(Code::C1, "inc-0001-greeting", "unknown field `name`")],
    },
    Provocation {
        done: |copy, _| copy.remove(INCIDENT),
        complaints: &[(Code::C1, "inc-0001-greeting", "case.json cannot be read")],
    },
    Provocation {
        done: |copy, _| copy.edit(INCIDENT, "\"all\"", "\"2020-01-01\""),
        complaints: &[(Code::C1, "inc-0001-greeting", "covers no revision")],
    },
    Provocation {
        done: |copy, _| copy.edit(INCIDENT, "\"pending\"", "\"phase\":\"dawn\",\"pending\""),
        complaints: &[(Code::C1, "inc-0001-greeting", "no phase is named dawn")],
    },
    Provocation {
        done: |copy, _| copy.edit(CONTROL, "\"schema\":1", "\"schema\":2"),
        complaints: &[(Code::C1, "ctl-0001-number", "unknown version")],
    },
    Provocation {
        done: |copy, _| {
            copy.write("corpus/controls/ctl-0001-other/case.json", &copy.read(CONTROL));
            copy.write("corpus/controls/ctl-0001-other/stdout.raw", "{}\n");
        },
        complaints: &[
            (Code::C1, "ctl-0001-number", "ctl-0001-number in controls has this id too"),
            (Code::C1, "ctl-0001-number", "its directory is named ctl-0001-other"),
        ],
    },
    Provocation {
        done: |copy, _| {
            let other = copy.read(CONTROL).replace("0001-number", "0001-other");
            copy.write("corpus/controls/ctl-0001-other/case.json", &other);
            copy.write("corpus/controls/ctl-0001-other/stdout.raw", "{}\n");
            copy.write("snapshots/reports/controls/ctl-0001-other.snap", "a report\n");
        },
        complaints: &[
            (Code::C1, "ctl-0001-other", "ctl-0001-number has this serial number"),
            (Code::S1, KILL_MATRIX, "not of these cases and mutants"),
        ],
    },
    Provocation {
        done: |copy, _| copy.remove("corpus/incidents/inc-0001-greeting/stdout.raw"),
        complaints: &[(Code::C2, "inc-0001-greeting", "stdout.raw cannot be read")],
    },
    Provocation {
        done: |copy, _| {
            copy.edit(INCIDENT, "\"expect\"", "\"script\":[{\"stdout\":{\"frames\":2}}],\"expect\"")
        },
        complaints: &[(Code::C2, "inc-0001-greeting", "more bytes than were recorded")],
    },
    Provocation {
        done: |copy, _| {
            copy.edit(INCIDENT, "\"expect\"", "\"script\":[{\"stdout\":{\"bytes\":2}}],\"expect\"")
        },
        complaints: &[(Code::C2, "inc-0001-greeting", "leaves 4 recorded bytes")],
    },
    Provocation {
        done: |copy, _| copy.write("corpus/incidents/inc-0001-greeting/stderr.raw", "log\n"),
        complaints: &[(Code::C2, "inc-0001-greeting", "no script that refers to it")],
    },
    Provocation {
        done: |copy, _| copy.write("corpus/incidents/inc-0001-greeting/notes.txt", "note\n"),
        complaints: &[(Code::C2, "corpus/incidents/inc-0001-greeting/notes.txt", "no case refers")],
    },
    Provocation {
        done: |copy, _| copy.edit(INCIDENT, "\"byte_in_stream\":0", "\"byte_in_stream\":1"),
        complaints: &[(Code::C3, "inc-0001-greeting", "do not name the same place")],
    },
    Provocation {
        done: |copy, _| copy.edit(INCIDENT, "\"frame\":1", "\"frame\":3"),
        complaints: &[(Code::C3, "inc-0001-greeting", "do not name the same place")],
    },
    Provocation {
        done: |copy, _| {
            let advice = r#""advice":[{"rule":"invalid-json","frame":1,"byte":99}]"#;
            copy.edit(INCIDENT, "\"advice\":[]", advice);
        },
        complaints: &[(Code::C3, "inc-0001-greeting", "names no byte of a frame")],
    },
    Provocation {
        done: |copy, _| copy.edit(INCIDENT, "https://", "http://"),
        complaints: &[(Code::C4, "inc-0001-greeting", "without the URL of a public report")],
    },
    Provocation {
        done: |copy, _| copy.edit(CONTROL, "\"control\"", "\"synthetic\""),
        complaints: &[(Code::C4, "ctl-0001-number", "not that of its directory")],
    },
    Provocation {
        done: |copy, _| {
            copy.write("corpus/incidents/inc-0001-greeting/stdout.raw", "at /home/jodoe/a.js\n");
        },
        complaints: &[(Code::C4, "inc-0001-greeting", "home path, line 1, byte 9 (offset 9)")],
    },
    Provocation {
        done: |copy, _| {
            let token = ["ghp", "_", &"a1B2c3".repeat(6)].concat();
            copy.write("corpus/incidents/inc-0001-greeting/stdout.raw", &format!("key {token}\n"));
        },
        complaints: &[(Code::C4, "inc-0001-greeting", "token (github-token), line 1, byte 4")],
    },
    Provocation {
        done: |copy, _| copy.write("corpus/synthetic/syn-0001-word/stdout.raw", "hello\n"),
        complaints: &[(Code::C5, "syn-0001-word", "inc-0001-greeting has the same bytes")],
    },
    Provocation {
        done: |copy, _| {
            copy.edit(KILL_MATRIX, "greeting .C", "greeting ..");
            copy.edit(KILL_MATRIX, "word     CK", "word     C.");
        },
        complaints: &[
            (Code::R4, "invalid-json", "blind(invalid-json) lives: no case but a recording"),
            (Code::M1, "blind(invalid-json)", "inc-0001-greeting does not kill it"),
        ],
    },
    Provocation {
        done: |copy, _| {
            copy.edit(KILL_MATRIX, "word     CK", "word     .K");
            copy.edit(KILL_MATRIX, "garbage           KK", "garbage           .K");
        },
        complaints: &[
            (Code::M1, "skip-lines", "it lives: no case kills it"),
            (Code::M1, "skip-lines", "syn-0001-word does not kill it"),
        ],
    },
    Provocation {
        done: |copy, _| copy.edit(KILL_MATRIX, "word     CK", "word     XK"),
        complaints: &[(Code::M1, "skip-lines", "syn-0001-word kills it, but not as its row")],
    },
    Provocation {
        done: |_, table| table.mutants[0].canonical_case = "syn-0009-gone".to_owned(),
        complaints: &[(Code::M1, "skip-lines", "there is no case syn-0009-gone")],
    },
    Provocation {
        done: |copy, _| copy.edit(KILL_MATRIX, "number   ..", "number   !."),
        complaints: &[(Code::M2, "skip-lines", "without its temptation on ctl-0001-number")],
    },
    Provocation {
        done: |copy, table| {
            copy.edit(KILL_MATRIX, "word     CK", "word     ..");
            table.mutants[0].canonical_case = "garbage".to_owned();
            copy.edit(KILL_MATRIX, "garbage           KK", "garbage           CK");
        },
        complaints: &[(Code::C6, "syn-0001-word", "no mutant gets it wrong")],
    },
    Provocation {
        done: |_, table| table.mutants[0].name = "skip-words".to_owned(),
        complaints: &[(Code::S1, KILL_MATRIX, "not of these cases and mutants")],
    },
    Provocation {
        done: |copy, _| copy.edit(KILL_MATRIX, "ok-plain          ..\n", ""),
        complaints: &[(Code::S1, KILL_MATRIX, "not of these cases and mutants")],
    },
    Provocation {
        done: |_, table| table.mutants.clear(),
        complaints: &[(Code::T3, "crates/tolerant", "not one mutant")],
    },
    Provocation {
        done: |copy, _| copy.remove("snapshots/reports/controls/ctl-0001-number.snap"),
        complaints: &[(Code::S1, "ctl-0001-number", "is missing")],
    },
    Provocation {
        done: |copy, _| copy.remove("snapshots/traceability.md"),
        complaints: &[(Code::S1, "snapshots/traceability.md", "the table is missing")],
    },
    Provocation {
        done: |copy, _| copy.edit("corpus/case.schema.json", "\"title\"", "\"heading\""),
        complaints: &[(Code::S1, "corpus/case.schema.json", "not fresh")],
    },
    Provocation {
        done: |copy, _| copy.write("snapshots/reports/controls/ctl-0009-gone.snap", "a report\n"),
        complaints: &[(Code::S2, "ctl-0009-gone", "the report of no case")],
    },
    Provocation {
        done: |copy, _| {
            copy.write("snapshots/reports/controls/ctl-0001-number.snap.new", "a report\n");
        },
        complaints: &[(
            Code::S2,
            "snapshots/reports/controls/ctl-0001-number.snap.new",
            "waits for a review",
        )],
    },
    Provocation {
        done: |copy, _| copy.write(FIXTURE, "fn main() {}\n"),
        complaints: &[(Code::T2, FIXTURE, "no `//!`")],
    },
    Provocation {
        done: |copy, _| copy.write(FIXTURE, &"//! A server.\n".repeat(41)),
        complaints: &[(Code::T2, FIXTURE, "41 lines")],
    },
    Provocation {
        done: |copy, _| copy.write(FIXTURE, "//! TODO: what it does.\n"),
        complaints: &[(Code::T2, FIXTURE, "not written yet")],
    },
    Provocation {
        done: |copy, _| copy.write("xtask/src/a.rs", concat!("//! A module.\n#[ig", "nore]\n")),
        complaints: &[(Code::T2, "xtask/src/a.rs", "holds `")],
    },
    Provocation {
        done: |copy, _| {
            copy.write("crates/a/tests/b.rs", concat!("//! A test.\nfn f() { sleep", "(); }\n"));
        },
        complaints: &[(Code::T2, "crates/a/tests/b.rs", "a test sleeps")],
    },
    Provocation {
        done: |copy, _| copy.write("crates/a/tests/b/c.rs", "//! A test.\n"),
        complaints: &[(Code::T2, "crates/a/tests/b/c.rs", "never runs")],
    },
    Provocation {
        done: |copy, _| {
            copy.remove("corpus/controls/ctl-0001-number");
            copy.remove("snapshots/reports/controls");
        },
        complaints: &[
            (Code::R5, "layer 2", "no clean control of JSON"),
            (Code::S1, KILL_MATRIX, "not of these cases and mutants"),
            (Code::T3, "controls", "not one case"),
        ],
    },
    Provocation {
        done: |copy, _| copy.remove("corpus/controls"),
        complaints: &[
            (Code::R5, "layer 2", "no clean control of JSON"),
            (Code::S1, KILL_MATRIX, "not of these cases and mutants"),
            (Code::S2, "ctl-0001-number", "the report of no case"),
            (Code::T3, "controls", "cannot be read"),
        ],
    },
    Provocation {
        done: |copy, _| copy.remove("fixture-servers"),
        complaints: &[
            (Code::R2, "garbage", "no fixture"),
            (Code::R2, "ok-plain", "no fixture"),
            (Code::T3, "crates, corpus, fixture-servers, snapshots, xtask", "not one source file"),
            (Code::T3, "fixture-servers/src/bin", "not one fixture"),
        ],
    },
];

/// Puts another oracle into a case.
fn expect(copy: &Copy, case: &str, oracle: &str) {
    let text = copy.read(case);
    let (before, _) = text.split_once("\"expect\":").expect("a case has an oracle");
    copy.write(case, &format!("{before}\"expect\":{oracle}}}"));
}

fn shown(complaints: &[Complaint]) -> String {
    complaints.iter().map(|complaint| format!("\n  {complaint}")).collect()
}

#[test]
fn nothing_is_missing_in_the_minimal_workspace() {
    let (copy, table) = minimal();
    let complaints = check::run(&copy.workspace, &table);
    assert!(complaints.is_empty(), "{}", shown(&complaints));
}

#[test]
fn each_provocation_leads_to_exactly_its_complaints() {
    for (number, provocation) in PROVOCATIONS.iter().enumerate() {
        let (copy, mut table) = minimal();
        (provocation.done)(&copy, &mut table);
        let complaints = check::run(&copy.workspace, &table);
        let matches = complaints.len() == provocation.complaints.len()
            && complaints.iter().zip(provocation.complaints).all(|(got, (code, place, text))| {
                got.code == *code && got.place == *place && got.text.contains(text)
            });
        assert!(
            matches,
            "provocation {number}: wanted {:?}, got{}",
            provocation.complaints,
            shown(&complaints)
        );
        assert!(complaints.iter().all(|complaint| !complaint.mend.is_empty()));
    }
}

#[test]
fn every_code_is_provoked() {
    let provoked: BTreeSet<Code> = PROVOCATIONS
        .iter()
        .flat_map(|provocation| provocation.complaints)
        .map(|(code, _, _)| *code)
        .collect();
    assert_eq!(provoked, Code::ALL.iter().copied().collect());
}

#[test]
fn all_complaints_come_at_once_and_sorted() {
    let (copy, table) = minimal();
    copy.remove("snapshots/fixtures.md");
    expect(&copy, INCIDENT, "\"TODO\"");
    copy.edit(CONTROL, "\"schema\":1", "\"schema\":2");
    copy.edit(SYNTHETIC, "\"title\"", "\"name\"");
    let complaints = check::run(&copy.workspace, &table);
    let places: Vec<(Code, &str)> =
        complaints.iter().map(|complaint| (complaint.code, complaint.place.as_str())).collect();
    assert_eq!(
        places,
        [
            (Code::R3, "invalid-json"),
            (Code::C1, "ctl-0001-number"),
            (Code::C1, "inc-0001-greeting"),
            (Code::C1, "syn-0001-word"),
            (Code::S1, "snapshots/fixtures.md"),
        ]
    );
    assert_eq!(
        complaints[2].to_string(),
        "C1 inc-0001-greeting: expect is TODO; say what must be found"
    );
}

#[test]
fn nothing_is_missing_in_this_workspace() {
    let complaints = check::run(&Workspace::here(), &RuleTable::of_the_catalogue());
    assert!(complaints.is_empty(), "{}", shown(&complaints));
}

/// The first, the middle and the last entry of a directory.
fn samples(copy: &Copy, directory: &str) -> BTreeSet<String> {
    let mut names: Vec<String> = std::fs::read_dir(copy.path(directory))
        .expect("the directory is there")
        .map(|entry| entry.expect("an entry can be read").file_name().display().to_string())
        .collect();
    names.sort();
    [0, names.len() / 2, names.len() - 1].into_iter().map(|at| names[at].clone()).collect()
}

#[test]
fn whatever_is_deleted_from_this_workspace_is_named() {
    let copy = Copy::of_this_workspace();
    let before = copy.complaints();
    for directory in [
        "corpus/incidents",
        "corpus/synthetic",
        "corpus/controls",
        "corpus/recordings",
        "fixture-servers/src/bin",
        "snapshots/reports/recordings",
        "snapshots/reports/incidents",
    ] {
        // A few at a time, to load the corpus only so often.
        let names = samples(&copy, directory);
        for name in &names {
            copy.set_aside(&format!("{directory}/{name}"));
        }
        let new = new_complaints(&copy, &before);
        for name in &names {
            let id = name.trim_end_matches(".rs").trim_end_matches(".snap");
            let id = id.trim_end_matches(".json");
            let named = new.iter().any(|complaint| complaint.place == id);
            assert!(named, "{directory}/{name} was deleted:{}", shown(&new));
            copy.bring_back(&format!("{directory}/{name}"));
        }
    }
    assert_eq!(new_complaints(&copy, &before), []);
}

/// The complaints that were not there before.
fn new_complaints(copy: &Copy, before: &[Complaint]) -> Vec<Complaint> {
    copy.complaints().into_iter().filter(|complaint| !before.contains(complaint)).collect()
}

#[test]
fn a_deleted_row_of_the_catalogue_is_named() {
    let (copy, _) = minimal();
    let whole = RuleTable::of_the_catalogue();
    for (at, id) in whole.ids.iter().enumerate() {
        let mut table = whole.clone();
        table.rows.remove(at);
        let complaints = check::run(&copy.workspace, &table);
        let named =
            |complaint: &Complaint| complaint.code == Code::R1 && complaint.place == id.name();
        assert!(complaints.iter().any(named), "{id}");
    }
}
