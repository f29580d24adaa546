//! How a session came out differently from the plain one.
//!
//! What sessions of different scenarios must differ in (counts, times) is not compared: only
//! what a server has no reason to change.

use model::ExitStatus;

use crate::evidence::{Evidence, FindingEvidence};
use crate::safe::SafeText;

/// Something in which a session differs from the plain one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Difference {
    /// What differs: `classification`, `position`, `protocol`, `advice` or `exit_status`.
    pub what: &'static str,
    /// How it is in the plain session.
    pub plain: SafeText,
    /// How it is in this one.
    pub here: SafeText,
}

type Aspect = (&'static str, fn(&Evidence) -> String);

const ASPECTS: &[Aspect] = &[
    ("classification", classification),
    ("position", position),
    ("protocol", protocol),
    ("advice", advice),
    ("exit_status", exit_status),
];

/// How `here` differs from `plain`.
pub(super) fn between(plain: &Evidence, here: &Evidence) -> Vec<Difference> {
    let differences = ASPECTS.iter().filter_map(|(what, of)| {
        let (plain, here) = (of(plain), of(here));
        (plain != here).then(|| Difference {
            what,
            plain: SafeText::vouched(plain),
            here: SafeText::vouched(here),
        })
    });
    differences.collect()
}

fn classification(evidence: &Evidence) -> String {
    match evidence.reason {
        Some(reason) => format!("inconclusive ({reason})"),
        None => evidence.classification.name().to_owned(),
    }
}

fn position(evidence: &Evidence) -> String {
    evidence.first_violation.as_ref().map_or_else(|| NONE.to_owned(), FindingEvidence::place)
}

fn protocol(evidence: &Evidence) -> String {
    evidence.protocol.map_or(NONE, |version| version.name()).to_owned()
}

fn advice(evidence: &Evidence) -> String {
    let rules: Vec<&str> =
        evidence.advice.iter().map(|advice| advice.finding.rule.name()).collect();
    if rules.is_empty() { NONE.to_owned() } else { rules.join(", ") }
}

fn exit_status(evidence: &Evidence) -> String {
    match evidence.exit_status {
        None => "unknown".to_owned(),
        Some(ExitStatus::Code(code)) => format!("code {code}"),
        Some(ExitStatus::Signal(signal)) => format!("signal {signal}"),
    }
}

const NONE: &str = "none";
