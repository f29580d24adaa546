//! Messages that are JSON, but not what JSON-RPC asks for.

use std::ops::Range;

use model::{MessageKind, ProtocolVersion, RuleId};

use super::framing::whole_frame;
use super::syntax::SHARED_DEPTH;
use crate::draft::Draft;
use crate::edit::Splice;
use crate::json::Kind;
use crate::operator::{Operator, Place, advice, must};
use crate::promise::Corruption;
use crate::view::{Member, Message, View};

const NOT_A_STRING: [&[u8]; 5] = [b"42", b"null", b"true", b"[\"ping\"]", b"{}"];
const NOT_AN_OBJECT: [&[u8]; 5] = [b"[]", b"null", b"\"done\"", b"true", b"0"];
const NOT_AN_ID: [&[u8]; 5] = [b"true", b"false", b"[31]", b"{}", b"[]"];
const FRACTIONS: [&[u8]; 4] = [b"31.5", b"0.1", b"-1.5", b"15e-1"];
const OTHER_VERSIONS: [&[u8]; 7] =
    [b"\"1.0\"", b"2.0", b"2", b"\"2\"", b"null", b"\"2.0 \"", b"\"2.1\""];

pub(crate) const OPERATORS: &[Operator] = &[
    must("drop-jsonrpc", "A message lacks its jsonrpc member", |view, place| {
        without(view, place, "jsonrpc", RuleId::JsonrpcVersion)
    }),
    must("change-jsonrpc", "A message claims another version of JSON-RPC", |view, place| {
        let member = view.message(place.frame)?.member("jsonrpc")?;
        Some(with_value(member, place.choose(&OTHER_VERSIONS)?, RuleId::JsonrpcVersion))
    }),
    must("add-error-beside-result", "A reply has a result and an error", |view, place| {
        let message = view.message(place.frame)?;
        if !message.is_reply() {
            return None;
        }
        let added: [&[u8]; 2] = if message.kind == MessageKind::Error {
            [b"\"result\":{}", b"\"result\":null"]
        } else {
            [b"\"error\":{\"code\":1,\"message\":\"x\"}", b"\"error\":null"]
        };
        Some(with_member(view, place, place.choose(&added)?)?.must_at_key(RuleId::ResultAndError))
    }),
    must("add-method-to-reply", "A reply has a method too", |view, place| {
        view.message(place.frame).filter(|message| message.is_reply())?;
        let method = b"\"method\":\"example/done\"";
        Some(with_member(view, place, method)?.must_at_key(RuleId::MethodAndResult))
    }),
    must("add-result-to-call", "A request or notification has a result too", |view, place| {
        view.message(place.frame).filter(|message| !message.is_reply())?;
        let result: [&[u8]; 3] =
            [b"\"result\":{}", b"\"result\":null", b"\"error\":{\"code\":1,\"message\":\"x\"}"];
        let added = with_member(view, place, place.choose(&result)?)?;
        Some(added.must_at_key(RuleId::MethodAndResult))
    }),
    must("drop-result", "A reply has neither result nor error", |view, place| {
        let message = view.message(place.frame).filter(|message| message.is_reply())?;
        let name = if message.kind == MessageKind::Error { "error" } else { "result" };
        let dropped = without(view, place, name, RuleId::UnknownKind)?;
        // Without it, other members mean something else.
        Some(whole(dropped, view, place.frame))
    }),
    must("drop-method", "A request or notification has no method", |view, place| {
        view.message(place.frame).filter(|message| !message.is_reply())?;
        let dropped = without(view, place, "method", RuleId::UnknownKind)?;
        Some(whole(dropped, view, place.frame))
    }),
    must("change-result-type", "A result is not an object", |view, place| {
        let member = view.message(place.frame)?.member("result")?;
        Some(with_value(member, place.choose(&NOT_AN_OBJECT)?, RuleId::ResultType))
    }),
    must("change-error-type", "An error is not an object", |view, place| {
        let member = view.message(place.frame)?.member("error")?;
        Some(with_value(member, place.choose(&NOT_AN_OBJECT)?, RuleId::ErrorShape))
    }),
    must("change-error-code", "An error's code is not an integer", |view, place| {
        let code = error_member(view, place.frame, "\"code\"")?.1;
        let texts: [&[u8]; 4] = [b"\"-32601\"", b"-32601.5", b"null", b"\"E_FAIL\""];
        Some(replaced(code, place.choose(&texts)?, RuleId::ErrorShape))
    }),
    must("change-error-message", "An error's message is not a string", |view, place| {
        let text = error_member(view, place.frame, "\"message\"")?.1;
        Some(replaced(text, place.choose(&NOT_A_STRING)?, RuleId::ErrorShape))
    }),
    must("drop-error-message", "An error lacks its message or code", |view, place| {
        let name = place.choose(&["\"message\"", "\"code\""])?;
        let (key, value) = error_member(view, place.frame, name)?;
        // Another name takes its place, which has the same length.
        let mut other = view.text(&key).to_vec();
        other[1] = b'x';
        let end = view.frames[place.frame].end;
        let spoiled = Draft::replace(key.clone(), other).depending_on(key.start..value.end);
        Some(spoiled.must(RuleId::ErrorShape, end))
    }),
    must("id-to-null", "A result or a request has a null id", |view, place| {
        let message = view.message(place.frame)?;
        if message.kind == MessageKind::Error {
            return None;
        }
        Some(with_value(message.member("id")?, b"null", RuleId::IdNull))
    }),
    must("id-to-fraction", "An id is a number that is no integer", |view, place| {
        let id = view.message(place.frame)?.member("id")?;
        Some(with_value(id, place.choose(&FRACTIONS)?, RuleId::IdType))
    }),
    must("id-to-other-type", "An id is neither a string nor a number", |view, place| {
        let id = view.message(place.frame)?.member("id")?;
        Some(with_value(id, place.choose(&NOT_AN_ID)?, RuleId::IdType))
    }),
    must("drop-id", "A result has no id", |view, place| {
        view.message(place.frame).filter(|message| message.kind == MessageKind::Result)?;
        without(view, place, "id", RuleId::IdMissing)
    }),
    must("change-method-type", "A method is not a string", |view, place| {
        let method = view.message(place.frame)?.member("method")?;
        Some(with_value(method, place.choose(&NOT_A_STRING)?, RuleId::MethodType))
    }),
    must("change-params-type", "The params are not an object", |view, place| {
        let message = view.message(place.frame).filter(|message| !message.is_reply())?;
        match message.member("params") {
            Some(params) => {
                Some(with_value(params, place.choose(&NOT_AN_OBJECT)?, RuleId::ParamsType))
            }
            None => {
                let text = [b"\"params\":", place.choose(&NOT_AN_OBJECT)?].concat();
                let added = with_member(view, place, &text)?;
                let at = added.key + b"\"params\":".len();
                Some(added.draft.must(RuleId::ParamsType, at))
            }
        }
    }),
    must("wrap-in-array", "A message is written as a batch of one", |view, place| {
        let message = view.message(place.frame)?;
        let object = message.object();
        let legal = view.protocol_at(place.frame) == Some(ProtocolVersion::V2025_03_26);
        // The array is one level more, which must not be one too many.
        if legal || message.depth() >= SHARED_DEPTH {
            return None;
        }
        let opening = Splice { range: object.start..object.start, with: b"[".to_vec() };
        let closing = Splice { range: object.end..object.end, with: b"]".to_vec() };
        let wrapped = Draft::splices(vec![opening, closing]);
        Some(wrapped.must(RuleId::BatchArray, object.start))
    }),
    advice("id-to-integral-float", "An integer id is written with a fraction of zero", {
        |view, place| {
            let id = view.message(place.frame)?.member("id")?;
            let digits = view.text(&id.value);
            if id.kind != Kind::Number || !digits.iter().all(u8::is_ascii_digit) {
                return None;
            }
            let suffix: &[u8] = place.choose(&[&b".0"[..], b".00", b"e0", b"E+0", b".0e0"])?;
            let added = Draft::insert(id.value.end, suffix).depending_on(id.value.clone());
            Some(added.advice(RuleId::IdType, id.value.start))
        }
    }),
    advice("add-extra-member", "A message has a member that JSON-RPC does not know", {
        |view, place| {
            let members: [&[u8]; 4] =
                [b"\"trace\":1", b"\"_meta\":{}", b"\"Id\":null", b"\"\":\"\""];
            let added = with_member(view, place, place.choose(&members)?)?;
            Some(added.draft.advice(RuleId::ExtraMember, added.key))
        }
    }),
    advice("add-params-to-reply", "A reply has params", |view, place| {
        view.message(place.frame).filter(|message| message.is_reply())?;
        let params: [&[u8]; 2] = [b"\"params\":{}", b"\"params\":[1]"];
        let added = with_member(view, place, place.choose(&params)?)?;
        Some(added.draft.advice(RuleId::ExtraMember, added.key))
    }),
];

/// A message with one member more.
struct Added {
    draft: Draft,
    /// The opening quote of the new key.
    key: usize,
    object: Range<usize>,
}

impl Added {
    /// The later of two members that contradict one another is proof.
    fn must_at_key(self, rule: RuleId) -> Corruption {
        self.draft.depending_on(self.object).must(rule, self.key)
    }
}

/// The member is put last.
fn with_member(view: &View<'_>, place: Place, member: &[u8]) -> Option<Added> {
    let object = view.message(place.frame)?.object();
    let brace = object.end - 1;
    let draft = Draft::insert(brace, [b",", member].concat());
    Some(Added { draft, key: brace + 1, object })
}

/// A member is taken out, with one comma. What is missing is missing at the end of the frame.
fn without(view: &View<'_>, place: Place, name: &str, rule: RuleId) -> Option<Corruption> {
    let message = view.message(place.frame)?;
    let removed = member_with_comma(message, name)?;
    let end = view.frames[place.frame].end - removed.len();
    Some(Draft::remove(removed).must(rule, end))
}

fn member_with_comma(message: &Message, name: &str) -> Option<Range<usize>> {
    let members = &message.members;
    let index = members.iter().position(|member| member.name == name)?;
    let member = &members[index];
    match (index.checked_sub(1), members.get(index + 1)) {
        (Some(before), _) => Some(members[before].value.end..member.value.end),
        (None, Some(next)) => Some(member.key.start..next.key.start),
        (None, None) => Some(member.range()),
    }
}

/// The promise holds only if nothing else in the frame is touched.
fn whole(corruption: Corruption, view: &View<'_>, frame: usize) -> Corruption {
    let frame = whole_frame(view, frame).unwrap_or_default();
    let anchor = corruption.anchor.start.min(frame.start)..corruption.anchor.end.max(frame.end);
    Corruption { anchor, ..corruption }
}

/// A member's value is another, and its first byte is proof.
fn with_value(member: &Member, value: &[u8], rule: RuleId) -> Corruption {
    replaced(member.value.clone(), value, rule)
}

fn replaced(range: Range<usize>, with: &[u8], rule: RuleId) -> Corruption {
    let at = range.start;
    Draft::replace(range, with).must(rule, at)
}

/// Key and value of a member of an error, whose key stands there unescaped.
fn error_member(view: &View<'_>, frame: usize, key: &str) -> Option<(Range<usize>, Range<usize>)> {
    let message = view.message(frame)?;
    let error = message.member("error")?;
    let index = message.values.iter().position(|value| value.range == error.value)?;
    message.values.iter().filter(|value| value.parent == Some(index)).find_map(|value| {
        let own = value.key.clone()?;
        (view.text(&own) == key.as_bytes()).then(|| (own, value.range.clone()))
    })
}
