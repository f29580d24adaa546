//! The format `json`: the report as one object.

use crate::report::Report;

/// Writes the report as one indented JSON object and a newline.
pub(crate) fn render(report: &Report) -> String {
    let mut out = serde_json::to_string_pretty(report)
        .expect("a report holds only strings, numbers, sequences and maps with string keys");
    out.push('\n');
    out
}
