//! What is almost JSON, and JSON that readers disagree about.

use std::ops::Range;

use model::RuleId;

use super::bytes::in_string;
use super::framing::commas;
use crate::draft::Draft;
use crate::json::Value;
use crate::operator::{Operator, Place, Sample, advice, must};
use crate::promise::Corruption;
use crate::view::{Member, Message, View};

/// The key of members that operators add where the sender may put what it likes.
const OWN_KEY: &[u8] = b"\"example.com/added\":";
/// The nesting that all readers share.
pub(super) const SHARED_DEPTH: usize = 128;
/// Duplicate keys are looked for among so many keys of one message only.
const KEYS_LOOKED_AT: usize = 4096;

pub(crate) const OPERATORS: &[Operator] = &[
    must("not-a-number", "A value is written as programs print it, not as JSON", |view, place| {
        let samples: [Sample; 8] = [
            (b"NaN", RuleId::InvalidJson, 0),
            (b"Infinity", RuleId::InvalidJson, 0),
            (b"-Infinity", RuleId::InvalidJson, 1),
            (b"undefined", RuleId::InvalidJson, 0),
            (b"None", RuleId::InvalidJson, 0),
            (b"True", RuleId::InvalidJson, 0),
            (b"nil", RuleId::InvalidJson, 1),
            (b"'text'", RuleId::InvalidJson, 0),
        ];
        let (text, rule, byte) = place.choose(&samples)?;
        let (added, at) = add_member(view, view.message(place.frame)?, text)?;
        Some(added.must(rule, at + byte))
    }),
    must("trailing-comma", "A comma stands before the last brace", |view, place| {
        let brace = view.message(place.frame)?.object().end - 1;
        Some(Draft::insert(brace, *b",").must(RuleId::InvalidJson, brace + 1))
    }),
    must("comment", "A comment stands in a message", |view, place| {
        let samples: [&[u8]; 3] = [b"/* note */", b"// note ", b"# note "];
        let brace = view.message(place.frame)?.object().start;
        let inserted = Draft::insert(brace + 1, place.choose(&samples)?);
        Some(inserted.must(RuleId::InvalidJson, brace + 1))
    }),
    must("raw-control-character", "A control character stands raw in a string", |view, place| {
        // 0x0A would end the frame, and is another operator's.
        let characters: Vec<u8> = (0..b' ').filter(|byte| *byte != b'\n').collect();
        let character = place.choose(&characters)?;
        let spot = place.spot / characters.len();
        let (string, at) = in_string(view.message(place.frame)?, Place { spot, ..place })?;
        let spoiled = Draft::insert(at, [character]).depending_on(string);
        Some(spoiled.must(RuleId::InvalidJson, at))
    }),
    must("bad-escape", "A string holds an escape that JSON does not know", |view, place| {
        let samples: [Sample; 5] = [
            (b"\\x41", RuleId::InvalidJson, 1),
            (b"\\e[0m", RuleId::InvalidJson, 1),
            (b"\\'", RuleId::InvalidJson, 1),
            (b"\\u{41}", RuleId::InvalidJson, 2),
            (b"\\u00g0", RuleId::InvalidJson, 4),
        ];
        let (text, rule, byte) = place.choose(&samples)?;
        let spot = place.spot / samples.len();
        let (string, at) = in_string(view.message(place.frame)?, Place { spot, ..place })?;
        Some(Draft::insert(at, text).depending_on(string).must(rule, at + byte))
    }),
    must("single-quotes", "A key stands in single quotes", |view, place| {
        let key = member(view, place)?.key.clone();
        let inner = view.text(&(key.start + 1..key.end - 1));
        let quoted = [b"'", inner, b"'"].concat();
        Some(Draft::replace(key.clone(), quoted).must(RuleId::InvalidJson, key.start))
    }),
    must("bare-key", "A key stands without quotes", |view, place| {
        let key = member(view, place)?.key.clone();
        let inner = view.text(&(key.start + 1..key.end - 1));
        Some(Draft::replace(key.clone(), inner).must(RuleId::InvalidJson, key.start))
    }),
    must("drop-colon", "The colon of a member is left out", |view, place| {
        let Member { key, value, .. } = member(view, place)?.clone();
        let between = key.end..value.start;
        let blanks: Vec<u8> =
            view.text(&between).iter().copied().filter(|byte| *byte != b':').collect();
        // The value stands where the colon must.
        let spoiled = Draft::replace(between, blanks).depending_on(key.start..value.end);
        Some(spoiled.must(RuleId::InvalidJson, value.start - 1))
    }),
    must("drop-comma", "The comma between two members is left out", |view, place| {
        let message = view.message(place.frame)?;
        let (before, comma) = place.choose(&commas(view, message))?;
        let next = message.members.get(before + 1)?;
        let spoiled = Draft::remove(comma..comma + 1).depending_on(comma..next.key.end);
        // After a value only a comma or a brace can stand, and what stands there is a quote.
        Some(spoiled.must(RuleId::InvalidJson, next.key.start - 1))
    }),
    must("close-twice", "A message has one brace too many", |view, place| {
        let end = view.message(place.frame)?.object().end;
        // The first brace closes the message, and nothing may follow it.
        Some(Draft::insert(end, *b"}").must(RuleId::InvalidJson, end))
    }),
    must("wrong-bracket", "A bracket stands where a brace must", |view, place| {
        let end = view.message(place.frame)?.object().end;
        Some(Draft::replace(end - 1..end, *b"]").must(RuleId::InvalidJson, end - 1))
    }),
    must("duplicate-member", "A member of the envelope stands twice", |view, place| {
        let member = member(view, place)?.range();
        Some(duplicate(view.text(&member), member))
    }),
    must("duplicate-member-by-escape", "A member stands twice, once spelled with an escape", {
        |view, place| {
            let member = member(view, place)?;
            let first = member.name.bytes().next()?;
            let rest = member.name.get(1..)?;
            let escaped = format!("\"\\u{first:04x}{rest}\"").into_bytes();
            let value = view.text(&(member.key.end..member.value.end));
            Some(duplicate(&[escaped.as_slice(), value].concat(), member.range()))
        }
    }),
    must("duplicate-error-member", "The code or the message of an error stands twice", {
        |view, place| {
            let message = view.message(place.frame)?;
            let error = message.member("error")?;
            let index = message.values.iter().position(|value| value.range == error.value)?;
            let members: Vec<Range<usize>> = message
                .values
                .iter()
                .filter(|value| value.parent == Some(index))
                .filter_map(|value| {
                    let key = value.key.clone()?;
                    let envelope = matches!(view.text(&key), b"\"code\"" | b"\"message\"");
                    envelope.then_some(key.start..value.range.end)
                })
                .collect();
            let member = place.choose(&members)?;
            Some(duplicate(view.text(&member), member))
        }
    }),
    advice("duplicate-key", "A key stands twice in an object inside a message", |view, place| {
        let message = view.message(place.frame)?;
        if message.values.len() + 2 > KEYS_LOOKED_AT {
            return None;
        }
        let twice = [b"1,", OWN_KEY, b"2"].concat();
        let (added, at) = add_member(view, message, &twice)?;
        Some(added.advice(RuleId::DuplicateKey, at + b"1,".len()))
    }),
    advice("lone-surrogate", "A string holds the escape of half a character", |view, place| {
        let samples: [Sample; 4] = [
            (b"\"\\ud83d\"", RuleId::LoneSurrogate, 1),
            (b"\"\\udc00 text\"", RuleId::LoneSurrogate, 1),
            (b"\"\\ud83d\\ud83d\\ude00\"", RuleId::LoneSurrogate, 1),
            (b"\"x\\ude00\\ud83d\"", RuleId::LoneSurrogate, 2),
        ];
        let (text, rule, byte) = place.choose(&samples)?;
        let (added, at) = add_member(view, view.message(place.frame)?, text)?;
        Some(added.advice(rule, at + byte))
    }),
    advice("nest-too-deep", "A value nests one level deeper than all readers share", {
        |view, place| {
            let message = view.message(place.frame)?;
            // The message is the first level, params or result the second.
            let brackets = SHARED_DEPTH + 1 - 2;
            let deeper = brackets + place.spot % 3;
            let value = [vec![b'['; deeper], vec![b']'; deeper]].concat();
            let (added, at) = add_member(view, message, &value)?;
            Some(added.advice(RuleId::DeepNesting, at + brackets - 1))
        }
    }),
];

/// One of the members of a message's envelope.
fn member<'v>(view: &'v View<'_>, place: Place) -> Option<&'v Member> {
    let members = &view.message(place.frame)?.members;
    members.get(place.spot % members.len())
}

/// A copy of a member, whose text may be another, is put behind it.
fn duplicate(copy: &[u8], member: Range<usize>) -> Corruption {
    let end = member.end;
    let spoiled = Draft::insert(end, [b",", copy].concat()).depending_on(member);
    spoiled.must(RuleId::DuplicateMember, end + 1)
}

/// A member of the operator's own is put at the end of params or result, where a sender may put
/// what it likes. Gives the place of its value too.
pub(super) fn add_member(
    view: &View<'_>,
    message: &Message,
    value: &[u8],
) -> Option<(Draft, usize)> {
    let object: &Value = message.free_object()?;
    let brace = object.range.end - 1;
    let empty = view.text(&(object.range.start + 1..brace)).trim_ascii().is_empty();
    let comma: &[u8] = if empty { b"" } else { b"," };
    let text = [comma, OWN_KEY, value].concat();
    let at = brace + text.len() - value.len();
    Some((Draft::insert(brace, text), at))
}
