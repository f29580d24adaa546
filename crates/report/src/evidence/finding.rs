//! A finding, redacted and safe.

use std::time::Duration;

use model::{
    Advice, Detail, ExitStatus, Finding, FrameBytes, Layer, Level, Member, Phase, RuleId, TailEnd,
    Utf16,
};
use serde::Serialize;

use super::{phrase, wire, word};
use crate::excerpt::{Excerpt, Extent, FrameView, HexPrefix, HexWindow};
use crate::facts::StdoutWindow;
use crate::hint::{self, Hint};
use crate::redact::{Content, Edge, Redactor, holds_content, is_of_users};
use crate::safe::SafeText;

/// A rule met at a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct FindingEvidence {
    /// The rule's id.
    #[serde(serialize_with = "wire::name")]
    #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
    pub rule: RuleId,
    /// The number of the rule's layer, 1 to 5.
    pub layer: u8,
    /// The name of the rule's layer.
    pub layer_name: &'static str,
    /// The frame, counted from 1; null for what no frame shows (silence, an exit).
    pub frame: Option<u64>,
    /// The byte that proves the fault, counted from 0 in the frame as the server wrote it; for
    /// something missing, the end of the frame. Null without a frame.
    pub byte_in_frame: Option<u64>,
    /// The same byte counted from the start of stdout; without a frame, the length of stdout so
    /// far.
    pub byte_in_stream: u64,
    /// When the finding was made, in milliseconds since the launch. Never decides a verdict.
    pub time_ms: u64,
    /// What the client side was doing.
    #[serde(serialize_with = "wire::name")]
    #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
    pub phase: Phase,
    /// The JSON text of the id of the oldest request that had no reply then; null if none.
    pub request_id: Option<SafeText>,
    /// That request's method; null if none.
    pub method: Option<SafeText>,
    /// The first 64 bytes of the frame, in hexadecimal, after secrets were replaced; null
    /// without a frame.
    #[cfg_attr(feature = "json-schema", schemars(with = "Option<String>"))]
    pub hex_prefix: Option<HexPrefix>,
    /// The part of the frame round the byte, at most 120 columns, redacted, escaped to be
    /// printable; null without a frame.
    #[cfg_attr(feature = "json-schema", schemars(with = "Option<String>"))]
    pub excerpt: Option<Excerpt>,
    /// For output that ends inside a frame: the bytes after the last newline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial_bytes: Option<u64>,
    /// For output that ends inside a frame: `eof`, `exit` or `deadline`.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "wire::end")]
    #[cfg_attr(feature = "json-schema", schemars(with = "Option<String>"))]
    pub end: Option<TailEnd>,
    /// For a fault of a value in a message that is well-formed: where it stands in the message, as a JSON
    /// pointer (RFC 6901).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<SafeText>,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<SafeText>,
    /// A guess at what wrote the line. Never part of the verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "json-schema", schemars(with = "Option<String>"))]
    pub hint: Option<Hint>,
    /// What the rule's name does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<SafeText>,
    /// The bytes of the frame round the byte of the fault, at most 64, after secrets were
    /// replaced. Absent without a frame, or if that byte was not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hex_window: Option<HexWindow>,
    /// The level that the rule had here. Not serialised: it is the member of the report.
    #[serde(skip)]
    pub level: Level,
    /// The frame's length in bytes, without its newline. Not serialised.
    #[serde(skip)]
    pub frame_bytes: Option<u64>,
    /// What the words of a report turn on beside the rule. Not serialised.
    #[serde(skip)]
    pub(crate) particular: Particular,
}

/// What the words of a report turn on beside the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Particular {
    /// Nothing.
    None,
    /// Something is missing.
    Missing,
    /// The process had ended.
    Exit(ExitStatus),
    /// A reply's id as JSON text, and that of the request that it resembles or repeats.
    Id { got: SafeText, sent: Option<SafeText> },
}

/// A finding that does not fail the run, and how often its rule was met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct AdviceEvidence {
    /// The first finding of the rule.
    #[serde(flatten)]
    pub finding: FindingEvidence,
    /// How many frames or events met the rule.
    pub count: u64,
}

/// How the frames of a run are looked at.
pub(super) struct Lens<'a> {
    pub(super) redactor: &'a Redactor,
    /// The tool calls of the run.
    pub(super) calls: &'a [String],
    /// The bytes round the violation.
    pub(super) window: Option<&'a StdoutWindow>,
}

impl Lens<'_> {
    fn view(&self, finding: &Finding, frame: &FrameBytes, byte: Option<u64>) -> FrameView {
        let content = self.content(finding, frame);
        let beyond = byte.filter(|byte| *byte > frame.prefix.len() as u64);
        let extent = Extent::of(finding.rule, byte.unwrap_or(0));
        beyond
            .and_then(|_| self.midst(finding, frame, content))
            .unwrap_or_else(|| FrameView::new(frame, byte, extent, content, self.redactor))
    }

    /// Whether the frame may hold something of a user's.
    fn content(&self, finding: &Finding, frame: &FrameBytes) -> Content {
        let asked = finding.pending.as_ref().is_some_and(|request| is_of_users(&request.method));
        let called = finding.phase >= Phase::Call && !self.calls.is_empty();
        if asked || called || holds_content(&frame.prefix) {
            let fault = finding.position.byte().and_then(|byte| usize::try_from(byte.0).ok());
            Content::Users { fault }
        } else {
            Content::Plain
        }
    }

    /// The bytes of the frame round a byte that is not among the first ones.
    fn midst(&self, finding: &Finding, frame: &FrameBytes, content: Content) -> Option<FrameView> {
        let window = self.window?;
        let byte = finding.position.byte()?.0;
        let begins = finding.position.stream().0.checked_sub(byte)?;
        // Only the part of the window that lies in this frame.
        let from = begins.max(window.start);
        let to = (begins + frame.len).min(window.start + window.bytes.len() as u64);
        let place = |at: u64| usize::try_from(at.checked_sub(window.start)?).ok();
        let bytes = window.bytes.get(place(from)?..place(to)?)?;
        let end = if to == begins + frame.len { Edge::Whole } else { Edge::Cut };
        let at = usize::try_from((begins + byte).checked_sub(from)?).ok()?;
        let content = match content {
            Content::Users { .. } => Content::Users { fault: Some(at) },
            other => other,
        };
        FrameView::midst(bytes, at, end, content, self.redactor)
    }
}

impl FindingEvidence {
    pub(super) fn new(finding: &Finding, lens: &Lens<'_>) -> Self {
        let rule = finding.rule.rule();
        let redactor = lens.redactor;
        let byte = finding.position.byte().map(|byte| byte.0);
        let view = finding.frame_bytes.as_ref().map(|frame| lens.view(finding, frame, byte));
        let (hex_prefix, excerpt, hex_window) = match view {
            Some(view) => (Some(view.hex_prefix), Some(view.excerpt), view.hex_window),
            None => (None, None, None),
        };
        let (partial_bytes, end) = match finding.detail {
            Detail::Tail { end, partial_bytes } => (Some(partial_bytes), Some(end)),
            _ => (None, None),
        };
        let (pointer, reason) = match &finding.detail {
            Detail::Value { pointer, reason } => (
                Some(phrase(pointer.as_bytes(), redactor)),
                Some(phrase(reason.as_bytes(), redactor)),
            ),
            _ => (None, None),
        };
        Self {
            rule: finding.rule,
            layer: rule.layer.number(),
            layer_name: rule.layer.name(),
            frame: finding.position.frame().map(|frame| frame.0),
            byte_in_frame: byte,
            byte_in_stream: finding.position.stream().0,
            time_ms: millis(finding.at),
            phase: finding.phase,
            request_id: finding
                .pending
                .as_ref()
                .map(|request| word(request.id.as_str().as_bytes(), redactor)),
            method: finding
                .pending
                .as_ref()
                .map(|request| word(request.method.as_bytes(), redactor)),
            hex_prefix,
            excerpt,
            partial_bytes,
            end,
            pointer,
            reason,
            hint: finding
                .frame_bytes
                .as_ref()
                .and_then(|frame| hint::guess(finding.rule, &finding.detail, &frame.prefix)),
            detail: detail(&finding.detail, redactor),
            hex_window,
            level: finding.level,
            frame_bytes: finding.frame_bytes.as_ref().map(|frame| frame.len),
            particular: particular(&finding.detail, redactor),
        }
    }

    /// Where the finding is, in a few words: `frame 2, byte 0`, `after the last frame`.
    pub(crate) fn place(&self) -> String {
        match (self.frame, self.byte_in_frame) {
            (Some(frame), Some(byte)) => format!("frame {frame}, byte {byte}"),
            _ => "after the last frame".to_owned(),
        }
    }

    /// Whether the fault lies below the messages, so that nothing of MCP was tested.
    pub(crate) fn is_below_messages(&self) -> bool {
        self.layer <= Layer::Json.number()
    }
}

impl AdviceEvidence {
    pub(super) fn new(advice: &Advice, lens: &Lens<'_>) -> Self {
        Self { finding: FindingEvidence::new(&advice.finding, lens), count: advice.count }
    }
}

/// Whole milliseconds.
pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn particular(detail: &Detail, redactor: &Redactor) -> Particular {
    match detail {
        Detail::Missing(_) => Particular::Missing,
        Detail::Exit(status) => Particular::Exit(*status),
        Detail::Id { got, sent } => Particular::Id {
            got: word(got.as_str().as_bytes(), redactor),
            sent: sent.as_ref().map(|sent| word(sent.as_str().as_bytes(), redactor)),
        },
        _ => Particular::None,
    }
}

/// What the rule's name does not say, in words.
fn detail(detail: &Detail, redactor: &Redactor) -> Option<SafeText> {
    let text = match detail {
        Detail::None | Detail::Tail { .. } => return None,
        Detail::Utf16(Utf16::LittleEndian) => "the bytes are UTF-16, low byte first".to_owned(),
        Detail::Utf16(Utf16::BigEndian) => "the bytes are UTF-16, high byte first".to_owned(),
        Detail::Missing(member) => format!("`{}` is missing", member.path()),
        Detail::Wrong(member) => format!("`{}` {}", member.path(), wrong(*member)),
        Detail::Value { pointer, reason } => {
            let pointer = phrase(pointer.as_bytes(), redactor);
            format!("`{pointer}`: {}", phrase(reason.as_bytes(), redactor))
        }
        Detail::Id { got, sent } => {
            let got = word(got.as_str().as_bytes(), redactor);
            match sent {
                None => format!("the reply's id is {got}"),
                Some(sent) => {
                    let sent = word(sent.as_str().as_bytes(), redactor);
                    format!("the reply's id is {got}, the request's was {sent}")
                }
            }
        }
        Detail::Exit(ExitStatus::Code(code)) => format!("the exit status was {code}"),
        Detail::Exit(ExitStatus::Signal(signal)) => {
            format!("the process was ended by signal {signal}")
        }
        Detail::Strays(1) => "1 process was left".to_owned(),
        Detail::Strays(count) => format!("{count} processes were left"),
    };
    Some(SafeText::vouched(text))
}

fn wrong(member: Member) -> &'static str {
    match member {
        Member::Jsonrpc => "is not \"2.0\"",
        Member::Method | Member::ErrorMessage => "is not a string",
        Member::Params | Member::Result | Member::Error => "is not an object",
        Member::ErrorCode => "is not an integer",
        Member::Id => "has a type or value that ids cannot have",
    }
}
