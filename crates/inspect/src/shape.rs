//! Layer 3: the shape of a JSON-RPC message. One function a rule, named after it.

use model::{Aspect, Detail, IdKind, IdValue, Member, MessageKind, RawId, RuleId};

use crate::envelope::{Envelope, Slot, Value};
use crate::grammar::ValueKind;
use crate::number;
use crate::string::unescape;

/// A rule met by a message.
#[derive(Debug)]
pub(crate) struct Met {
    pub(crate) rule: RuleId,
    pub(crate) at: u64,
    pub(crate) kind: Option<MessageKind>,
    pub(crate) aspect: Option<Aspect>,
    pub(crate) detail: Detail,
}

/// An id as it stands in a message.
#[derive(Debug)]
pub(crate) struct Id {
    pub(crate) at: u64,
    pub(crate) kind: IdKind,
    /// None if the id is longer than what is kept.
    pub(crate) raw: Option<RawId>,
    /// What the id is compared by; None for an id that equals none of ours.
    pub(crate) value: Option<IdValue>,
}

/// What a message is, as far as its shape tells.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) kind: Option<MessageKind>,
    pub(crate) id: Option<Id>,
    pub(crate) method: Option<Box<str>>,
    pub(crate) protocol_version: Option<Box<str>>,
    pub(crate) error_code: Option<ErrorCode>,
    pub(crate) met: Vec<Met>,
    pub(crate) too_long: TooLong,
}

/// The code of an error that is an integer.
#[derive(Debug)]
pub(crate) struct ErrorCode {
    pub(crate) at: u64,
    /// In the simplest form of its value.
    pub(crate) text: Box<str>,
}

/// Whether a member that decides something was longer than what is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TooLong {
    None,
    Some,
}

/// Reads the shape of a message; `end` is the byte that stands for what is missing.
pub(crate) fn read(envelope: &Envelope, end: u64) -> Shape {
    let message = Message { envelope, end, kind: kind(envelope) };
    let mut met = Vec::new();
    met.extend(message.jsonrpc_version());
    met.extend(message.unknown_kind());
    met.extend(message.method_and_result());
    met.extend(message.result_and_error());
    met.extend(message.method_type());
    met.extend(message.params_type());
    met.extend(message.id_type());
    met.extend(message.id_missing());
    met.extend(message.id_null());
    met.extend(message.result_type());
    met.extend(message.error_shape());
    met.extend(message.extra_member());
    Shape {
        kind: message.kind,
        id: envelope.get(Slot::Id).map(|value| read_id(envelope, value)),
        method: string(envelope, Slot::Method),
        protocol_version: string(envelope, Slot::ProtocolVersion),
        error_code: error_code(envelope),
        met,
        too_long: too_long(envelope),
    }
}

fn error_code(envelope: &Envelope) -> Option<ErrorCode> {
    let value = envelope.get(Slot::ErrorCode).filter(|value| value.kind == ValueKind::Number)?;
    let text = str::from_utf8(envelope.text(value)?).ok()?;
    let text = number::integer_text(text)?;
    Some(ErrorCode { at: value.at, text: text.into() })
}

fn too_long(envelope: &Envelope) -> TooLong {
    let deciding = [Slot::Id, Slot::Method, Slot::ErrorCode];
    let any = deciding.into_iter().filter_map(|slot| envelope.get(slot)).any(|value| {
        matches!(value.kind, ValueKind::String | ValueKind::Number)
            && envelope.text(value).is_none()
    });
    if any { TooLong::Some } else { TooLong::None }
}

fn kind(envelope: &Envelope) -> Option<MessageKind> {
    let has = |slot| envelope.get(slot).is_some();
    if has(Slot::Method) {
        Some(if has(Slot::Id) { MessageKind::Request } else { MessageKind::Notification })
    } else if has(Slot::Error) {
        Some(MessageKind::Error)
    } else if has(Slot::Result) {
        Some(MessageKind::Result)
    } else {
        None
    }
}

fn string(envelope: &Envelope, slot: Slot) -> Option<Box<str>> {
    let value = envelope.get(slot).filter(|value| value.kind == ValueKind::String)?;
    let decoded = unescape(envelope.text(value)?);
    std::str::from_utf8(&decoded).ok().map(Into::into)
}

fn read_id(envelope: &Envelope, value: &Value) -> Id {
    let text = envelope.text(value).and_then(|text| std::str::from_utf8(text).ok());
    let kind = match value.kind {
        ValueKind::String => IdKind::String,
        // A number too long to be kept is an integer for all that is known of it.
        ValueKind::Number => text.map_or(IdKind::Integer, number::id_kind),
        ValueKind::Null => IdKind::Null,
        ValueKind::Bool | ValueKind::Array | ValueKind::Object => IdKind::Other,
    };
    let compared = match (kind, text) {
        (IdKind::String, Some(text)) => {
            Some(IdValue::String(unescape(text.as_bytes()).into_owned().into()))
        }
        (IdKind::Integer, Some(text)) => Some(IdValue::Number(text.into())),
        // It answers the integer that it is.
        (IdKind::IntegralFloat, Some(text)) => {
            number::integer_text(text).map(|text| IdValue::Number(text.into()))
        }
        _ => None,
    };
    Id { at: value.at, kind, raw: text.map(RawId::new), value: compared }
}

struct Message<'a> {
    envelope: &'a Envelope,
    end: u64,
    kind: Option<MessageKind>,
}

impl Message<'_> {
    fn get(&self, slot: Slot) -> Option<&Value> {
        self.envelope.get(slot)
    }

    fn met(&self, rule: RuleId, at: u64, detail: Detail) -> Met {
        Met { rule, at, kind: self.kind, aspect: None, detail }
    }

    fn missing(&self, rule: RuleId, member: Member) -> Met {
        self.met(rule, self.end, Detail::Missing(member))
    }

    fn wrong(&self, rule: RuleId, value: &Value, member: Member) -> Met {
        self.met(rule, value.at, Detail::Wrong(member))
    }

    /// Every message says `"jsonrpc": "2.0"`.
    fn jsonrpc_version(&self) -> Option<Met> {
        let Some(value) = self.get(Slot::Jsonrpc) else {
            return Some(self.missing(RuleId::JsonrpcVersion, Member::Jsonrpc));
        };
        (string(self.envelope, Slot::Jsonrpc).as_deref() != Some("2.0"))
            .then(|| self.wrong(RuleId::JsonrpcVersion, value, Member::Jsonrpc))
    }

    fn unknown_kind(&self) -> Option<Met> {
        self.kind.is_none().then(|| self.met(RuleId::UnknownKind, self.end, Detail::None))
    }

    /// The byte is the later of the two keys.
    fn method_and_result(&self) -> Option<Met> {
        let method = self.get(Slot::Method)?;
        let reply = [self.get(Slot::Result), self.get(Slot::Error)];
        let reply = reply.into_iter().flatten().map(|value| value.key_at).min()?;
        Some(self.met(RuleId::MethodAndResult, method.key_at.max(reply), Detail::None))
    }

    /// "Both members MUST NOT be included", whatever their values. The byte is the later key.
    fn result_and_error(&self) -> Option<Met> {
        let (result, error) = (self.get(Slot::Result)?, self.get(Slot::Error)?);
        Some(self.met(RuleId::ResultAndError, result.key_at.max(error.key_at), Detail::None))
    }

    fn method_type(&self) -> Option<Met> {
        let method = self.get(Slot::Method).filter(|value| value.kind != ValueKind::String)?;
        Some(self.wrong(RuleId::MethodType, method, Member::Method))
    }

    fn params_type(&self) -> Option<Met> {
        self.get(Slot::Method)?;
        let params = self.get(Slot::Params).filter(|value| value.kind != ValueKind::Object)?;
        Some(self.wrong(RuleId::ParamsType, params, Member::Params))
    }

    /// An id is a string or an integer. Null has a rule of its own.
    fn id_type(&self) -> Option<Met> {
        let value = self.get(Slot::Id)?;
        let aspect = match read_id(self.envelope, value).kind {
            IdKind::String | IdKind::Integer | IdKind::Null => return None,
            IdKind::IntegralFloat => Some(Aspect::IntegralFloat),
            IdKind::Fraction | IdKind::Other => None,
        };
        Some(Met { aspect, ..self.wrong(RuleId::IdType, value, Member::Id) })
    }

    /// "Responses MUST include the same ID as the request they correspond to."
    fn id_missing(&self) -> Option<Met> {
        let reply = matches!(self.kind, Some(MessageKind::Result | MessageKind::Error));
        (reply && self.get(Slot::Id).is_none()).then(|| self.missing(RuleId::IdMissing, Member::Id))
    }

    /// "The ID MUST NOT be null."
    fn id_null(&self) -> Option<Met> {
        self.kind?;
        let id = self.get(Slot::Id).filter(|value| value.kind == ValueKind::Null)?;
        Some(self.wrong(RuleId::IdNull, id, Member::Id))
    }

    /// Judged where a result stands alone: beside an error, which of the two is wrong is open.
    fn result_type(&self) -> Option<Met> {
        if self.get(Slot::Error).is_some() {
            return None;
        }
        let result = self.get(Slot::Result).filter(|value| value.kind != ValueKind::Object)?;
        Some(self.wrong(RuleId::ResultType, result, Member::Result))
    }

    /// "Error codes MUST be integers", and the message a string. Judged where an error stands
    /// alone. Of several faults the first byte counts.
    fn error_shape(&self) -> Option<Met> {
        let error = self.get(Slot::Error)?;
        if self.get(Slot::Result).is_some() {
            return None;
        }
        if error.kind != ValueKind::Object {
            return Some(self.wrong(RuleId::ErrorShape, error, Member::Error));
        }
        let code = match self.get(Slot::ErrorCode) {
            None => Some(self.missing(RuleId::ErrorShape, Member::ErrorCode)),
            Some(code) => {
                let kind = read_id(self.envelope, code).kind;
                (!matches!(kind, IdKind::Integer | IdKind::IntegralFloat))
                    .then(|| self.wrong(RuleId::ErrorShape, code, Member::ErrorCode))
            }
        };
        let message = match self.get(Slot::ErrorMessage) {
            None => Some(self.missing(RuleId::ErrorShape, Member::ErrorMessage)),
            Some(message) => (message.kind != ValueKind::String)
                .then(|| self.wrong(RuleId::ErrorShape, message, Member::ErrorMessage)),
        };
        [code, message].into_iter().flatten().min_by_key(|met| met.at)
    }

    /// A member that JSON-RPC does not know, or params on a reply.
    fn extra_member(&self) -> Option<Met> {
        let reply = matches!(self.kind, Some(MessageKind::Result | MessageKind::Error));
        let params = self.get(Slot::Params).filter(|_| reply);
        let at = [self.envelope.extra, params.map(|value| value.key_at)];
        let at = at.into_iter().flatten().min()?;
        Some(self.met(RuleId::ExtraMember, at, Detail::None))
    }
}
