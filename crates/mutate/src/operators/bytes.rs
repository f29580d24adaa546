//! Faults below JSON: what is not UTF-8, and marks that must not stand there.

use model::RuleId;

use crate::draft::Draft;
use crate::operator::{Operator, Place, must};
use crate::promise::Corruption;
use crate::view::{Message, View};

pub(crate) const OPERATORS: &[Operator] = &[
    must("add-byte-order-mark", "A byte-order mark is written before a frame", |view, place| {
        let at = view.frames.get(place.frame)?.start;
        Some(Draft::insert(at, *b"\xEF\xBB\xBF").must(RuleId::ByteOrderMark, at))
    }),
    must(
        "add-stray-byte",
        "A byte that UTF-8 never has there stands in a string",
        |view, place| {
            spoil_string(
                view,
                place,
                &[b"\x80", b"\xBF", b"\xFF", b"\xC3", b"\xF8\x88\x80\x80\x80"],
            )
        },
    ),
    must("add-overlong-character", "A character is encoded in too many bytes", |view, place| {
        spoil_string(view, place, &[b"\xC0\xAF", b"\xE0\x80\xAF", b"\xF0\x80\x80\xAF"])
    }),
    must("add-encoded-surrogate", "A surrogate is encoded as if it were a character", {
        |view, place| spoil_string(view, place, &[b"\xED\xA0\x80", b"\xED\xB0\x80"])
    }),
    must("add-character-beyond-unicode", "A code point beyond U+10FFFF is encoded", {
        |view, place| spoil_string(view, place, &[b"\xF4\x90\x80\x80", b"\xF5\x80\x80\x80"])
    }),
    must("cut-character", "A character loses its last byte", |view, place| {
        let frame = view.frames.get(place.frame)?;
        let characters = characters(view.text(&(frame.start..frame.end)));
        let (start, len) = place.choose(&characters)?;
        let (start, end) = (frame.start + start, frame.start + start + len);
        let cut = Draft::remove(end - 1..end).depending_on(start..end);
        Some(cut.must(RuleId::DecodeError, start))
    }),
    must("encode-message-as-utf-16", "A message is written as UTF-16 without a mark", {
        |view, place| {
            let message = view.message(place.frame)?;
            let frame = &view.frames[place.frame];
            let text = view.text(&(frame.start..frame.end));
            // Only then is what comes out UTF-8, and only then does it begin with a brace.
            if !text.is_ascii() || message.object().start != frame.start {
                return None;
            }
            let wide: Vec<u8> = text.iter().flat_map(|byte| [*byte, 0]).collect();
            let spoiled = Draft::replace(frame.start..frame.end, wide);
            Some(spoiled.must(RuleId::InvalidJson, frame.start + 1))
        }
    }),
];

/// Bytes are put at the beginning of one of the frame's strings. What follows them there is the
/// beginning of a character, so that they stay as wrong as they are.
fn spoil_string(view: &View<'_>, place: Place, faults: &[&[u8]]) -> Option<Corruption> {
    let (message, fault) = (view.message(place.frame)?, place.choose(faults)?);
    let (string, at) = in_string(message, Place { spot: place.spot / faults.len(), ..place })?;
    Some(Draft::insert(at, fault).depending_on(string).must(RuleId::DecodeError, at))
}

/// One of the strings of a message, and the place after its opening quote.
pub(super) fn in_string(
    message: &Message,
    place: Place,
) -> Option<(std::ops::Range<usize>, usize)> {
    let strings: Vec<_> = message.strings().map(|string| string.range.clone()).collect();
    let string = place.choose(&strings)?;
    let at = string.start + 1;
    Some((string, at))
}

/// Start and length of each character that takes more than one byte.
pub(super) fn characters(text: &[u8]) -> Vec<(usize, usize)> {
    let text = std::str::from_utf8(text).unwrap_or_default();
    let characters = text.char_indices().map(|(at, character)| (at, character.len_utf8()));
    characters.filter(|(_, len)| *len > 1).collect()
}
