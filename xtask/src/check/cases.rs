//! Complaints about rules, fixtures and cases.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use corpus::{
    Case, Chunking, Expectation, Family, Oracle, Origin, Violation, events, expectation_for,
};
use model::{ProtocolVersion, RuleId};

use crate::Complaints;
use crate::workspace::{entries, name};

/// Rules that no server can be made to break in an ordinary session: a synthetic case stands in
/// for their fixture.
const WITHOUT_FIXTURE: &[(RuleId, &str)] =
    &[(RuleId::ExitWhileIdle, "in lockstep a request is always pending until stdin is closed")];

pub(super) fn check(root: &Path, cases: &[Case], complaints: &mut Complaints) {
    let mut ids: BTreeMap<&str, &Path> = BTreeMap::new();
    for case in cases {
        let id = case.file.id.as_str();
        if let Some(other) = ids.insert(id, &case.path) {
            complaints
                .push(format!("C1 {id}: {} has this id too; choose another", other.display()));
        }
        one(case, complaints);
    }
    same_bytes(cases, complaints);
    rules_have_cases(cases, complaints);
    fixtures_have_recordings(root, cases, complaints);
}

fn one(case: &Case, complaints: &mut Complaints) {
    let id = case.file.id.as_str();
    let mut complain = |code: &str, text: &str| complaints.push(format!("{code} {id}: {text}"));
    if name(&case.path) != id {
        complain("C1", "the id is not the directory's name; rename one of them");
    }
    if case.file.schema != 1 {
        complain("C1", "unknown version of the format; write \"schema\": 1");
    }
    for (field, text) in [("title", &case.file.title), ("why", &case.file.why)] {
        if text.trim().is_empty() || text.contains("TODO") {
            complain("C1", &format!("{field} is not written; edit case.json"));
        }
    }
    if let Err(error) = events(case, Chunking::AsScripted) {
        complain("C2", &format!("{error}; edit the script"));
    }
    let right = match (case.family, &case.file.origin) {
        (Some(Family::Recordings), Origin::Fixture)
        | (Some(Family::Synthetic), Origin::Synthetic)
        | (Some(Family::Controls), Origin::Control) => true,
        (Some(Family::Incidents), Origin::Incident { url, .. }) => url.starts_with("https://"),
        _ => false,
    };
    if !right {
        complain("C4", "the origin does not fit the directory, or an incident has no https URL");
    }
    match &case.file.expect {
        Oracle::Open(_) => complain("C1", "expect is TODO; a person must say what must be found"),
        Oracle::ByRevision(expect) => {
            let judged = ProtocolVersion::ALL
                .into_iter()
                .filter(|version| expectation_for(&case.file.expect, *version).is_some());
            if judged.count() == 0 {
                complain("C1", "no key of expect is `all`, a revision, or FIRST..LAST");
            }
            for expectation in expect.values() {
                expectation_of(case, expectation, &mut complain);
            }
        }
    }
}

fn expectation_of(case: &Case, expectation: &Expectation, complain: &mut impl FnMut(&str, &str)) {
    let advice = expectation.advice().iter().map(|advice| advice.rule.as_str());
    let violation = match expectation {
        Expectation::Violation(violation) => Some(violation),
        Expectation::Clean(_) | Expectation::Stuck(_) => None,
    };
    for rule in advice.chain(violation.map(|violation| violation.rule.as_str())) {
        if rule.parse::<RuleId>().is_err() {
            complain("C1", &format!("no rule is named {rule}; `mcp-stdio-probe rules` lists them"));
        }
    }
    if let Some(violation) = violation
        && !stands_in_its_frame(case, violation)
    {
        complain("C3", "byte_in_stream, byte and frame do not name the same place; count again");
    }
}

/// Whether the three numbers of a position agree with the bytes.
fn stands_in_its_frame(case: &Case, violation: &Violation) -> bool {
    let (Some(frame), Some(byte)) = (violation.frame, violation.byte) else {
        return violation.frame.is_none()
            && violation.byte.is_none()
            && violation.byte_in_stream <= case.stdout.len() as u64;
    };
    let newlines = case.stdout.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let ends: Vec<u64> = newlines.map(|(at, _)| at as u64).collect();
    let Some(before) = frame.checked_sub(1).and_then(|before| usize::try_from(before).ok()) else {
        return false;
    };
    let start = match before {
        0 => Some(0),
        _ => ends.get(before - 1).map(|end| end + 1),
    };
    let end = ends.get(before).copied().unwrap_or(case.stdout.len() as u64);
    start.is_some_and(|start| {
        violation.byte_in_stream == start + byte && violation.byte_in_stream <= end
    })
}

fn same_bytes(cases: &[Case], complaints: &mut Complaints) {
    let mut seen: BTreeMap<(&[u8], &[u8], String), &str> = BTreeMap::new();
    for case in cases {
        let script = format!("{:?} {:?}", case.file.script, case.file.run);
        let id = case.file.id.as_str();
        // A recording belongs to its fixture, whatever else has its bytes.
        if case.family != Some(Family::Recordings)
            && let Some(other) = seen.insert((&case.stdout, &case.stderr, script), id)
        {
            complaints.push(format!("C5 {id}: {other} has the same bytes and script; drop one"));
        }
    }
}

/// The rules that a case expects, violated or advised.
fn rules_of(case: &Case) -> BTreeSet<RuleId> {
    let Oracle::ByRevision(expect) = &case.file.expect else { return BTreeSet::new() };
    let named = expect.values().flat_map(|expectation| {
        let violated = match expectation {
            Expectation::Violation(violation) => Some(violation.rule.as_str()),
            Expectation::Clean(_) | Expectation::Stuck(_) => None,
        };
        expectation.advice().iter().map(|advice| advice.rule.as_str()).chain(violated)
    });
    named.filter_map(|rule| rule.parse().ok()).collect()
}

fn rules_have_cases(cases: &[Case], complaints: &mut Complaints) {
    for rule in RuleId::ALL {
        let with = |recording: bool| {
            cases.iter().any(|case| {
                (case.family == Some(Family::Recordings)) == recording
                    && rules_of(case).contains(rule)
            })
        };
        if !with(true) && !WITHOUT_FIXTURE.iter().any(|(without, _)| without == rule) {
            complaints.push(format!("R2 {rule}: no fixture shows it; write one and its recording"));
        }
        if !with(false) {
            complaints.push(format!("R3 {rule}: no case but a recording shows it; add a case"));
        }
    }
}

fn fixtures_have_recordings(root: &Path, cases: &[Case], complaints: &mut Complaints) {
    let stem = |path: &Path| path.file_stem().map(|stem| stem.display().to_string());
    let binaries = entries(&root.join("fixture-servers/src/bin"), complaints);
    let fixtures: BTreeSet<String> = binaries.iter().filter_map(|path| stem(path)).collect();
    let recordings: BTreeSet<String> = cases
        .iter()
        .filter(|case| case.family == Some(Family::Recordings))
        .map(|case| case.file.id.clone())
        .collect();
    if fixtures.is_empty() {
        complaints.push("T3 fixture-servers/src/bin: no fixture was found".to_owned());
    }
    for fixture in fixtures.difference(&recordings) {
        complaints.push(format!("R2 {fixture}: the fixture has no recording; write its case.json"));
    }
    for recording in recordings.difference(&fixtures) {
        complaints.push(format!("R2 {recording}: the recording has no fixture; drop it"));
    }
}
