//! A violation and a piece of advice.

use model::{DeadlineName, Layer, Phase, RuleId};

use super::{Heading, Label, Snippet, Story, cleanup, count, reproduce, seconds, stderr};
use super::{mend, place, state};
use crate::evidence::{AdviceEvidence, EventEvidence, Evidence, FindingEvidence, Particular, What};

/// The first violation: what, where, why it matters, what to do.
pub(super) fn violation<'a>(finding: &'a FindingEvidence, evidence: &'a Evidence) -> Story<'a> {
    let rule = finding.rule.rule();
    let mut story = Story::new(Heading::Error, Some(finding.rule.name()), rule.summary);
    story.location = Some(place::location(finding, &evidence.origin));
    if let (Some(frame), Some(excerpt)) = (finding.frame, &finding.excerpt) {
        story.snippet = Some(Snippet { frame, excerpt, label: place::caret_label(finding) });
        if excerpt.caret.is_none() {
            story.item(Label::Note, place::not_shown(finding));
        }
    }
    if let Some(lead) = lead(finding.rule) {
        story.item(Label::Note, lead);
    }
    let state = state::sentence(evidence);
    // How the process ended is told once.
    let told = state.is_some() && matches!(finding.particular, Particular::Exit(_));
    if let Some(detail) = finding.detail.as_ref().filter(|_| !told) {
        story.item(Label::Note, detail.as_str());
    }
    if let (Some(bytes), Some(end)) = (finding.partial_bytes, finding.end) {
        let end = match end {
            model::TailEnd::Eof => "stdout ended",
            model::TailEnd::Exit => "the process ended, with stdout still held open",
            model::TailEnd::Deadline => "the deadline passed",
        };
        story.item(
            Label::Note,
            format!("{} stood after the last newline when {end}", count(bytes, "byte")),
        );
    }
    if let Some(hint) = finding.hint {
        story.item(Label::Hint, hint.to_string());
    }
    pending(&mut story, finding);
    deadlines(&mut story, evidence);
    late_reply(&mut story, finding, evidence);
    if let Some(state) = state {
        story.item(Label::Note, state);
    }
    story.item(Label::Help, mend::mend(finding, evidence));
    if stderr_helps(finding.rule) {
        stderr(&mut story, evidence);
    }
    cleanup(&mut story, evidence);
    progress(&mut story, finding, evidence);
    let section = mend::revision(rule.spec.section, evidence);
    story.item(Label::Note, format!("{section}: \"{}\"", rule.spec.quote));
    story.item(Label::Note, format!("what clients do: {}", rule.clients));
    reproduce(&mut story, evidence);
    story.item(Label::Help, format!("mcp-stdio-probe explain {}", finding.rule));
    story
}

/// Advice in two lines.
pub(super) fn advice<'a>(advice: &'a AdviceEvidence, evidence: &Evidence) -> Story<'a> {
    let finding = &advice.finding;
    let rule = finding.rule.rule();
    let times = match advice.count {
        0 | 1 => String::new(),
        times => format!("{times} times, first at "),
    };
    let title = format!("{} ({times}{})", rule.summary, place::short(finding, &evidence.origin));
    let mut story = Story::new(Heading::Advice, Some(finding.rule.name()), title);
    let detail = finding.detail.as_ref().map(|detail| format!("{detail}; ")).unwrap_or_default();
    let mend = match &evidence.first_violation {
        // A line without the mark of a message is none: its members are not to be moved.
        Some(violation)
            if finding.rule == RuleId::ExtraMember
                && violation.rule == RuleId::JsonrpcVersion
                && violation.frame == finding.frame =>
        {
            "see the error above, which is about the same line: mend that first".to_owned()
        }
        _ => mend::revision(rule.mend, evidence),
    };
    story.item(Label::Help, format!("{detail}{mend}"));
    story
}

/// What a person who does not know the transport must know first.
fn lead(rule: RuleId) -> Option<&'static str> {
    match rule {
        RuleId::DuplicateMember => None,
        RuleId::ByteOrderMark
        | RuleId::SplitMessage
        | RuleId::JoinedMessages
        | RuleId::ContentLengthHeader
        | RuleId::UnterminatedFrame
        | RuleId::OversizedFrame => Some(
            "on stdout each MCP message is one JSON object on a line of its own, and a newline \
             ends it",
        ),
        RuleId::NotAnObject | RuleId::JsonrpcVersion | RuleId::UnknownKind => Some(RESERVED),
        _ => match rule.rule().layer {
            Layer::Framing | Layer::Json => Some(RESERVED),
            Layer::JsonRpc => Some(
                "each line of stdout is one MCP message, a JSON-RPC object; this line is JSON, \
                 but not of that shape",
            ),
            Layer::Mcp => None,
            Layer::Lifecycle => Some(
                "client and server talk by lines on the server's stdin and stdout; to each \
                 request the client waits for one reply with the same id",
            ),
        },
    }
}

const RESERVED: &str = "this line of stdout was reserved for an MCP message, one JSON object on \
    one line; logs and everything else for people belong on stderr";

fn pending(story: &mut Story<'_>, finding: &FindingEvidence) {
    if let (Some(id), Some(method)) = (&finding.request_id, &finding.method) {
        story.item(
            Label::Note,
            format!("the client was waiting for the reply to {method}, id {id}"),
        );
    }
}

pub(super) fn deadlines(story: &mut Story<'_>, evidence: &Evidence) {
    for deadline in evidence.deadlines.iter().filter(|deadline| deadline.expired) {
        story.item(
            Label::Note,
            format!("the {} deadline of {} passed", deadline.name, seconds(deadline.budget_ms)),
        );
    }
}

/// A reply that came after the deadline is late, and not lost.
fn late_reply(story: &mut Story<'_>, finding: &FindingEvidence, evidence: &Evidence) {
    let Some(awaited) = &finding.request_id else { return };
    let passed = |event: &EventEvidence| match event.what {
        What::Deadline { name } => matches!(name, DeadlineName::Startup | DeadlineName::Reply),
        _ => false,
    };
    let late = evidence.events.iter().skip_while(|event| !passed(event)).any(|event| {
        let What::Frame(frame) = &event.what else { return false };
        matches!(frame.kind, Some("result" | "error")) && frame.id.as_ref() == Some(awaited)
    });
    if finding.rule == RuleId::NoResponse && late {
        story.item(Label::Note, "the reply came after the deadline: it is late, not lost");
    }
}

/// How far the run came before the violation.
fn progress(story: &mut Story<'_>, finding: &FindingEvidence, evidence: &Evidence) {
    let before = match evidence.accepted {
        0 => "no message came before it".to_owned(),
        accepted => format!("{} before it had no fault", count(accepted, "message")),
    };
    let early = finding.phase <= Phase::Discovery;
    let text = if finding.is_below_messages() && early {
        format!(
            "{before}; the server's capabilities were not tested, since the first fault ends the session"
        )
    } else {
        format!("{before}; nothing after it was judged")
    };
    story.item(Label::Note, text);
}

/// Whether stderr may say why.
fn stderr_helps(rule: RuleId) -> bool {
    rule.rule().layer == Layer::Lifecycle
        || matches!(rule, RuleId::PartialFrame | RuleId::UnterminatedFrame)
}
