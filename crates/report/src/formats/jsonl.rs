//! The format `jsonl`: one JSON object a line, an event each, the verdict of a session last.
//!
//! Of a live session the lines are written as it goes. An event tells of sequence, time, kind,
//! length, id, method and hash, never of contents, and it is redacted like the report: a frame is
//! told when it has ended, so no secret is cut by the borders of what was read.

use std::time::Duration;

use model::Event;
use serde::Serialize;

use super::{STDOUT, named};
use crate::caps;
use crate::evidence::{
    AdviceEvidence, Classification, EventEvidence, Evidence, FindingEvidence, SCHEMA_VERSION,
    Truncation, VerdictName, arguments, redactor,
};
use crate::facts::RunFacts;
use crate::redact::Redactor;
use crate::report::{Report, SessionEvidence};
use crate::safe::SafeText;
use crate::timeline::{Happening, Reader};

/// One line.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Line<'a> {
    /// A session begins.
    Session { schema_version: u32, session: &'a str, command: &'a Option<Vec<SafeText>> },
    /// Something happened in it.
    Event {
        session: &'a str,
        #[serde(flatten)]
        event: &'a EventEvidence,
    },
    /// More happened than is told one by one.
    Truncated {
        session: &'a str,
        #[serde(flatten)]
        truncation: Truncation,
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
    end(out, session, evidence);
}

/// What is known at the end.
fn end(out: &mut String, session: &str, evidence: &Evidence) {
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

/// A live session, line by line.
pub struct EventStream {
    session: SafeText,
    command: Option<Vec<SafeText>>,
    redactor: Redactor,
    reader: Reader,
    /// Bytes on stderr that were not told yet: how they are cut carries no meaning.
    stderr: Option<(Duration, u64)>,
    /// Events that happened.
    seen: u64,
}

impl EventStream {
    /// The stream of a session of which the facts are known that hold before its launch: the
    /// command, the secrets, the calls and the places. One session of several has a name.
    #[must_use]
    pub fn new(mut facts: RunFacts, name: Option<&str>) -> Self {
        let (_, redactor) = redactor(&mut facts);
        let command = arguments(&facts, &redactor);
        let session = match name {
            Some(name) => SessionEvidence::safe_name(name),
            None => match command.iter().flatten().next() {
                Some(program) => program.clone(),
                None => SafeText::vouched(STDOUT.to_owned()),
            },
        };
        Self { session, command, redactor, reader: Reader::default(), stderr: None, seen: 0 }
    }

    /// The line with which the session begins.
    #[must_use]
    pub fn begin(&self) -> String {
        let mut out = String::new();
        let session = self.session.as_str();
        let command = &self.command;
        line(&mut out, &Line::Session { schema_version: SCHEMA_VERSION, session, command });
        out
    }

    /// The lines that an event leads to, each with its newline.
    #[must_use]
    pub fn event(&mut self, event: &Event<'_>) -> String {
        let Self { session, redactor, reader, stderr, seen, .. } = self;
        let mut out = String::new();
        reader.read(event, &mut |at, what| {
            if let Happening::Stderr { bytes } = what {
                stderr.get_or_insert((at, 0)).1 += bytes;
                return;
            }
            if let Some((at, bytes)) = stderr.take() {
                tell(&mut out, session, seen, at, &Happening::Stderr { bytes }, redactor);
            }
            tell(&mut out, session, seen, at, &what, redactor);
        });
        out
    }

    /// The lines with which the session ends.
    #[must_use]
    pub fn end(mut self, evidence: &Evidence) -> String {
        let mut out = String::new();
        let Self { session, redactor, stderr, seen, .. } = &mut self;
        if let Some((at, bytes)) = stderr.take() {
            tell(&mut out, session, seen, at, &Happening::Stderr { bytes }, redactor);
        }
        let session = session.as_str();
        if *seen > caps::STREAMED_EVENTS {
            let truncation =
                Truncation { what: "events", kept: caps::STREAMED_EVENTS, seen: *seen };
            line(&mut out, &Line::Truncated { session, truncation });
        }
        end(&mut out, session, evidence);
        out
    }
}

/// Adds the line of an event, unless so many were told that no reader wants more.
fn tell(
    out: &mut String,
    session: &SafeText,
    seen: &mut u64,
    at: Duration,
    what: &Happening,
    redactor: &Redactor,
) {
    *seen += 1;
    if *seen <= caps::STREAMED_EVENTS {
        let event = &EventEvidence::new(at, what, redactor);
        line(out, &Line::Event { session: session.as_str(), event });
    }
}
