//! Complaints about rules, and about the fixtures and cases that show them.
//!
//! Everything here is found by name: no list of fixtures or cases is kept that could go stale.

use std::collections::BTreeSet;

use corpus::{Case, Expectation, Family, Loaded, Oracle, expectation_for};
use model::{Layer, ProtocolVersion, Rule, RuleId, catalogue};

use super::{Code, Complaint, MutantRow};
use crate::Workspace;
use crate::workspace::{name, sorted, stem};

/// What a name begins with whose fixture makes no mistake.
pub(crate) const CONTROL_PREFIX: &str = "ok-";

/// By which tags a control says that a layer is what it controls.
const CONTROLLED_BY: &[(Layer, &[&str])] = &[
    (Layer::Framing, &["size", "newline", "blanks", "carriage-return", "unicode", "chunks"]),
    (Layer::Json, &["escapes", "strings", "numbers", "depth", "duplicate-keys"]),
    (Layer::JsonRpc, &["members", "batch", "errors", "ids"]),
    (Layer::Mcp, &["schema"]),
    (Layer::Lifecycle, &["correlation", "order", "server-requests", "shutdown", "exit", "stderr"]),
];

/// The rules that there are, their rows in the catalogue, and the mutants of the detector. A
/// parameter, so that tests can have others than this build.
#[derive(Clone, Debug)]
pub struct RuleTable {
    /// The identities.
    pub ids: Vec<RuleId>,
    /// The rows.
    pub rows: Vec<Rule>,
    /// The mutants.
    pub mutants: Vec<MutantRow>,
}

impl RuleTable {
    /// The rules of the catalogue.
    #[must_use]
    pub fn of_the_catalogue() -> Self {
        Self {
            ids: RuleId::ALL.to_vec(),
            rows: catalogue().rules().copied().collect(),
            mutants: MutantRow::all(),
        }
    }

    pub(super) fn has(&self, rule: &str) -> bool {
        self.ids.iter().any(|id| id.name() == rule)
    }
}

pub(super) fn check(
    workspace: &Workspace,
    loaded: &Loaded,
    table: &RuleTable,
    complaints: &mut Vec<Complaint>,
) {
    rows(table, complaints);
    for rule in &table.ids {
        shown(*rule, &loaded.cases, complaints);
    }
    controls(&loaded.cases, table, complaints);
    fixtures(workspace, loaded, complaints);
    if table.ids.is_empty() {
        complaints.push(Complaint::new(Code::T3, "the catalogue", "no rule", "bring them back"));
    }
}

fn rows(table: &RuleTable, complaints: &mut Vec<Complaint>) {
    for id in &table.ids {
        if !table.rows.iter().any(|row| row.id == *id) {
            complaints.push(Complaint::new(
                Code::R1,
                id.name(),
                "it has no row in the catalogue",
                "write it, in crates/model/src/catalogue",
            ));
        }
    }
    for row in &table.rows {
        let texts = [
            ("spec.section", row.spec.section),
            ("spec.quote", row.spec.quote),
            ("summary", row.summary),
            ("explanation", row.explanation),
            ("clients", row.clients),
            ("mend", row.mend),
        ];
        for (field, text) in texts {
            if text.trim().is_empty() || text.contains("TODO") {
                complaints.push(Complaint::new(
                    Code::R1,
                    row.id.name(),
                    format!("its row has no {field}"),
                    "write it, in crates/model/src/catalogue",
                ));
            }
        }
    }
}

/// The rules that a case expects, violated or advised.
fn rules_of(case: &Case) -> BTreeSet<&str> {
    let Oracle::ByRevision(expect) = &case.file.expect else { return BTreeSet::new() };
    let named = expect.values().flat_map(|expectation| {
        let violated = match expectation {
            Expectation::Violation(violation) => Some(violation.rule.as_str()),
            Expectation::Clean(_) | Expectation::Stuck(_) => None,
        };
        expectation.advice().iter().map(|advice| advice.rule.as_str()).chain(violated)
    });
    named.collect()
}

fn shown(rule: RuleId, cases: &[Case], complaints: &mut Vec<Complaint>) {
    let name = rule.name();
    let showing = cases.iter().filter(|case| rules_of(case).contains(name));
    let (recordings, others): (Vec<_>, Vec<_>) =
        showing.partition(|case| case.family == Some(Family::Recordings));
    if recordings.is_empty() {
        complaints.push(Complaint::new(
            Code::R2,
            name,
            "no fixture shows it",
            format!("`cargo xtask new-fixture NAME --expect {name}`"),
        ));
    }
    if others.is_empty() {
        complaints.push(Complaint::new(
            Code::R3,
            name,
            "no case but a recording shows it",
            "`cargo xtask new-incident`, or a case of your own in corpus/synthetic",
        ));
    }
}

/// A clean case without advice, whatever the revision.
fn is_clean(case: &Case) -> bool {
    let mut expected = ProtocolVersion::ALL
        .into_iter()
        .filter_map(|version| expectation_for(&case.file, version))
        .peekable();
    expected.peek().is_some()
        && expected.all(|expectation| {
            matches!(expectation, Expectation::Clean(clean) if clean.advice.is_empty())
        })
}

fn controls(cases: &[Case], table: &RuleTable, complaints: &mut Vec<Complaint>) {
    for (layer, tags) in CONTROLLED_BY {
        let has_rules = table.rows.iter().any(|row| row.layer == *layer);
        let controlled = cases
            .iter()
            .filter(|case| case.family == Some(Family::Controls) && is_clean(case))
            .any(|case| case.file.tags.iter().any(|tag| tags.contains(&tag.as_str())));
        if has_rules && !controlled {
            complaints.push(Complaint::new(
                Code::R5,
                format!("layer {}", layer.number()),
                format!("no clean control of {} is tagged {}", layer.name(), tags.join(", ")),
                "add one to corpus/controls",
            ));
        }
    }
}

/// The names of the fixture servers.
pub(crate) fn fixture_names(workspace: &Workspace) -> std::io::Result<BTreeSet<String>> {
    Ok(sorted(&workspace.fixtures())?.iter().map(|path| stem(path)).collect())
}

fn fixtures(workspace: &Workspace, loaded: &Loaded, complaints: &mut Vec<Complaint>) {
    let mut complain = |place: &str, text: &str, mend: &str| {
        complaints.push(Complaint::new(Code::R2, place, text, mend));
    };
    let fixtures = fixture_names(workspace).unwrap_or_default();
    let recordings: Vec<&Case> =
        loaded.cases.iter().filter(|case| case.family == Some(Family::Recordings)).collect();
    let mut recorded: BTreeSet<String> =
        recordings.iter().map(|case| case.file.id.clone()).collect();
    // What is there and cannot be read has its complaint already.
    recorded.extend(loaded.errors.iter().filter_map(|error| error.path().parent().map(name)));
    for fixture in fixtures.difference(&recorded) {
        complain(fixture, "the fixture has no recording", "write its case.json, or remove it");
    }
    for case in recordings {
        let id = case.file.id.as_str();
        if !fixtures.contains(id) {
            complain(id, "the recording has no fixture", "bring it back, or drop the recording");
        }
        let violates = expectation_for(&case.file, ProtocolVersion::NEWEST_WITH_HANDSHAKE)
            .is_some_and(|expectation| matches!(expectation, Expectation::Violation(_)));
        if id.starts_with(CONTROL_PREFIX) && violates {
            complain(id, "a control makes a mistake", "rename it, or say what it does right");
        }
        let stated = matches!(case.file.expect, Oracle::ByRevision(_));
        if !id.starts_with(CONTROL_PREFIX) && stated && rules_of(case).is_empty() {
            complain(id, "the fixture shows no rule", "name it ok-…, or say which rule it breaks");
        }
    }
    if fixtures.is_empty() {
        complaints.push(Complaint::new(
            Code::T3,
            "fixture-servers/src/bin",
            "not one fixture was found",
            "bring them back: nothing found is never green",
        ));
    }
}
