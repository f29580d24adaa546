//! The format `md`: GitHub's Markdown, for a step summary or a comment.
//!
//! What a server wrote stands in fenced blocks and nowhere else; every other text is escaped, so
//! that nothing becomes a link, an image, a mention or HTML.

use super::named;
use crate::evidence::Evidence;
use crate::report::Report;
use crate::story::{self, Quote, Story};
use crate::style::Charset;

/// The most that a step summary may take.
const MAX_BYTES: usize = 1024 * 1024 - 4096;

/// Writes the report.
pub(crate) fn render(report: &Report) -> String {
    let mut out = String::new();
    let sessions = named(report);
    if let Some(rows) = report.rows() {
        table(&mut out, rows.noun(), &sessions);
    }
    for (name, evidence) in &sessions {
        // Of several sessions, one without anything to say has its row in the table alone.
        if report.rows().is_some() && says_nothing(evidence) {
            continue;
        }
        let mut section = String::new();
        if report.rows().is_some() {
            section.push_str(&format!("\n## {}\n", escape(name)));
        }
        for story in story::of(evidence) {
            write(&mut section, &story);
        }
        if out.len() + section.len() > MAX_BYTES {
            out.push_str("\nThe rest is left out: a summary may not be longer.\n");
            break;
        }
        out.push_str(&section);
    }
    out
}

fn says_nothing(evidence: &Evidence) -> bool {
    evidence.first_violation.is_none() && evidence.reason.is_none() && evidence.advice.is_empty()
}

fn table(out: &mut String, noun: &str, sessions: &[(&str, &Evidence)]) {
    out.push_str(&format!("| {noun} | verdict | first violation |\n|---|---|---|\n"));
    for (name, evidence) in sessions {
        let place = evidence.first_violation.as_ref().map(|finding| finding.place());
        out.push_str(&format!(
            "| {} | {} | {} |\n",
            escape(name),
            escape(&story::outcome(evidence).head()),
            place.unwrap_or_default()
        ));
    }
}

fn write(out: &mut String, story: &Story<'_>) {
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(&format!("### {}: {}\n", escape(&story.head()), escape(&story.title)));
    if let Some(location) = &story.location {
        out.push_str(&format!("\n{}\n", escape(location)));
    }
    if let Some(snippet) = &story.snippet {
        let (text, caret) = snippet.excerpt.marked(Charset::Unicode);
        let mut lines = vec![text.clone()];
        if let Some(caret) = caret {
            let before = crate::safe::columns_of(&text[..caret.start]);
            let width = crate::safe::columns_of(&text[caret]).max(1);
            let label = snippet.label.map(|label| format!(" {label}")).unwrap_or_default();
            lines.push(format!("{}{}{label}", " ".repeat(before), "^".repeat(width)));
        }
        fence(out, "", &lines);
    }
    for item in &story.items {
        out.push_str(&format!("\n- **{}**: {}\n", item.label.word(), escape(&item.text)));
        match &item.quote {
            Quote::Nothing => {}
            Quote::Lines(lines) => fence(out, "  ", lines),
            Quote::Command(command) => fence(out, "  ", [command.text(Charset::Unicode)]),
        }
    }
}

/// A block of lines as they are, in a fence longer than any run of backticks in it.
fn fence<T: AsRef<str>>(out: &mut String, indent: &str, lines: impl IntoIterator<Item = T>) {
    let lines: Vec<T> = lines.into_iter().collect();
    let longest = lines.iter().map(|line| longest_run(line.as_ref())).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    out.push_str(&format!("\n{indent}{fence}text\n"));
    for line in &lines {
        out.push_str(&format!("{indent}{}\n", line.as_ref()));
    }
    out.push_str(&format!("{indent}{fence}\n"));
}

fn longest_run(line: &str) -> usize {
    line.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

/// Text that means itself. Besides Markdown's own marks, those are taken away of which GitHub
/// makes links and mentions.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '@' => out.push_str("&#64;"),
            ':' => out.push_str("&#58;"),
            '.' => out.push_str("&#46;"),
            '#' => out.push_str("&#35;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '!' | '|' | '~' | '$'
            | '+' | '=' => {
                out.push('\\');
                out.push(character);
            }
            character => out.push(character),
        }
    }
    out
}
