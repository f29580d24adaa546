//! The format `json`: the evidence as one object.

use crate::evidence::Evidence;

/// Writes the evidence as one indented JSON object and a newline.
pub(crate) fn render(evidence: &Evidence) -> String {
    let mut out = serde_json::to_string_pretty(evidence)
        .expect("evidence holds only strings, numbers, sequences and maps with string keys");
    out.push('\n');
    out
}
