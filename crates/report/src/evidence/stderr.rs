//! What a server wrote to stderr, redacted and safe.

use serde::{Serialize, Serializer};

use crate::caps;
use crate::facts::StderrFacts;
use crate::redact::{Edge, Edges, Redactor};
use crate::safe::{SafeText, Untrusted};

/// What a server wrote to stderr. It never decides a verdict, save that a reply may be found in
/// it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct StderrEvidence {
    /// All bytes written.
    pub bytes: u64,
    /// All lines written, an unfinished last one included.
    pub lines: u64,
    /// The last lines, at most 40, each at most 240 columns, redacted, escaped to be printable;
    /// one string with newlines between.
    #[serde(serialize_with = "joined")]
    #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
    pub excerpt: Vec<SafeText>,
}

impl StderrEvidence {
    pub(super) fn new(facts: &StderrFacts, end: Edge, redactor: &Redactor) -> Self {
        let start = if facts.dropped > 0 { Edge::Cut } else { Edge::Whole };
        let mut lines = Vec::new();
        if facts.dropped > 0 {
            let edges = Edges { start: Edge::Whole, end: Edge::Cut };
            lines.extend(safe_lines(&redactor.redact(&facts.head, edges).bytes));
            lines.extend(safe_lines(&redactor.redact(&facts.tail, Edges { start, end }).bytes));
        } else {
            let all = [facts.head.as_slice(), &facts.tail].concat();
            lines.extend(safe_lines(&redactor.redact(&all, Edges { start, end }).bytes));
        }
        lines.drain(..lines.len().saturating_sub(caps::STDERR_LINES));
        Self { bytes: facts.bytes, lines: facts.lines, excerpt: lines }
    }
}

/// The last lines of some bytes. The carriage return of a CR LF ending is not shown.
fn safe_lines(bytes: &[u8]) -> Vec<SafeText> {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if bytes.is_empty() {
        return Vec::new();
    }
    let mut lines: Vec<SafeText> = bytes
        .rsplit(|byte| *byte == b'\n')
        .take(caps::STDERR_LINES)
        .map(|line| {
            Untrusted::new(line.strip_suffix(b"\r").unwrap_or(line)).text(caps::STDERR_LINE)
        })
        .collect();
    lines.reverse();
    lines
}

fn joined<S: Serializer>(lines: &[SafeText], serializer: S) -> Result<S::Ok, S::Error> {
    let lines: Vec<&str> = lines.iter().map(SafeText::as_str).collect();
    serializer.serialize_str(&lines.join("\n"))
}
