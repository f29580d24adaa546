//! The format `github`: workflow commands that annotate a run of GitHub Actions.
//!
//! A step shows about ten annotations of a kind, so no more are written: the rest is counted in
//! the last one, and all of it stands in the step summary, which is the format `md`.

use super::named;
use crate::evidence::Evidence;
use crate::report::Report;
use crate::story::{self, Heading, Label, Story};

/// The annotations of one kind that a step shows.
const SHOWN: usize = 10;

/// Writes the report.
pub(crate) fn render(report: &Report) -> String {
    let sessions = named(report);
    let mut errors = Vec::new();
    let mut warnings = Vec::new();
    for (name, evidence) in &sessions {
        for story in story::of(evidence) {
            match story.heading {
                Heading::Error | Heading::Inconclusive => {
                    errors.push(command("error", &title(name, &story), &message(&story)));
                }
                Heading::Advice => {
                    warnings.push(command("warning", &title(name, &story), &message(&story)));
                }
                Heading::Ok => {}
            }
        }
    }
    if errors.is_empty() && warnings.is_empty() {
        return command("notice", &format!("ok: {}", subject(&sessions)), "stdout was valid");
    }
    capped("error", errors) + &capped("warning", warnings)
}

fn subject(sessions: &[(&str, &Evidence)]) -> String {
    let names: Vec<&str> = sessions.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

/// As many as are shown; the last one counts the others.
fn capped(kind: &str, mut commands: Vec<String>) -> String {
    if commands.len() > SHOWN {
        let others = commands.len() - (SHOWN - 1);
        commands.truncate(SHOWN - 1);
        let text = format!("{others} more; the step summary has all of them");
        commands.push(command(kind, "more findings", &text));
    }
    commands.concat()
}

fn title(name: &str, story: &Story<'_>) -> String {
    format!("{}: {name}", story.head())
}

fn message(story: &Story<'_>) -> String {
    let mut lines = vec![story.title.clone()];
    lines.extend(story.location.clone());
    if let Some(snippet) = &story.snippet {
        lines.push(snippet.excerpt.marked(crate::Charset::Unicode).0);
    }
    lines.extend(story.first(Label::Hint).map(|hint| format!("hint: {hint}")));
    lines.extend(story.first(Label::Help).map(|help| format!("help: {help}")));
    lines.join("\n")
}

/// A workflow command: `::error title=…::message`, escaped as the runner reads it.
fn command(kind: &str, title: &str, message: &str) -> String {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    format!("::{kind} title={}::{}\n", property(title), data(message))
}
