//! Comparing a verdict with what a person says must be found, both ways.

use model::{Detail, Outcome, PlanStep, ProtocolVersion, Verdict};

use crate::format::{AdviceExpectation, CaseFile, Expectation, Oracle, Violation};
use crate::load::Case;
use crate::script::{ScriptStep, Send};

/// The expectation that holds for a revision: of the entries whose key covers it, the
/// narrowest. Keys are `all`, a revision, or `FIRST..LAST`. A session that begins with
/// `initialize` is none of a revision without a handshake, whatever the key says.
#[must_use]
pub fn expectation_for(case: &CaseFile, version: ProtocolVersion) -> Option<&Expectation> {
    let Oracle::ByRevision(expect) = &case.expect else { return None };
    if begins_with_handshake(case) && !version.has_handshake() {
        return None;
    }
    let width = |key: &str| -> Option<usize> {
        if key == "all" {
            return Some(ProtocolVersion::ALL.len());
        }
        let (first, last) = key.split_once("..").unwrap_or((key, key));
        let (first, last): (ProtocolVersion, ProtocolVersion) =
            (first.parse().ok()?, last.parse().ok()?);
        (first..=last)
            .contains(&version)
            .then(|| ProtocolVersion::ALL.iter().filter(|v| (first..=last).contains(*v)).count())
    };
    expect
        .iter()
        .filter_map(|(key, expectation)| Some((width(key)?, expectation)))
        .min_by_key(|(width, _)| *width)
        .map(|(_, expectation)| expectation)
}

fn begins_with_handshake(case: &CaseFile) -> bool {
    let initialize = PlanStep::Initialize.to_string();
    let sends = |step: &ScriptStep| match step {
        ScriptStep::Send(Send::Step(name)) => *name == initialize,
        ScriptStep::Send(Send::Message(message)) => message.method == initialize,
        _ => false,
    };
    case.script.as_ref().is_some_and(|script| script.iter().any(sends))
}

/// The revision by which a case is shown to readers: the newest with a handshake if the oracle
/// covers it, else the newest that it covers.
#[must_use]
pub fn revision_shown(case: &CaseFile) -> ProtocolVersion {
    let preferred = ProtocolVersion::NEWEST_WITH_HANDSHAKE;
    let newest_first = ProtocolVersion::ALL.into_iter().rev();
    [preferred]
        .into_iter()
        .chain(newest_first)
        .find(|version| expectation_for(case, *version).is_some())
        .unwrap_or(preferred)
}

/// The revision that the server of a case speaks: the one that its stdout names, if the oracle
/// covers it, else the one by which the case is shown.
#[must_use]
pub fn spoken_revision(case: &Case) -> ProtocolVersion {
    // The first reply is what names it, and a case may stand for megabytes.
    let head = &case.stdout[..case.stdout.len().min(MAX_HEAD)];
    let negotiated = head.split(|byte| *byte == b'\n').find_map(negotiated);
    // What is no message may still be read by somebody.
    let names = |version: &ProtocolVersion| {
        let said = format!("\"protocolVersion\":\"{version}\"");
        head.windows(said.len()).any(|window| window == said.as_bytes())
    };
    let covered = |version: &ProtocolVersion| expectation_for(&case.file, *version).is_some();
    let named = negotiated.or_else(|| ProtocolVersion::ALL.into_iter().find(names)).filter(covered);
    named.unwrap_or_else(|| revision_shown(&case.file))
}

/// The revision that a line negotiates, if it is an initialize result.
fn negotiated(line: &[u8]) -> Option<ProtocolVersion> {
    let message: serde_json::Value = serde_json::from_slice(line).ok()?;
    message.pointer("/result/protocolVersion")?.as_str()?.parse().ok()
}

/// How far the revision is looked for.
const MAX_HEAD: usize = 64 * 1024;

/// Everything in which a verdict differs from the oracle; empty when they agree.
#[must_use]
pub fn compare(expected: &Expectation, verdict: &Verdict) -> Vec<String> {
    let mut differences = Vec::new();
    match (expected, &verdict.outcome) {
        (Expectation::Violation(violation), Outcome::Violation(finding)) => {
            compare_violation(violation, finding, verdict.accepted, &mut differences);
        }
        (Expectation::Clean(_), Outcome::ValidStdout) => {}
        (Expectation::Stuck(stuck), Outcome::Inconclusive(reason)) => {
            differ("reason", &stuck.reason.as_str(), &reason.name(), &mut differences);
        }
        (_, outcome) => {
            differences.push(format!(
                "outcome: expected {}, got {}",
                name(expected),
                describe(outcome)
            ));
        }
    }
    let got: Vec<AdviceExpectation> = verdict
        .advice
        .iter()
        .map(|advice| AdviceExpectation {
            rule: advice.finding.rule.name().to_owned(),
            frame: advice.finding.position.frame().map(|frame| frame.0),
            byte: advice.finding.position.byte().map(|byte| byte.0),
            count: advice.count,
        })
        .collect();
    if got != expected.advice() {
        differences.push(format!("advice: expected {:?}, got {got:?}", expected.advice()));
    }
    differences
}

fn compare_violation(
    expected: &Violation,
    finding: &model::Finding,
    accepted: u64,
    differences: &mut Vec<String>,
) {
    let position = finding.position;
    differ("rule", &expected.rule.as_str(), &finding.rule.name(), differences);
    differ("frame", &expected.frame, &position.frame().map(|frame| frame.0), differences);
    differ("byte", &expected.byte, &position.byte().map(|byte| byte.0), differences);
    differ("byte_in_stream", &expected.byte_in_stream, &position.stream().0, differences);
    differ("clean_before", &expected.clean_before, &accepted, differences);
    if let Some(phases) = &expected.phase
        && !phases.values().iter().any(|phase| phase == finding.phase.name())
    {
        differences.push(format!("phase: expected {:?}, got {}", phases.values(), finding.phase));
    }
    let pending = finding.pending.as_ref().map(|request| request.method.as_ref());
    differ("pending", &expected.pending.as_deref(), &pending, differences);
    let (end, partial_bytes) = match finding.detail {
        Detail::Tail { end, partial_bytes } => (Some(end.name()), Some(partial_bytes)),
        _ => (None, None),
    };
    differ("end", &expected.end.as_deref(), &end, differences);
    differ("partial_bytes", &expected.partial_bytes, &partial_bytes, differences);
}

fn differ<T: PartialEq + std::fmt::Debug>(
    what: &str,
    expected: &T,
    got: &T,
    differences: &mut Vec<String>,
) {
    if expected != got {
        differences.push(format!("{what}: expected {expected:?}, got {got:?}"));
    }
}

fn name(expectation: &Expectation) -> String {
    match expectation {
        Expectation::Violation(violation) => format!("violation of {}", violation.rule),
        Expectation::Clean(_) => "valid-stdout".to_owned(),
        Expectation::Stuck(stuck) => format!("inconclusive ({})", stuck.reason),
    }
}

fn describe(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Violation(finding) => {
            format!("violation of {} at {:?}", finding.rule, finding.position)
        }
        Outcome::ValidStdout => "valid-stdout".to_owned(),
        Outcome::Inconclusive(reason) => format!("inconclusive ({})", reason.name()),
    }
}
