//! What an operator promised about a live session, as the process that corrupts it tells the one
//! that judges it.

use std::fs;
use std::io;
use std::path::Path;

use model::{Detail, Finding, Outcome, Verdict};
use mutate::{Corrupted, Promise};
use serde::{Deserialize, Serialize};

/// What must be found in a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Promised {
    /// The first violation; None where there is only advice.
    violation: Option<Found>,
    /// Advice that stands before it, among what else there may be.
    advice: Vec<Found>,
}

/// A finding, as far as an operator can promise it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Found {
    rule: String,
    frame: Option<u64>,
    byte: Option<u64>,
    byte_in_stream: u64,
    /// The end of the output and the length of the tail, where the output ended inside a frame.
    tail: Option<(String, u64)>,
}

impl Promised {
    pub(crate) fn of(corrupted: &Corrupted) -> Self {
        Self {
            violation: corrupted.violation.as_ref().map(Found::promised),
            advice: corrupted.advice.iter().map(|advice| Found::promised(&advice.first)).collect(),
        }
    }

    pub(crate) fn write(&self, file: &Path) -> io::Result<()> {
        fs::write(file, serde_json::to_vec(self)?)
    }

    /// None if nothing was promised: the operator never struck.
    pub(crate) fn read(file: &Path) -> io::Result<Option<Self>> {
        match fs::read(file) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// How a verdict differs from the promise; empty if it does not.
    pub(crate) fn differences(&self, verdict: &Verdict) -> Vec<String> {
        let mut differences = Vec::new();
        let found = match &verdict.outcome {
            Outcome::Violation(finding) => Some(Found::seen(finding)),
            Outcome::ValidStdout => None,
            Outcome::Inconclusive(reason) => {
                return vec![format!("inconclusive: {}", reason.name())];
            }
        };
        if found != self.violation {
            let name = |found: &Option<Found>| {
                found.as_ref().map_or_else(|| "valid-stdout".to_owned(), Found::name)
            };
            differences.push(format!("promised {}, found {}", name(&self.violation), name(&found)));
        }
        let given: Vec<Found> =
            verdict.advice.iter().map(|advice| Found::seen(&advice.finding)).collect();
        let missing = self.advice.iter().filter(|promised| !given.contains(promised));
        differences.extend(missing.map(|promised| format!("promised advice {}", promised.name())));
        differences
    }
}

impl Found {
    fn promised(promise: &Promise) -> Self {
        Self {
            rule: promise.rule.name().to_owned(),
            frame: promise.position.frame().map(|frame| frame.0),
            byte: promise.position.byte().map(|byte| byte.0),
            byte_in_stream: promise.position.stream().0,
            tail: promise.tail.map(|tail| (tail.end.name().to_owned(), tail.partial_bytes)),
        }
    }

    fn seen(finding: &Finding) -> Self {
        Self {
            rule: finding.rule.name().to_owned(),
            frame: finding.position.frame().map(|frame| frame.0),
            byte: finding.position.byte().map(|byte| byte.0),
            byte_in_stream: finding.position.stream().0,
            tail: match finding.detail {
                Detail::Tail { end, partial_bytes } => Some((end.name().to_owned(), partial_bytes)),
                _ => None,
            },
        }
    }

    fn name(&self) -> String {
        let place = match (self.frame, self.byte) {
            (Some(frame), Some(byte)) => format!("frame {frame}, byte {byte}"),
            _ => "after the last frame".to_owned(),
        };
        let tail = self.tail.as_ref().map(|(end, bytes)| format!(", {bytes} bytes, {end}"));
        let stream = self.byte_in_stream;
        format!("{} at {place} ({stream} of the stream{})", self.rule, tail.unwrap_or_default())
    }
}
