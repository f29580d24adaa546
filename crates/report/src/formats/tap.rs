//! The format `tap`: version 14 of the Test Anything Protocol, a test point for each session.
//!
//! A session that proved nothing is `not ok`: a directive (SKIP, TODO) would read as green.

use std::fmt::Write as _;

use super::named;
use crate::evidence::{Evidence, FindingEvidence, VerdictName};
use crate::report::Report;
use crate::story;

/// Writes the report.
pub(crate) fn render(report: &Report) -> String {
    let sessions = named(report);
    let mut out = format!("TAP version 14\n1..{}\n", sessions.len());
    for (index, (name, evidence)) in sessions.iter().enumerate() {
        let result = if evidence.verdict == VerdictName::ValidStdout { "ok" } else { "not ok" };
        let point = format!("{result} {} - {}\n", index + 1, description(name));
        out.push_str(&point);
        diagnosis(&mut out, evidence);
    }
    out
}

/// A `#` would begin a directive, and a backslash an escape.
fn description(name: &str) -> String {
    name.replace('\\', "\\\\").replace('#', "\\#")
}

/// The YAML block. Every text in it is a JSON string, which is YAML on one line.
fn diagnosis(out: &mut String, evidence: &Evidence) {
    let outcome = story::outcome(evidence);
    out.push_str("  ---\n");
    member(out, "classification", evidence.classification.name());
    member(out, "message", &outcome.title);
    if let Some(violation) = &evidence.first_violation {
        finding(out, violation);
    }
    if let Some(help) = outcome.first(story::Label::Help) {
        member(out, "help", help);
    }
    for advice in &evidence.advice {
        let name = format!("advice-{}", advice.finding.rule);
        member(out, &name, &format!("{} times, first at {}", advice.count, advice.finding.place()));
    }
    out.push_str("  ...\n");
}

fn finding(out: &mut String, finding: &FindingEvidence) {
    let mut number = |name: &str, number: Option<u64>| {
        if let Some(number) = number {
            writeln!(out, "  {name}: {number}").expect("a String takes every write");
        }
    };
    number("frame", finding.frame);
    number("byte_in_frame", finding.byte_in_frame);
    number("byte_in_stream", Some(finding.byte_in_stream));
    member(out, "phase", finding.phase.name());
    if let Some(excerpt) = &finding.excerpt {
        member(out, "excerpt", &excerpt.marked(crate::Charset::Unicode).0);
    }
}

fn member(out: &mut String, name: &str, text: &str) {
    let text = serde_json::to_string(text).expect("a string can be written");
    writeln!(out, "  {name}: {text}").expect("a String takes every write");
}
