//! The formats for machines and for files, one module each. They see nothing but a report.

pub(crate) mod github;
#[cfg(feature = "html")]
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod jsonl;
pub(crate) mod junit;
pub(crate) mod markdown;
pub(crate) mod sarif;
pub(crate) mod tap;
#[cfg(test)]
mod tests;
pub(crate) mod trace;

use crate::evidence::{Evidence, Origin};
use crate::report::Report;

/// The name of the tool in its reports.
pub(crate) const TOOL: &str = "mcp-stdio-probe";

/// Its version.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The name of what has none.
const STDOUT: &str = "stdout";

/// The sessions of a report, each with its name; one session without a name is named after what
/// was judged.
pub(crate) fn named(report: &Report) -> Vec<(&str, &Evidence)> {
    if report.rows().is_none() {
        let evidence = report.leading();
        return vec![(subject(evidence), evidence)];
    }
    let sessions = report.sessions().iter();
    sessions.map(|session| (session.name.as_str(), &session.evidence)).collect()
}

/// What was judged, in a word: the case, the input or the program.
fn subject(evidence: &Evidence) -> &str {
    if let Some(case) = &evidence.case {
        return case.as_str();
    }
    if let Origin::Check { input } = &evidence.origin {
        return input.as_str();
    }
    evidence.command.iter().flatten().next().map_or(STDOUT, |program| program.as_str())
}
