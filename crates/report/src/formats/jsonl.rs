//! The format `jsonl`: one JSON object a line, an event each, the verdict of a session last.

use serde::Serialize;

use super::named;
use crate::evidence::{
    AdviceEvidence, Classification, EventEvidence, Evidence, FindingEvidence, SCHEMA_VERSION,
    VerdictName,
};
use crate::report::Report;

/// One line.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Line<'a> {
    /// A session begins.
    Session { schema_version: u32, session: &'a str, command: &'a Option<Vec<crate::SafeText>> },
    /// Something happened in it.
    Event {
        session: &'a str,
        #[serde(flatten)]
        event: &'a EventEvidence,
    },
    /// A rule was met that does not fail it.
    Advice {
        session: &'a str,
        #[serde(flatten)]
        advice: &'a AdviceEvidence,
    },
    /// The first violation.
    Violation {
        session: &'a str,
        #[serde(flatten)]
        violation: &'a FindingEvidence,
    },
    /// The session has ended.
    Verdict {
        session: &'a str,
        verdict: VerdictName,
        classification: Classification,
        reason: Option<&'static str>,
    },
}

/// Writes the report.
pub(crate) fn render(report: &Report) -> String {
    let mut out = String::new();
    for (name, evidence) in named(report) {
        session(&mut out, name, evidence);
    }
    out
}

fn session(out: &mut String, session: &str, evidence: &Evidence) {
    line(
        out,
        &Line::Session { schema_version: SCHEMA_VERSION, session, command: &evidence.command },
    );
    for event in &evidence.events {
        line(out, &Line::Event { session, event });
    }
    for advice in &evidence.advice {
        line(out, &Line::Advice { session, advice });
    }
    if let Some(violation) = &evidence.first_violation {
        line(out, &Line::Violation { session, violation });
    }
    line(
        out,
        &Line::Verdict {
            session,
            verdict: evidence.verdict,
            classification: evidence.classification,
            reason: evidence.reason,
        },
    );
}

fn line(out: &mut String, line: &Line<'_>) {
    let text = serde_json::to_string(line).expect("a line holds only strings, numbers and lists");
    out.push_str(&text);
    out.push('\n');
}
