//! The members of a message that decide what it is, picked out while the grammar reads.

use crate::grammar::{Sink, Text, ValueKind};
use crate::keys::{Keys, Seen};
use crate::number::{self, Range};
use crate::string::unescape;

/// The deepest nesting that all readers share.
pub(crate) const MAX_SHARED_DEPTH: usize = 128;
/// The most text of one frame's long members that is kept, in bytes.
const MAX_KEPT_BYTES: usize = 256 * 1024;
/// Members of no more bytes are always kept: what they say decides what a message is.
const SHORT_BYTES: usize = 64;
/// The most messages of one batch that are judged one by one.
pub(crate) const MAX_BATCH: usize = 4096;

/// A member that is picked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
    Error,
    ErrorCode,
    ErrorMessage,
    ProtocolVersion,
}

impl Slot {
    const COUNT: usize = 9;

    fn of_envelope(key: &[u8]) -> Option<Self> {
        match key {
            b"jsonrpc" => Some(Self::Jsonrpc),
            b"id" => Some(Self::Id),
            b"method" => Some(Self::Method),
            b"params" => Some(Self::Params),
            b"result" => Some(Self::Result),
            b"error" => Some(Self::Error),
            _ => None,
        }
    }

    fn of_error(key: &[u8]) -> Option<Self> {
        match key {
            b"code" => Some(Self::ErrorCode),
            b"message" => Some(Self::ErrorMessage),
            _ => None,
        }
    }
}

/// A member's value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    /// The opening quote of the key.
    pub(crate) key_at: u64,
    /// The first byte of the value.
    pub(crate) at: u64,
    pub(crate) kind: ValueKind,
    text: TextRange,
}

#[derive(Clone, Copy, Debug)]
enum TextRange {
    Container,
    TooLong,
    Kept { start: usize, end: usize },
}

/// One message, as far as its shape goes.
#[derive(Debug)]
pub(crate) struct Envelope {
    values: [Option<Value>; Slot::COUNT],
    seen: [bool; Slot::COUNT],
    texts: Vec<u8>,
    /// The first byte of the object, and the byte after it.
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// The opening quote of the first key that JSON-RPC does not know.
    pub(crate) extra: Option<u64>,
}

impl Envelope {
    fn beginning_at(start: u64) -> Self {
        Self {
            values: [None; Slot::COUNT],
            seen: [false; Slot::COUNT],
            texts: Vec::new(),
            start,
            end: start,
            extra: None,
        }
    }

    fn clear(&mut self, start: u64) {
        self.values = [None; Slot::COUNT];
        self.seen = [false; Slot::COUNT];
        self.texts.clear();
        self.start = start;
        self.end = start;
        self.extra = None;
    }

    pub(crate) fn get(&self, slot: Slot) -> Option<&Value> {
        self.values[slot as usize].as_ref()
    }

    /// The raw text of a scalar, unless it is longer than what is kept.
    pub(crate) fn text(&self, value: &Value) -> Option<&[u8]> {
        match value.text {
            TextRange::Kept { start, end } => Some(&self.texts[start..end]),
            TextRange::TooLong | TextRange::Container => None,
        }
    }
}

/// Faults and shades of one frame, each at its first byte.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Notes {
    pub(crate) duplicate_member: Option<u64>,
    pub(crate) duplicate_key: Option<u64>,
    pub(crate) lone_surrogate: Option<u64>,
    pub(crate) number_range: Option<u64>,
    pub(crate) deep_nesting: Option<u64>,
    /// A batch element that is no object.
    pub(crate) bad_element: Option<u64>,
    /// How many values the frame holds.
    pub(crate) values: u64,
    pub(crate) keys_not_checked: bool,
    pub(crate) batch_not_checked: bool,
}

/// Listens to the grammar for one frame.
#[derive(Debug)]
pub(crate) struct Tracker {
    envelopes: Vec<Envelope>,
    used: usize,
    batch: Batch,
    keys: Keys,
    /// Bytes of members' texts that are kept.
    kept: usize,
    /// The member whose value comes next, with its key's offset.
    expected: Option<(Slot, u64)>,
    /// The member whose object or array is open. Only an object has keys.
    inside: Option<Slot>,
    pub(crate) notes: Notes,
    /// The frame's value.
    pub(crate) top: Option<(ValueKind, u64)>,
}

/// Whether the elements of a top-level array are messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Batch {
    /// They are not looked at.
    Closed,
    /// Each is a message.
    Open,
}

impl Tracker {
    pub(crate) fn new() -> Self {
        Self {
            envelopes: vec![Envelope::beginning_at(0)],
            used: 0,
            batch: Batch::Closed,
            keys: Keys::default(),
            kept: 0,
            expected: None,
            inside: None,
            notes: Notes::default(),
            top: None,
        }
    }

    pub(crate) fn reset(&mut self, batch: Batch) {
        self.envelopes.truncate(1);
        self.used = 0;
        self.batch = batch;
        self.keys.reset();
        self.kept = 0;
        self.expected = None;
        self.inside = None;
        self.notes = Notes::default();
        self.top = None;
    }

    /// The messages of the frame.
    pub(crate) fn envelopes(&self) -> &[Envelope] {
        &self.envelopes[..self.used]
    }

    /// The depth of a message's own members; None where no message can be.
    fn member_depth(&self) -> Option<usize> {
        match (self.top?.0, self.batch) {
            (ValueKind::Object, _) => Some(1),
            (ValueKind::Array, Batch::Open) => Some(2),
            _ => None,
        }
    }

    fn current(&mut self) -> Option<&mut Envelope> {
        self.envelopes[..self.used].last_mut()
    }

    fn insert_key(&mut self, key: &[u8], at: u64, depth: usize) {
        match self.keys.insert(key, depth) {
            Seen::First => {}
            Seen::Again => _ = self.notes.duplicate_key.get_or_insert(at),
            Seen::NotChecked => self.notes.keys_not_checked = true,
        }
    }

    fn value(&mut self, kind: ValueKind, text: Option<Text<'_>>, at: u64) {
        let Some((slot, key_at)) = self.expected.take() else {
            return;
        };
        let kept = self.kept;
        let Some(envelope) = self.current() else {
            return;
        };
        let text = match text {
            None => TextRange::Container,
            Some(Text::TooLong) => TextRange::TooLong,
            Some(Text::Whole(bytes))
                if bytes.len() > SHORT_BYTES && kept + bytes.len() > MAX_KEPT_BYTES =>
            {
                TextRange::TooLong
            }
            Some(Text::Whole(bytes)) => {
                let start = envelope.texts.len();
                envelope.texts.extend_from_slice(bytes);
                TextRange::Kept { start, end: envelope.texts.len() }
            }
        };
        envelope.values[slot as usize] = Some(Value { key_at, at, kind, text });
        if let TextRange::Kept { start, end } = text {
            self.kept += end - start;
        }
    }
}

impl Sink for Tracker {
    fn open(&mut self, kind: ValueKind, at: u64, depth: usize) {
        self.notes.values += 1;
        if depth == 0 {
            self.top = Some((kind, at));
        }
        if depth >= MAX_SHARED_DEPTH {
            self.notes.deep_nesting.get_or_insert(at);
        }
        if kind == ValueKind::Object {
            self.keys.open(depth + 1);
        }
        let Some(member_depth) = self.member_depth() else {
            return;
        };
        if depth + 1 == member_depth {
            if kind != ValueKind::Object {
                self.notes.bad_element.get_or_insert(at);
            } else if self.used < MAX_BATCH {
                match self.envelopes.get_mut(self.used) {
                    Some(envelope) => envelope.clear(at),
                    None => self.envelopes.push(Envelope::beginning_at(at)),
                }
                self.used += 1;
            } else {
                self.notes.batch_not_checked = true;
            }
        } else if depth == member_depth {
            self.inside = self.expected.map(|(slot, _)| slot);
        }
        self.value(kind, None, at);
    }

    fn close(&mut self, end: u64, depth: usize) {
        self.expected = None;
        let Some(member_depth) = self.member_depth() else {
            return;
        };
        if depth == member_depth {
            self.inside = None;
        } else if depth + 1 == member_depth
            && !self.notes.batch_not_checked
            && let Some(envelope) = self.current()
        {
            envelope.end = end;
        }
    }

    fn key(&mut self, text: Text<'_>, at: u64, depth: usize) {
        self.expected = None;
        let Text::Whole(raw) = text else {
            self.notes.keys_not_checked = true;
            if Some(depth) == self.member_depth()
                && let Some(envelope) = self.current()
            {
                envelope.extra.get_or_insert(at);
            }
            return;
        };
        let key = unescape(raw);
        let member_depth = if self.notes.batch_not_checked { None } else { self.member_depth() };
        let slot = if Some(depth) == member_depth {
            Slot::of_envelope(&key)
        } else if self.inside == Some(Slot::Error) && Some(depth) == member_depth.map(|d| d + 1) {
            Slot::of_error(&key)
        } else {
            None
        };
        match slot {
            Some(slot) => {
                self.expected = Some((slot, at));
                let again = self.current().is_some_and(|envelope| {
                    std::mem::replace(&mut envelope.seen[slot as usize], true)
                });
                if again {
                    self.notes.duplicate_member.get_or_insert(at);
                }
            }
            None => {
                self.insert_key(&key, at, depth);
                if Some(depth) == member_depth {
                    if let Some(envelope) = self.current() {
                        envelope.extra.get_or_insert(at);
                    }
                } else if self.inside == Some(Slot::Result)
                    && Some(depth) == member_depth.map(|d| d + 1)
                    && key.as_ref() == b"protocolVersion"
                {
                    self.expected = Some((Slot::ProtocolVersion, at));
                }
            }
        }
    }

    fn scalar(&mut self, kind: ValueKind, text: Text<'_>, at: u64, depth: usize) {
        self.notes.values += 1;
        if depth == 0 {
            self.top = Some((kind, at));
        } else if depth == 1 && self.member_depth() == Some(2) {
            self.notes.bad_element.get_or_insert(at);
        }
        if kind == ValueKind::Number {
            let range = match text {
                Text::Whole(text) => number::range(text),
                Text::TooLong => Range::Beyond,
            };
            if range == Range::Beyond {
                self.notes.number_range.get_or_insert(at);
            }
        }
        self.value(kind, Some(text), at);
    }

    fn lone_surrogate(&mut self, at: u64) {
        self.notes.lone_surrogate.get_or_insert(at);
    }
}
