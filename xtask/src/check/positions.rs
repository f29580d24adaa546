//! Complaints about oracles: names that are nothing's, numbers that do not name one place.

use corpus::{Case, Expectation, Oracle, Violation, expectation_for};
use model::{Phase, ProtocolVersion};

use super::Code;
use super::cases::Complainer;
use super::rules::RuleTable;
use crate::frames::Frames;

const COUNT_AGAIN: &str = "count again";

pub(super) fn check(case: &Case, table: &RuleTable, complainer: &mut Complainer<'_>) {
    let Oracle::ByRevision(expect) = &case.file.expect else { return };
    let covered = |version: &ProtocolVersion| expectation_for(&case.file, *version).is_some();
    if !ProtocolVersion::ALL.iter().any(covered) {
        complainer.say(
            Code::C1,
            "expect covers no revision",
            "its keys are `all`, a revision, or FIRST..LAST",
        );
    }
    let frames = Frames::of(&case.stdout);
    for expectation in expect.values() {
        let violated = match expectation {
            Expectation::Violation(violation) => {
                violation_stands(violation, &frames, complainer);
                Some(violation.rule.as_str())
            }
            Expectation::Clean(_) | Expectation::Stuck(_) => None,
        };
        for advice in expectation.advice() {
            let stands = match (advice.frame, advice.byte) {
                (None, None) => true,
                (Some(frame), Some(byte)) => frames.offset(frame, byte).is_some(),
                _ => false,
            };
            if !stands {
                let text = format!("the advice {} names no byte of a frame", advice.rule);
                complainer.say(Code::C3, text, COUNT_AGAIN);
            }
        }
        let advised = expectation.advice().iter().map(|advice| advice.rule.as_str());
        for rule in advised.chain(violated).filter(|rule| !table.has(rule)) {
            complainer.say(
                Code::C1,
                format!("no rule is named {rule}"),
                "`mcp-stdio-probe rules` lists them",
            );
        }
    }
}

fn violation_stands(violation: &Violation, frames: &Frames<'_>, complainer: &mut Complainer<'_>) {
    for phase in violation.phase.iter().flat_map(corpus::OneOrMany::values) {
        if phase.parse::<Phase>().is_err() {
            let all: Vec<_> = Phase::ALL.iter().map(|phase| phase.name()).collect();
            complainer.say(
                Code::C1,
                format!("no phase is named {phase}"),
                format!("the phases are {}", all.join(", ")),
            );
        }
    }
    let stands = match (violation.frame, violation.byte) {
        (None, None) => violation.byte_in_stream <= frames.len(),
        (Some(frame), Some(byte)) => frames.offset(frame, byte) == Some(violation.byte_in_stream),
        _ => false,
    };
    if !stands {
        complainer.say(
            Code::C3,
            "frame, byte and byte_in_stream do not name the same place",
            COUNT_AGAIN,
        );
    }
    if violation.partial_bytes.is_some() && violation.partial_bytes != violation.byte {
        complainer.say(Code::C3, "byte is not the length of the tail, partial_bytes", COUNT_AGAIN);
    }
}
