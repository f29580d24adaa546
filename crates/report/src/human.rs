//! The format `human`: for a person who does not know the transport.
//!
//! Every line after the first of a block begins with an indented gutter (`|`, `=`, `-->` or a
//! frame number), so that nothing a server wrote can stand at the start of a line.

mod finding;
mod inconclusive;
mod page;
mod table;
#[cfg(test)]
mod tests;

use model::{Cleanliness, Layer, NotChecked};

use crate::evidence::{Evidence, Origin, VerdictName};
use crate::report::Report;
use crate::style::Style;
use page::{Heading, Label, Page, count};

pub(crate) use page::wrap;

/// Writes the report.
pub(crate) fn render(report: &Report, style: &Style) -> String {
    let mut page = Page::new(style);
    match report.rows() {
        None => session(&mut page, report.leading()),
        Some(rows) => {
            table::table(&mut page, rows, report.sessions());
            page.blank_line();
            page.about(report.leading_name(), rows);
            session(&mut page, report.leading());
        }
    }
    page.finish()
}

/// Writes all that is to be said of one session.
fn session(page: &mut Page<'_>, evidence: &Evidence) {
    match (&evidence.first_violation, &evidence.inconclusive) {
        (Some(violation), _) => finding::violation(page, violation, evidence),
        (None, Some(reason)) => inconclusive::inconclusive(page, reason, evidence),
        (None, None) => valid(page, evidence),
    }
    for advice in &evidence.advice {
        page.blank_line();
        finding::advice(page, advice, &evidence.origin);
    }
}

fn valid(page: &mut Page<'_>, evidence: &Evidence) {
    let protocol = match evidence.protocol {
        Some(version) => format!("protocol {version}"),
        None => "protocol revision unknown".to_owned(),
    };
    page.heading(
        Heading::Ok,
        None,
        &format!(
            "stdout carried only MCP messages: {} in {} ({}), {protocol}, {}",
            count(evidence.accepted, "message"),
            count(evidence.frames, "frame"),
            count(evidence.stdout_bytes, "byte"),
            layers(&evidence.layers_reached),
        ),
    );
    if let Origin::Check { input } = &evidence.origin {
        page.item(Label::Note, &format!("input: {input}"));
    }
    not_checked(page, evidence);
    cleanup(page, evidence);
    if !evidence.advice.is_empty() {
        page.item(
            Label::Note,
            &format!(
                "{} of advice below; --deny advice makes it fail the run",
                count(evidence.advice.len() as u64, "piece")
            ),
        );
    }
}

/// `layers 1, 2 and 3`.
fn layers(layers: &[Layer]) -> String {
    let numbers: Vec<String> = layers.iter().map(|layer| layer.number().to_string()).collect();
    match numbers.split_last() {
        None => "no layer reached".to_owned(),
        Some((last, [])) => format!("layer {last}"),
        Some((last, rest)) => format!("layers {} and {last}", rest.join(", ")),
    }
}

/// What was left out.
fn not_checked(page: &mut Page<'_>, evidence: &Evidence) {
    for what in &evidence.not_checked {
        let text = match what {
            NotChecked::Schema => "layer 4 (MCP schema) is not part of this build or run",
            NotChecked::ToolCalls => {
                "what tools write when they are called (--call TOOL=JSON calls one)"
            }
            NotChecked::Correlation => {
                "replies were not matched with requests, since there is no client side"
            }
            NotChecked::DuplicateKeys => {
                "a message had more keys, or deeper ones, than duplicates are looked for in"
            }
            NotChecked::BatchMembers => "a batch had more messages than are judged one by one",
            NotChecked::LongMember => "an id or a method was longer than what is kept to compare",
        };
        page.item(Label::Note, &format!("not checked: {text}"));
    }
}

/// What was left behind.
fn cleanup(page: &mut Page<'_>, evidence: &Evidence) {
    let Some(cleanup) = &evidence.cleanup else {
        return;
    };
    if evidence.child_reaped == Some(false) {
        page.item(
            Label::Note,
            "the server's process was still there when the probe ended: SIGKILL did not end it",
        );
    } else if cleanup.process == Cleanliness::Leaked {
        page.item(
            Label::Note,
            &format!(
                "{} of the server's process group outlived it, and the probe had to end what was left",
                count(u64::from(cleanup.strays), "process")
            ),
        );
    }
    if cleanup.readers == Cleanliness::Leaked {
        page.item(
            Label::Note,
            "stdout or stderr was still held open by another process when the probe stopped reading",
        );
    }
}

/// The end of stderr, or that there was none.
fn stderr(page: &mut Page<'_>, evidence: &Evidence) {
    let stderr = &evidence.stderr;
    if stderr.bytes == 0 {
        if evidence.origin == Origin::Run {
            page.item(Label::Note, "stderr is empty");
        }
        return;
    }
    let shown = stderr.excerpt.len().min(crate::caps::STDERR_LINES_HUMAN);
    let lines = &stderr.excerpt[stderr.excerpt.len() - shown..];
    let size = format!("stderr ({}, {})", count(stderr.lines, "line"), count(stderr.bytes, "byte"));
    let whole = shown as u64 == stderr.lines;
    page.item(Label::Note, &format!("{size} {}", if whole { "says:" } else { "ends with:" }));
    page.quote(lines.iter().map(crate::SafeText::as_str));
}

/// The command that leads to the same finding again.
fn reproduce(page: &mut Page<'_>, evidence: &Evidence) {
    let Some(command) = &evidence.reproduce else {
        return;
    };
    let what = match evidence.verdict {
        VerdictName::Violation => "this command reproduces it:",
        VerdictName::ValidStdout | VerdictName::Inconclusive => "this command repeats the run:",
    };
    page.item(Label::Help, what);
    page.quote([page.command(command)]);
}
