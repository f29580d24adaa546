//! `play --list`: the cases, by what must be found in them.

use corpus::{Case, Expectation, Family, embedded, expectation_for, spoken_revision};
use serde_json::json;

use super::args::ListFormat;
use super::{Status, UsageError, output};
use crate::play::performance;

pub(crate) fn list(format: ListFormat) -> Result<Status, UsageError> {
    let cases = embedded();
    match format {
        ListFormat::Text => output::print(&text(&cases)),
        ListFormat::Json => output::print(&json(&cases)),
    }
}

/// What must be found: a rule, or the word of the verdict.
pub(crate) fn classification(case: &Case) -> &str {
    match expectation_for(&case.file, spoken_revision(case)) {
        Some(Expectation::Violation(violation)) => &violation.rule,
        Some(Expectation::Clean(_)) => "valid-stdout",
        Some(Expectation::Stuck(_)) | None => "inconclusive",
    }
}

fn text(cases: &[Case]) -> String {
    let mut out = String::new();
    let (mut others, mut not) = (String::new(), String::new());
    let width = |of: fn(&Case) -> &str| cases.iter().map(|case| of(case).len()).max().unwrap_or(0);
    let (ids, classes) = (width(|case| &case.file.id), width(classification));
    for case in cases {
        let id = &case.file.id;
        match performance(case) {
            Ok(performance) => {
                if let Some(other) = performance.other_client() {
                    others.push_str(&format!("{id:ids$}  {}\n", other.reason()));
                }
                let mut tags = case.file.tags.join(" ");
                if !tags.is_empty() {
                    tags = format!(" [{tags}]");
                }
                let class = classification(case);
                out.push_str(&format!("{id:ids$}  {class:classes$}  {}{tags}\n", case.file.title));
            }
            Err(reason) => not.push_str(&format!("{id:ids$}  {}\n", reason.reason())),
        }
    }
    if !others.is_empty() {
        out.push_str(&format!(
            "\nPlayed, but `run` does not ask as the case's client does:\n{others}"
        ));
    }
    if !not.is_empty() {
        out.push_str(&format!("\nCannot be played by a process:\n{not}"));
    }
    out
}

fn json(cases: &[Case]) -> String {
    let rows: Vec<_> = cases
        .iter()
        .map(|case| {
            let (other, not) = match performance(case) {
                Ok(performance) => (performance.other_client().map(|other| other.reason()), None),
                Err(not) => (None, Some(not.reason())),
            };
            json!({
                "id": case.file.id,
                "family": case.family.map(Family::directory),
                "classification": classification(case),
                "tags": case.file.tags,
                "title": case.file.title,
                "other_client": other,
                "not_playable": not,
            })
        })
        .collect();
    format!("{}\n", serde_json::Value::Array(rows))
}
