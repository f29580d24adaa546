//! What is to be said of a session, in words: the same in every format for people.
//!
//! A [`Story`] is a heading, a place, and items; each format only lays it out.

mod finding;
mod inconclusive;
mod mend;
mod place;
mod state;
#[cfg(test)]
mod tests;

use model::{Activity, Cleanliness, ExitStatus, Layer, NotChecked};

use crate::evidence::{Evidence, Origin, VerdictName, VersionEvidence};
use crate::excerpt::Excerpt;
use crate::redact::Redaction;
use crate::safe::SafeText;
use crate::shell::CommandLine;

/// What is to be said of an outcome or of a piece of advice.
pub(crate) struct Story<'a> {
    pub(crate) heading: Heading,
    /// The rule's id, or the reason why nothing was proved.
    pub(crate) id: Option<&'static str>,
    /// One sentence.
    pub(crate) title: String,
    /// Where it was seen.
    pub(crate) location: Option<String>,
    pub(crate) snippet: Option<Snippet<'a>>,
    pub(crate) items: Vec<Item>,
}

/// How a story begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heading {
    /// The first `must` finding.
    Error,
    /// Advice.
    Advice,
    /// A run that tested too little.
    Inconclusive,
    /// A run without a finding that fails it.
    Ok,
}

/// The part of a frame that is shown.
pub(crate) struct Snippet<'a> {
    pub(crate) frame: u64,
    pub(crate) excerpt: &'a Excerpt,
    /// What the byte under the caret is.
    pub(crate) label: Option<&'static str>,
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    /// A fact.
    Note,
    /// A guess.
    Hint,
    /// What to do.
    Help,
}

/// A sentence, and what it quotes.
pub(crate) struct Item {
    pub(crate) label: Label,
    pub(crate) text: String,
    pub(crate) quote: Quote,
}

/// Lines that stand by themselves.
pub(crate) enum Quote {
    Nothing,
    Lines(Vec<SafeText>),
    Command(CommandLine),
}

impl Heading {
    /// The word before the id.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Advice => "advice",
            Self::Inconclusive => "inconclusive",
            Self::Ok => "ok",
        }
    }
}

impl Label {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Hint => "hint",
            Self::Help => "help",
        }
    }
}

impl<'a> Story<'a> {
    fn new(heading: Heading, id: Option<&'static str>, title: impl Into<String>) -> Self {
        Self { heading, id, title: title.into(), location: None, snippet: None, items: Vec::new() }
    }

    fn item(&mut self, label: Label, text: impl Into<String>) {
        self.items.push(Item { label, text: text.into(), quote: Quote::Nothing });
    }

    fn quote(&mut self, label: Label, text: impl Into<String>, quote: Quote) {
        self.items.push(Item { label, text: text.into(), quote });
    }

    /// `error[invalid-json]`.
    pub(crate) fn head(&self) -> String {
        match self.id {
            Some(id) => format!("{}[{id}]", self.heading.word()),
            None => self.heading.word().to_owned(),
        }
    }

    /// The text of the first item of a kind.
    pub(crate) fn first(&self, label: Label) -> Option<&str> {
        self.items.iter().find(|item| item.label == label).map(|item| item.text.as_str())
    }
}

/// All that is to be said of one session: its outcome, then each piece of advice.
pub(crate) fn of(evidence: &Evidence) -> Vec<Story<'_>> {
    let outcome = outcome(evidence);
    let advice = evidence.advice.iter().map(|advice| finding::advice(advice, evidence));
    [outcome].into_iter().chain(advice).collect()
}

/// What is to be said of the outcome of one session.
pub(crate) fn outcome(evidence: &Evidence) -> Story<'_> {
    let mut story = match (&evidence.first_violation, &evidence.inconclusive) {
        (Some(violation), _) => finding::violation(violation, evidence),
        (None, Some(reason)) => inconclusive::inconclusive(reason, evidence),
        (None, None) => valid(evidence),
    };
    source(&mut story, evidence);
    if evidence.redaction == Redaction::Off {
        let text = "nothing was redacted (--no-redact): this report may hold secrets";
        let quote = Quote::Nothing;
        story.items.insert(0, Item { label: Label::Note, text: text.to_owned(), quote });
    }
    story
}

fn valid(evidence: &Evidence) -> Story<'_> {
    let protocol = match evidence.protocol {
        Some(version) => format!("protocol {version}"),
        None => "protocol revision unknown".to_owned(),
    };
    let mut story = Story::new(
        Heading::Ok,
        None,
        format!(
            "stdout carried only MCP messages: {} in {} ({}), {protocol}, {}",
            count(evidence.accepted, "message"),
            count(evidence.frames, "frame"),
            count(evidence.stdout_bytes, "byte"),
            layers(&evidence.layers_reached),
        ),
    );
    if let Origin::Check { input } = &evidence.origin {
        story.item(Label::Note, format!("input: {input}"));
    }
    not_checked(&mut story, evidence);
    cleanup(&mut story, evidence);
    if !evidence.advice.is_empty() {
        story.item(
            Label::Note,
            format!(
                "{} of advice below; --deny advice makes it fail the run",
                count(evidence.advice.len() as u64, "piece")
            ),
        );
    }
    story
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
fn not_checked(story: &mut Story<'_>, evidence: &Evidence) {
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
            NotChecked::SchemaOfResults => {
                "results against their schemas, since without a client side their requests are not known"
            }
            NotChecked::SchemaOfLargeMessage => {
                "a message was larger than what is checked against its schema"
            }
            NotChecked::SchemaOfDeepMessage => {
                "a message was nested deeper than what is checked against its schema"
            }
            NotChecked::SchemaOfUnknownRevision => {
                "the server answered with a protocol revision whose schema is not known here"
            }
        };
        story.item(Label::Note, format!("not checked: {text}"));
    }
}

/// What was left behind.
fn cleanup(story: &mut Story<'_>, evidence: &Evidence) {
    let Some(cleanup) = &evidence.cleanup else {
        return;
    };
    if evidence.child_reaped == Some(false) {
        story.item(
            Label::Note,
            "the server's process was still there when the probe ended: SIGKILL did not end it",
        );
    } else if cleanup.process == Cleanliness::Leaked {
        story.item(
            Label::Note,
            format!(
                "{} that the server started outlived it, and the probe had to end what was left",
                count(u64::from(cleanup.strays), "process")
            ),
        );
    } else if cleanup.process == Cleanliness::Unknown {
        story.item(
            Label::Note,
            "whether the server left processes behind could not be seen: one may have moved to a \
             session of its own",
        );
    }
    if cleanup.at_deadline == Some(Activity::Stopped) {
        story.item(
            Label::Note,
            "when the deadline passed, the server's process was not slow: a signal had stopped it",
        );
    }
    if let Some(untaken) = &cleanup.stdin_at_deadline
        && untaken.unread_bytes > 0
    {
        let waiting = untaken.unread_bytes + untaken.unwritten_bytes;
        story.item(
            Label::Note,
            format!(
                "when the deadline passed, the server had not read the last {} that the client \
                 sent",
                count(waiting, "byte")
            ),
        );
    }
    for declined in &cleanup.containment.declined {
        story.item(
            Label::Note,
            format!(
                "its processes could not be held together by a {} ({}), only by a {}",
                declined.level, declined.reason, cleanup.containment.level
            ),
        );
    }
    if cleanup.readers == Cleanliness::Leaked {
        story.item(
            Label::Note,
            "stdout or stderr was still held open by another process when the probe stopped reading",
        );
    }
}

/// The end of stderr, or that there was none.
fn stderr(story: &mut Story<'_>, evidence: &Evidence) {
    let stderr = &evidence.stderr;
    if stderr.bytes == 0 {
        if evidence.origin == Origin::Run {
            story.item(Label::Note, "stderr is empty");
        }
        return;
    }
    let shown = stderr.excerpt.len().min(crate::caps::STDERR_LINES_HUMAN);
    let lines = &stderr.excerpt[stderr.excerpt.len() - shown..];
    let size = format!("stderr ({}, {})", count(stderr.lines, "line"), count(stderr.bytes, "byte"));
    let whole = shown as u64 == stderr.lines;
    let says = if whole { "says:" } else { "ends with:" };
    story.quote(Label::Note, format!("{size} {says}"), Quote::Lines(lines.to_vec()));
}

/// Where the server came from, if not from the command line.
fn source(story: &mut Story<'_>, evidence: &Evidence) {
    if let Some(here) = &evidence.configuration {
        let text = format!("{}:{}:{} names this server", here.file, here.line, here.column);
        story.item(Label::Note, text);
    }
    if let Some(package) = &evidence.package {
        let sdks: Vec<String> =
            package.sdks.iter().map(|sdk| format!("{} {}", sdk.name, sdk.version)).collect();
        let with =
            if sdks.is_empty() { String::new() } else { format!(", with {}", sdks.join(", ")) };
        story.item(
            Label::Note,
            format!(
                "package {} {} ({}), command {}, {}{with}",
                package.name, package.version, package.ecosystem, package.entry, package.runtime
            ),
        );
    }
    if let Some(software) = &evidence.software {
        let version = software.version.as_ref().map(|version| format!(" {version}"));
        story.item(
            Label::Note,
            format!(
                "package {}{} ({}), as {} says",
                software.name,
                version.unwrap_or_default(),
                software.ecosystem,
                software.manifest
            ),
        );
    }
    if let Some(version) = &evidence.version {
        version_said(story, version);
    }
}

/// What the command said that was asked for a version.
fn version_said(story: &mut Story<'_>, version: &VersionEvidence) {
    let command: Vec<&str> = version.command.iter().map(SafeText::as_str).collect();
    let ended = match version.exit_status {
        Some(ExitStatus::SUCCESS) => String::new(),
        Some(ExitStatus::Code(code)) => format!(" ended with status {code} and"),
        Some(ExitStatus::Signal(signal)) => format!(" was killed by {} and", state::name(signal)),
        None => " did not end by itself and".to_owned(),
    };
    let command = command.join(" ");
    match version.output.as_slice() {
        [] => story.item(Label::Note, format!("{command}{ended} said nothing of a version")),
        [line] => story.item(Label::Note, format!("{command}{ended} said: {line}")),
        lines => story.quote(
            Label::Note,
            format!("{command}{ended} said:"),
            Quote::Lines(lines.to_vec()),
        ),
    }
}

/// The command that leads to the same finding again.
fn reproduce(story: &mut Story<'_>, evidence: &Evidence) {
    let Some(command) = &evidence.reproduce else {
        return;
    };
    let what = match evidence.verdict {
        VerdictName::Violation => "this command reproduces it:",
        VerdictName::ValidStdout | VerdictName::Inconclusive => "this command repeats the run:",
    };
    story.quote(Label::Help, what, Quote::Command(command.clone()));
}

/// `1 frame`, `2 frames`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    let ending = match (number, noun.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{number} {noun}{ending}")
}

/// `10 s`, `0.5 s`.
pub(crate) fn seconds(millis: u64) -> String {
    let fraction = format!("{:03}", millis % 1000);
    match fraction.trim_end_matches('0') {
        "" => format!("{} s", millis / 1000),
        fraction => format!("{}.{fraction} s", millis / 1000),
    }
}
