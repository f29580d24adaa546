//! Tables made by replay: what each fixture leads to.

use corpus::{Chunking, Family, load_all, replay, rule_set};
use inspect::Inspector;
use model::{Outcome, ProtocolVersion, Verdict};

use super::Generated;
use crate::Complaints;
use crate::workspace::root;

const HEADER: &str = "# What each fixture server leads to

Made by `cargo xtask regen` from the recordings; do not edit. The oracle is each recording's
`case.json`.

| fixture | verdict | frame | byte | phase | advice |
|---|---|---|---|---|---|
";

pub(crate) fn generate(complaints: &mut Complaints) -> Vec<Generated> {
    let cases = match load_all(&root().join("corpus")) {
        Ok(cases) => cases,
        Err(errors) => {
            complaints.extend(errors.iter().map(ToString::to_string));
            return Vec::new();
        }
    };
    let mut table = HEADER.to_owned();
    for case in cases.iter().filter(|case| case.family == Some(Family::Recordings)) {
        let rules = rule_set(case, Some(ProtocolVersion::NEWEST_WITH_HANDSHAKE));
        match replay(case, Chunking::AsScripted, Box::new(Inspector::new(rules))) {
            Ok(verdict) => table.push_str(&row(&case.file.id, &verdict)),
            Err(error) => complaints.push(format!("{}: {error}", case.file.id)),
        }
    }
    vec![Generated { path: root().join("snapshots/fixtures.md"), bytes: table.into_bytes() }]
}

fn row(id: &str, verdict: &Verdict) -> String {
    let number = |number: Option<u64>| number.map_or("–".to_owned(), |number| number.to_string());
    let (name, frame, byte, phase) = match &verdict.outcome {
        Outcome::Violation(finding) => (
            finding.rule.name().to_owned(),
            number(finding.position.frame().map(|frame| frame.0)),
            number(finding.position.byte().map(|byte| byte.0)),
            finding.phase.name(),
        ),
        Outcome::ValidStdout => ("valid-stdout".to_owned(), number(None), number(None), "–"),
        Outcome::Inconclusive(reason) => {
            (format!("inconclusive ({})", reason.name()), number(None), number(None), "–")
        }
    };
    let advice: Vec<&str> =
        verdict.advice.iter().map(|advice| advice.finding.rule.name()).collect();
    let advice = if advice.is_empty() { "–".to_owned() } else { advice.join(", ") };
    format!("| {id} | {name} | {frame} | {byte} | {phase} | {advice} |\n")
}
