//! Newlines where none may be, none where one must be, and text round a message.

use std::ops::Range;

use model::RuleId;

use super::bytes::in_string;
use crate::draft::Draft;
use crate::edit::Splice;
use crate::operator::{Operator, Place, Sample, advice, must};
use crate::promise::{At, Corruption};
use crate::view::{Message, View};

/// Frames are padded beyond a limit only up to this, so that it does not take megabytes.
const MOST_PADDING: u64 = 16 * 1024 * 1024;
/// Longer frames are beyond what several clients read.
const LARGE_FRAME_BYTES: u64 = 10 * 1024 * 1024;

pub(crate) const OPERATORS: &[Operator] = &[
    must("pretty-print", "A message is written over several lines", |view, place| {
        let message = view.message(place.frame)?;
        let members = message.members.iter().map(|member| view.text(&member.range()));
        let lines: Vec<Vec<u8>> = members.map(|member| [b"  ", member].concat()).collect();
        let object = message.object();
        let text = [b"{\n", lines.join(&b",\n"[..]).as_slice(), b"\n}"].concat();
        let frame = whole_frame(view, place.frame)?;
        let spoiled = Draft::replace(object.clone(), text).depending_on(frame);
        Some(spoiled.must(RuleId::SplitMessage, object.start + 1))
    }),
    must("newline-in-string", "A newline stands raw in a string", |view, place| {
        let (string, at) = in_string(view.message(place.frame)?, place)?;
        let before = view.frames[place.frame].start..string.end;
        Some(Draft::insert(at, *b"\n").depending_on(before).must(RuleId::SplitMessage, at))
    }),
    must("newline-between-members", "A newline is written after a comma", |view, place| {
        let (_, comma) = place.choose(&commas(view, view.message(place.frame)?))?;
        let before = view.frames[place.frame].start..comma + 1;
        let spoiled = Draft::insert(comma + 1, *b"\n").depending_on(before);
        Some(spoiled.must(RuleId::SplitMessage, comma + 1))
    }),
    must("drop-newline", "The newline between two messages is left out", |view, place| {
        join(view, place.frame, b"")
    }),
    must("join-with-a-blank", "A blank stands for the newline between two messages", {
        |view, place| join(view, place.frame, place.choose(&[&b" "[..], b"\t", b"\r", b"  "])?)
    }),
    must("interleave", "A second writer's message falls into a message", |view, place| {
        let (first, second) = neighbours(view, place.frame)?;
        // A key must come after the comma, and an object is none.
        let (_, comma) = place.choose(&commas(view, first))?;
        let frame = whole_frame(view, place.frame)?;
        let next = whole_frame(view, place.frame + 1)?;
        let text = [
            view.text(&(frame.start..comma + 1)),
            view.text(&next),
            view.text(&(comma + 1..frame.end)),
        ]
        .concat();
        let blanks = second.object().start - next.start;
        let spoiled = Draft::replace(frame.start..next.end, text);
        Some(spoiled.must(RuleId::InvalidJson, comma + 1 + blanks))
    }),
    must(
        "glue-text-before",
        "Text without a newline is printed before a message",
        |view, place| {
            let samples: [Sample; 5] = [
                (b"DEBUG: ", RuleId::InvalidJson, 0),
                (b"> ", RuleId::InvalidJson, 0),
                (b"\x1b[0m", RuleId::InvalidJson, 0),
                (b"\x0c", RuleId::InvalidJson, 0),
                (b" done. ", RuleId::InvalidJson, 1),
            ];
            let (text, rule, byte) = place.choose(&samples)?;
            let start = view.frames.get(place.frame)?.start;
            Some(Draft::insert(start, text).must(rule, start + byte))
        },
    ),
    must("glue-number-before", "A number without a newline is printed before a message", {
        |view, place| {
            // The number is a whole JSON text, and the first byte after it is not blank.
            let samples: [Sample; 2] =
                [(b"42", RuleId::InvalidJson, 2), (b"1.5 ", RuleId::InvalidJson, 4)];
            let (text, rule, byte) = place.choose(&samples)?;
            let start = view.frames.get(place.frame)?.start;
            let object = view.message(place.frame)?.object();
            let blanks = object.start - start;
            Some(
                Draft::insert(start, text)
                    .depending_on(start..object.start)
                    .must(rule, start + byte + blanks),
            )
        }
    }),
    must(
        "glue-text-after",
        "Text is printed after a message, before its newline",
        |view, place| {
            let samples: [Sample; 6] = [
                (b" done", RuleId::InvalidJson, 1),
                (b";", RuleId::InvalidJson, 0),
                (b"\0", RuleId::InvalidJson, 0),
                (b"}", RuleId::InvalidJson, 0),
                (b" // sent", RuleId::InvalidJson, 1),
                ("\u{2028}".as_bytes(), RuleId::InvalidJson, 0),
            ];
            let (text, rule, byte) = place.choose(&samples)?;
            let end = view.message(place.frame)?.object().end;
            Some(Draft::insert(end, text).must(rule, end + byte))
        },
    ),
    must("drop-closing-brace", "A message lacks its last brace", |view, place| {
        let end = view.message(place.frame)?.object().end;
        let frame = whole_frame(view, place.frame)?;
        // The newline falls while the object is open: one byte earlier than it stood.
        let spoiled = Draft::remove(end - 1..end).depending_on(frame.clone());
        Some(spoiled.must(RuleId::SplitMessage, frame.end - 2))
    }),
    must("exceed-frame-limit", "A message is padded beyond the largest frame", |view, place| {
        let limit = view.transcript.terms().max_frame_bytes;
        let (padded, byte) = (limit <= MOST_PADDING).then(|| pad(view, place, limit))??;
        Some(padded.must(RuleId::OversizedFrame, byte))
    }),
    advice("exceed-10-mib", "A message is padded beyond 10 MiB", |view, place| {
        let allowed = view.transcript.terms().max_frame_bytes > LARGE_FRAME_BYTES + 1;
        let (padded, byte) = allowed.then(|| pad(view, place, LARGE_FRAME_BYTES))??;
        Some(padded.advice(RuleId::LargeFrame, byte))
    }),
    advice("end-frame-with-crlf", "A frame ends with CR LF", |view, place| {
        let end = view.frames.get(place.frame)?.end;
        Some(Draft::insert(end, *b"\r").advice(RuleId::CarriageReturn, end))
    }),
    advice("end-every-frame-with-crlf", "Every frame ends with CR LF", |view, place| {
        if place.frame != view.frames.len() {
            return None;
        }
        let ends: Vec<usize> = view.frames.iter().map(|frame| frame.end).collect();
        let splice = |end: &usize| Splice { range: *end..*end, with: b"\r".to_vec() };
        let spoiled = Draft::splices(ends.iter().map(splice).collect());
        let spoiled = spoiled.depending_on(0..view.stdout().len());
        // Each carriage return has moved by those before it.
        let mut returns = ends.iter().enumerate().map(|(before, end)| end + before);
        let first = spoiled.advice(RuleId::CarriageReturn, returns.next()?);
        Some(returns.fold(first, |all, at| all.beside(RuleId::CarriageReturn, At::Byte(at))))
    }),
];

/// A frame with blanks before its newline, one or two more than a limit allows, and the first
/// byte beyond the limit.
fn pad(view: &View<'_>, place: Place, limit: u64) -> Option<(Draft, usize)> {
    let frame = view.frames.get(place.frame)?;
    let missing = limit.checked_sub((frame.end - frame.start) as u64)?;
    let blanks = vec![b' '; missing as usize + 1 + place.spot % 2];
    let padded = Draft::insert(frame.end, blanks).depending_on(frame.start..frame.end + 1);
    Some((padded, frame.start + limit as usize))
}

/// A frame with its newline.
pub(super) fn whole_frame(view: &View<'_>, frame: usize) -> Option<Range<usize>> {
    view.frames.get(frame).map(|frame| frame.start..frame.end + 1)
}

/// The members that a comma follows, each with that comma's offset.
pub(super) fn commas(view: &View<'_>, message: &Message) -> Vec<(usize, usize)> {
    let pairs = message.members.windows(2).enumerate();
    pairs
        .filter_map(|(index, pair)| {
            let between = pair[0].value.end..pair[1].key.start;
            let comma = view.text(&between).iter().position(|byte| *byte == b',')?;
            Some((index, between.start + comma))
        })
        .collect()
}

fn neighbours<'v>(view: &'v View<'_>, frame: usize) -> Option<(&'v Message, &'v Message)> {
    view.message(frame).zip(view.message(frame + 1))
}

/// Two messages in one frame, which must stay within the limit.
fn join(view: &View<'_>, frame: usize, between: &[u8]) -> Option<Corruption> {
    let (_, second) = neighbours(view, frame)?;
    let (first, next) = (whole_frame(view, frame)?, whole_frame(view, frame + 1)?);
    let length = first.len() + next.len() + between.len();
    if length as u64 > view.transcript.terms().max_frame_bytes {
        return None;
    }
    let newline = first.end - 1..first.end;
    let second = second.object().start - 1 + between.len();
    let spoiled = Draft::replace(newline, between).depending_on(first.start..next.end);
    Some(spoiled.must(RuleId::JoinedMessages, second))
}
