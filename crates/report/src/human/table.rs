//! Several sessions or servers at a glance, a row each.

use super::page::Page;
use crate::evidence::{Evidence, VerdictName};
use crate::report::{Difference, Rows, SessionEvidence};
use crate::safe::columns_of;
use crate::story::{Heading, count};

/// The widest name that sets the width of its column; a longer one moves only its own row.
const NAME_COLUMNS: usize = 24;

/// Writes the table.
pub(super) fn table(page: &mut Page<'_>, rows: Rows, sessions: &[SessionEvidence]) {
    let (heading, text) = summary(rows, sessions);
    page.heading(heading, heading.word(), &text);
    let width = sessions
        .iter()
        .map(|session| session.name.columns())
        .filter(|columns| *columns <= NAME_COLUMNS)
        .max()
        .unwrap_or(0);
    for session in sessions {
        let name = session.name.as_str();
        let pad = " ".repeat(width.saturating_sub(columns_of(name)));
        page.quote([format!("{name}{pad}  {}", outcome(&session.evidence))]);
        // Where the verdict stands in the row itself, it needs no second line.
        let beside =
            |difference: &&Difference| !matches!(difference.what, "classification" | "position");
        for difference in session.differs_from_plain.iter().flatten().filter(beside) {
            let lead = " ".repeat(width + 2);
            page.quote([format!(
                "{lead}differs in {}: {}, plain: {}",
                difference.what.replace('_', " "),
                difference.here,
                difference.plain
            )]);
        }
    }
}

/// `2 of 5 sessions violate the transport`, with the worst verdict as its word.
fn summary(rows: Rows, sessions: &[SessionEvidence]) -> (Heading, String) {
    let number = |verdict| {
        sessions.iter().filter(|session| session.evidence.verdict == verdict).count() as u64
    };
    let all = count(sessions.len() as u64, rows.noun());
    let violations = number(VerdictName::Violation);
    let inconclusive = number(VerdictName::Inconclusive);
    match (violations, inconclusive) {
        (0, 0) => (Heading::Ok, format!("{all}, stdout was valid in each")),
        (0, some) => (Heading::Inconclusive, format!("{all}, {some} proved nothing")),
        (some, 0) => (Heading::Error, format!("{all}, {some} with a violation")),
        (some, others) => (
            Heading::Error,
            format!("{all}, {some} with a violation, {others} that proved nothing"),
        ),
    }
}

/// The verdict of one row.
fn outcome(evidence: &Evidence) -> String {
    if let Some(violation) = &evidence.first_violation {
        return format!("error[{}] {}", violation.rule, violation.place());
    }
    if let Some(reason) = evidence.reason {
        return format!("inconclusive[{reason}]");
    }
    let messages = count(evidence.accepted, "message");
    match evidence.advice.len() as u64 {
        0 => format!("ok, {messages}"),
        advice => format!("ok, {messages}, {} of advice", count(advice, "piece")),
    }
}
