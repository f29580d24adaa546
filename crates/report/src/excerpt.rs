//! The part of a frame that a report shows, and where in it the fault lies.

mod extent;

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::ops::Range;

use model::FrameBytes;
use serde::{Serialize, Serializer};

use crate::caps;
use crate::redact::{Content, Edge, Edges, Located, Redacted, Redactor};
use crate::safe::{ASCII_ELLIPSIS, ELLIPSIS, SafeText, Untrusted, escape_beyond_ascii, units};
use crate::style::Charset;

pub(crate) use extent::Extent;

/// Part of a frame, redacted and safe, at most 120 columns wide.
///
/// Serialised as one string in which `…` at either end stands for what is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text, without marks of omission.
    pub text: SafeText,
    /// The bytes of `text` that show the byte of the fault; empty at the end of the text for the
    /// end of the frame. None if that byte was not kept, or if there is none.
    pub caret: Option<Range<usize>>,
    /// Whether something before the text is not shown.
    pub before: Omission,
    /// Whether something after the text is not shown.
    pub after: Omission,
}

/// Whether something is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Omission {
    /// Everything is shown.
    Nothing,
    /// Something is not.
    Some,
}

/// The first bytes of a redacted frame, in lower-case hexadecimal without blanks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HexPrefix(String);

/// The bytes of a redacted frame round the byte of the fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct HexWindow {
    /// The bytes, in lower-case hexadecimal without blanks.
    #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
    pub hex: HexPrefix,
    /// Which of them is the byte of the fault, counted from 0; where a secret was replaced, the
    /// first byte of what stands in its place. Null at the end of the frame.
    pub fault: Option<usize>,
}

/// What a report shows of a frame.
pub(crate) struct FrameView {
    pub(crate) excerpt: Excerpt,
    pub(crate) hex_prefix: HexPrefix,
    pub(crate) hex_window: Option<HexWindow>,
}

impl FrameView {
    /// Redacts the kept bytes of a frame, and shows those round the byte at `byte`; without such
    /// a byte, or if it was not kept, the beginning.
    pub(crate) fn new(
        frame: &FrameBytes,
        byte: Option<u64>,
        extent: Extent,
        content: Content,
        redactor: &Redactor,
    ) -> Self {
        let end = if (frame.prefix.len() as u64) < frame.len { Edge::Cut } else { Edge::Whole };
        let edges = Edges { start: Edge::Whole, end };
        let redacted = redactor.redact_as(&frame.prefix, edges, content);
        let caret = byte.and_then(|byte| usize::try_from(byte).ok()).and_then(|byte| {
            let range = caret(&redacted, byte, end)?;
            let last = extent.end(&frame.prefix, byte).checked_sub(1).filter(|last| *last > byte);
            Some(match last.map(|last| redacted.locate(last)) {
                Some(Located::At(at)) => range.start..at + 1,
                Some(Located::Replaced(last)) => range.start..last.end,
                // The end is lost at an edge: all that is left belongs to it.
                Some(Located::Dropped) => range.start..redacted.bytes.len(),
                None => range,
            })
        });
        Self::of(&redacted, caret, edges)
    }

    /// Redacts bytes from the midst of a frame, and shows those round one of them. None if it is
    /// lost at an edge.
    pub(crate) fn midst(
        bytes: &[u8],
        byte: usize,
        end: Edge,
        content: Content,
        redactor: &Redactor,
    ) -> Option<Self> {
        let edges = Edges { start: Edge::Cut, end };
        let redacted = redactor.redact_as(bytes, edges, content);
        let caret = caret(&redacted, byte, end)?;
        Some(Self::of(&redacted, Some(caret), edges))
    }

    fn of(redacted: &Redacted, caret: Option<Range<usize>>, edges: Edges) -> Self {
        Self {
            hex_window: caret.as_ref().map(|caret| HexWindow::new(&redacted.bytes, caret.start)),
            excerpt: Excerpt::window(redacted, caret, edges),
            hex_prefix: HexPrefix::new(&redacted.bytes),
        }
    }
}

/// Where the byte of the fault is after redaction.
fn caret(redacted: &Redacted, byte: usize, end: Edge) -> Option<Range<usize>> {
    match redacted.locate(byte) {
        // The end of the kept bytes is the end of the frame only if all of them were kept.
        Located::At(at) => (at < redacted.bytes.len() || end == Edge::Whole).then_some(at..at),
        Located::Replaced(range) => Some(range),
        Located::Dropped => None,
    }
}

impl Excerpt {
    fn window(redacted: &Redacted, caret: Option<Range<usize>>, edges: Edges) -> Self {
        let bytes = redacted.bytes.as_slice();
        let room = caps::EXCERPT.less_marks(2);
        let start =
            caret.as_ref().map_or(0, |caret| window_start(bytes, caret.start, room.columns));
        let shown = Untrusted::new(&bytes[start..]).sanitise(room);
        let span = caret.and_then(|caret| {
            let first = shown.span(caret.start - start)?;
            let last = match caret.end.checked_sub(start + 1).filter(|_| !caret.is_empty()) {
                None => first.end,
                // What lies beyond the text ends with it.
                Some(last) => shown.span(last).map_or(shown.text.as_str().len(), |last| last.end),
            };
            Some(first.start..last.max(first.end))
        });
        let ends_here = shown.is_whole() && edges.end == Edge::Whole && !redacted.lost_end();
        Self {
            caret: span,
            before: if start == 0 && edges.start == Edge::Whole {
                Omission::Nothing
            } else {
                Omission::Some
            },
            after: if ends_here { Omission::Nothing } else { Omission::Some },
            text: shown.text,
        }
    }

    /// The text with its marks of omission, in the characters allowed, and the bytes of it that
    /// show the fault.
    #[must_use]
    pub fn marked(&self, charset: Charset) -> (String, Option<Range<usize>>) {
        let spell = |text: &str| match charset {
            Charset::Unicode => text.to_owned(),
            Charset::Ascii => escape_beyond_ascii(text),
        };
        let mark = |omission| match (omission, charset) {
            (Omission::Nothing, _) => String::new(),
            (Omission::Some, Charset::Unicode) => ELLIPSIS.to_string(),
            (Omission::Some, Charset::Ascii) => ASCII_ELLIPSIS.to_owned(),
        };
        let mut out = mark(self.before);
        let text = self.text.as_str();
        let caret = self.caret.clone().map(|caret| {
            let place = |at: usize| out.len() + spell(&text[..at]).len();
            place(caret.start)..place(caret.end)
        });
        out.push_str(&spell(text));
        out.push_str(&mark(self.after));
        (out, caret)
    }
}

/// Where a window begins that shows the byte at `caret` and fills its columns: two thirds of
/// them are for what follows the byte, unless less follows.
fn window_start(bytes: &[u8], caret: usize, columns: usize) -> usize {
    let mut after = 0;
    for unit in units(&bytes[caret..]) {
        after += unit.columns();
        if after >= columns {
            break;
        }
    }
    let room = columns.saturating_sub(after).max(columns / 3);
    let mut start = 0;
    let mut used = 0;
    let mut window: VecDeque<(usize, usize)> = VecDeque::new();
    for unit in units(&bytes[..caret]) {
        let width = unit.columns();
        window.push_back((unit.range.end, width));
        used += width;
        while used > room {
            let Some((end, width)) = window.pop_front() else {
                break;
            };
            start = end;
            used -= width;
        }
    }
    start
}

impl Serialize for Excerpt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.marked(Charset::Unicode).0)
    }
}

impl HexWindow {
    fn new(bytes: &[u8], fault: usize) -> Self {
        // Whole lines of a dump, with the fault in the second half.
        let start = (fault.saturating_sub(caps::HEX_BYTES / 2)) / 16 * 16;
        let fault = (fault < bytes.len()).then_some(fault - start);
        Self { hex: HexPrefix::new(&bytes[start.min(bytes.len())..]), fault }
    }
}

impl HexPrefix {
    fn new(bytes: &[u8]) -> Self {
        let mut out = String::new();
        for byte in bytes.iter().take(caps::HEX_BYTES) {
            write!(out, "{byte:02x}").expect("a String takes every write");
        }
        Self(out)
    }

    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Serialize for HexPrefix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}
