//! The JSON grammar of RFC 8259 as a resumable push machine.
//!
//! Owns the question "is this JSON, and if not, at which byte does it break". It does not
//! recurse, does not look back, and holds no more than one token's text. UTF-8 is the byte
//! layer's business: inside a string every byte from 0x80 on is taken as it is.

use crate::find::find_special;

/// The longest token whose text is handed to the sink, in bytes with its quotes.
pub(crate) const MAX_TOKEN_BYTES: usize = 64 * 1024;

/// The text of a token.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Text<'a> {
    /// The raw bytes, a string with its quotes.
    Whole(&'a [u8]),
    /// The token is longer than [`MAX_TOKEN_BYTES`].
    TooLong,
}

/// The type of a JSON value, as its first byte shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Object,
    Array,
    String,
    Number,
    Bool,
    Null,
}

/// What the grammar tells about the text while it reads. Offsets count from the frame's start;
/// depth is the number of containers open round the thing told.
pub(crate) trait Sink {
    /// A container opens.
    fn open(&mut self, kind: ValueKind, at: u64, depth: usize);
    /// A container closes; `end` is the offset after its bracket.
    fn close(&mut self, end: u64, depth: usize);
    /// A member's key is complete.
    fn key(&mut self, text: Text<'_>, at: u64, depth: usize);
    /// A string, number, boolean or null is complete.
    fn scalar(&mut self, kind: ValueKind, text: Text<'_>, at: u64, depth: usize);
    /// A surrogate escape stands without its partner; `at` is its backslash.
    fn lone_surrogate(&mut self, at: u64);
}

/// How the text stands at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Completeness {
    /// Nothing but blanks.
    Blank,
    /// One complete value.
    Complete,
    /// Every byte is grammatical, and an object or array is open.
    Open,
    /// Every byte is grammatical, and a top-level scalar is unfinished.
    Unfinished,
    /// Complete objects only, two or more; the second begins at this offset.
    Joined(u64),
    /// The grammar broke at this offset.
    Broken(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Value,
    ValueOrEnd,
    KeyOrEnd,
    Key,
    Colon,
    CommaOrEnd,
    String,
    Escape,
    Hex(u8),
    Minus,
    Zero,
    Int,
    Point,
    Fraction,
    Exponent,
    ExponentSign,
    ExponentDigits,
    Literal(&'static [u8], ValueKind),
    Done,
    Broken(u64),
}

/// The machine. One text at a time; [`Grammar::reset`] begins the next.
#[derive(Debug)]
pub(crate) struct Grammar {
    state: State,
    /// One bit per open container, the innermost last: set for an object.
    objects: Vec<u64>,
    depth: usize,
    /// Whether the string being read is a key.
    in_key: Role,
    token_at: u64,
    token: Vec<u8>,
    token_len: usize,
    hex: u16,
    escape_at: u64,
    high_surrogate: Option<u64>,
    top_level: Option<ValueKind>,
    second: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Key,
    Value,
}

impl Grammar {
    pub(crate) fn new() -> Self {
        Self {
            state: State::Value,
            objects: Vec::new(),
            depth: 0,
            in_key: Role::Value,
            token_at: 0,
            token: Vec::new(),
            token_len: 0,
            hex: 0,
            escape_at: 0,
            high_surrogate: None,
            top_level: None,
            second: None,
        }
    }

    pub(crate) fn reset(&mut self) {
        self.state = State::Value;
        self.objects.clear();
        self.depth = 0;
        self.token.clear();
        self.token_len = 0;
        self.high_surrogate = None;
        self.top_level = None;
        self.second = None;
    }

    /// Reads the next bytes; `at` is the offset of the first.
    pub(crate) fn feed(&mut self, bytes: &[u8], at: u64, sink: &mut impl Sink) {
        // Where the current token begins in `bytes`, once it does.
        let mut start = 0;
        let mut i = 0;
        while i < bytes.len() {
            let byte = bytes[i];
            let here = at + i as u64;
            match self.state {
                State::Broken(_) => return,
                State::String => {
                    let Some(skip) = find_special(&bytes[i..]) else {
                        self.no_low_surrogate(sink);
                        break;
                    };
                    if skip > 0 {
                        self.no_low_surrogate(sink);
                    }
                    i += skip;
                    match bytes[i] {
                        b'"' => {
                            self.no_low_surrogate(sink);
                            self.end_token(&bytes[start..=i], sink);
                        }
                        b'\\' => {
                            self.escape_at = at + i as u64;
                            self.state = State::Escape;
                        }
                        _ => self.state = State::Broken(at + i as u64),
                    }
                    i += 1;
                }
                State::Escape => {
                    match byte {
                        b'u' => {
                            self.hex = 0;
                            self.state = State::Hex(0);
                        }
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {
                            self.no_low_surrogate(sink);
                            self.state = State::String;
                        }
                        _ => self.state = State::Broken(here),
                    }
                    i += 1;
                }
                State::Hex(count) => {
                    match char::from(byte).to_digit(16) {
                        Some(digit) => {
                            self.hex = self.hex * 16 + digit as u16;
                            if count == 3 {
                                self.code_unit(sink);
                                self.state = State::String;
                            } else {
                                self.state = State::Hex(count + 1);
                            }
                        }
                        None => self.state = State::Broken(here),
                    }
                    i += 1;
                }
                State::Literal(rest, kind) => {
                    if rest[0] != byte {
                        self.state = State::Broken(here);
                    } else if rest.len() == 1 {
                        self.state = State::Literal(&[], kind);
                        self.end_token(&bytes[start..=i], sink);
                    } else {
                        self.state = State::Literal(&rest[1..], kind);
                    }
                    i += 1;
                }
                State::Minus
                | State::Zero
                | State::Int
                | State::Point
                | State::Fraction
                | State::Exponent
                | State::ExponentSign
                | State::ExponentDigits => match number_step(self.state, byte) {
                    NumberStep::Goes(state) => {
                        self.state = state;
                        i += 1;
                    }
                    // The byte that ends a number is read again as what follows it.
                    NumberStep::Ends => self.end_token(&bytes[start..i], sink),
                    NumberStep::Breaks => self.state = State::Broken(here),
                },
                State::Value
                | State::ValueOrEnd
                | State::KeyOrEnd
                | State::Key
                | State::Colon
                | State::CommaOrEnd
                | State::Done => {
                    if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                        start = i;
                        self.structural(byte, here, sink);
                    }
                    i += 1;
                }
            }
        }
        // Outside a token nobody asks for what is kept here.
        self.keep(&bytes[start..]);
    }

    /// Ends the text at offset `len`.
    pub(crate) fn finish(&mut self, sink: &mut impl Sink) -> Completeness {
        if self.depth == 0
            && matches!(
                self.state,
                State::Zero | State::Int | State::Fraction | State::ExponentDigits
            )
        {
            self.end_token(&[], sink);
        }
        match (self.state, self.second) {
            (State::Done, Some(second)) => Completeness::Joined(second),
            // What follows a complete value breaks the grammar where it begins.
            (_, Some(second)) => Completeness::Broken(second),
            (State::Done, None) => Completeness::Complete,
            (State::Broken(at), None) => Completeness::Broken(at),
            (State::Value, None) if self.depth == 0 => Completeness::Blank,
            _ if self.depth > 0 => Completeness::Open,
            _ => Completeness::Unfinished,
        }
    }

    fn structural(&mut self, byte: u8, here: u64, sink: &mut impl Sink) {
        match (self.state, byte) {
            (State::Value | State::ValueOrEnd, _) if self.begin_value(byte, here, sink) => {}
            (State::ValueOrEnd, b']') => self.close(here, sink),
            (State::KeyOrEnd, b'}') => self.close(here, sink),
            (State::KeyOrEnd | State::Key, b'"') => {
                self.in_key = Role::Key;
                self.begin_token(State::String, here);
            }
            (State::Colon, b':') => self.state = State::Value,
            (State::CommaOrEnd, b',') => {
                self.state = if self.in_object() { State::Key } else { State::Value };
            }
            (State::CommaOrEnd, b'}') if self.in_object() => self.close(here, sink),
            (State::CommaOrEnd, b']') if !self.in_object() => self.close(here, sink),
            (State::Done, b'{') if self.top_level == Some(ValueKind::Object) => {
                self.second.get_or_insert(here);
                self.state = State::Value;
                self.begin_value(byte, here, sink);
            }
            _ => self.state = State::Broken(here),
        }
    }

    /// Begins a value if `byte` can.
    fn begin_value(&mut self, byte: u8, here: u64, sink: &mut impl Sink) -> bool {
        let (kind, state) = match byte {
            b'{' => (ValueKind::Object, State::KeyOrEnd),
            b'[' => (ValueKind::Array, State::ValueOrEnd),
            b'"' => (ValueKind::String, State::String),
            b'-' => (ValueKind::Number, State::Minus),
            b'0' => (ValueKind::Number, State::Zero),
            b'1'..=b'9' => (ValueKind::Number, State::Int),
            b't' => (ValueKind::Bool, State::Literal(b"rue", ValueKind::Bool)),
            b'f' => (ValueKind::Bool, State::Literal(b"alse", ValueKind::Bool)),
            b'n' => (ValueKind::Null, State::Literal(b"ull", ValueKind::Null)),
            _ => return false,
        };
        self.top_level.get_or_insert(kind);
        if matches!(kind, ValueKind::Object | ValueKind::Array) {
            if self.second.is_none() {
                sink.open(kind, here, self.depth);
            }
            self.push(kind);
            self.state = state;
        } else {
            self.in_key = Role::Value;
            self.begin_token(state, here);
        }
        true
    }

    fn close(&mut self, here: u64, sink: &mut impl Sink) {
        self.depth -= 1;
        if self.second.is_none() {
            sink.close(here + 1, self.depth);
        }
        self.after_value();
    }

    fn after_value(&mut self) {
        self.state = if self.depth == 0 { State::Done } else { State::CommaOrEnd };
    }

    fn push(&mut self, kind: ValueKind) {
        let (word, bit) = (self.depth / 64, self.depth % 64);
        if word == self.objects.len() {
            self.objects.push(0);
        }
        if kind == ValueKind::Object {
            self.objects[word] |= 1 << bit;
        } else {
            self.objects[word] &= !(1 << bit);
        }
        self.depth += 1;
    }

    /// Whether the innermost open container, of which there is one, is an object.
    fn in_object(&self) -> bool {
        let top = self.depth - 1;
        self.objects[top / 64] >> (top % 64) & 1 == 1
    }

    fn begin_token(&mut self, state: State, here: u64) {
        self.state = state;
        self.token_at = here;
        self.token.clear();
        self.token_len = 0;
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.token_len = self.token_len.saturating_add(bytes.len());
        if self.token_len <= MAX_TOKEN_BYTES {
            self.token.extend_from_slice(bytes);
        }
    }

    /// Ends the current token, whose last bytes are `tail`.
    fn end_token(&mut self, tail: &[u8], sink: &mut impl Sink) {
        let kind = match self.state {
            State::String => ValueKind::String,
            State::Literal(_, kind) => kind,
            _ => ValueKind::Number,
        };
        let whole = self.token_len.saturating_add(tail.len());
        let text = if whole > MAX_TOKEN_BYTES {
            Text::TooLong
        } else if self.token_len == 0 {
            Text::Whole(tail)
        } else {
            self.token.extend_from_slice(tail);
            Text::Whole(&self.token)
        };
        let told = self.second.is_none();
        if kind == ValueKind::String && self.in_key == Role::Key {
            if told {
                sink.key(text, self.token_at, self.depth);
            }
            self.state = State::Colon;
        } else {
            if told {
                sink.scalar(kind, text, self.token_at, self.depth);
            }
            self.after_value();
        }
    }

    /// Takes in a complete `\uXXXX`.
    fn code_unit(&mut self, sink: &mut impl Sink) {
        match self.hex {
            0xD800..=0xDBFF => {
                self.no_low_surrogate(sink);
                self.high_surrogate = Some(self.escape_at);
            }
            0xDC00..=0xDFFF => {
                if self.high_surrogate.take().is_none() && self.second.is_none() {
                    sink.lone_surrogate(self.escape_at);
                }
            }
            _ => self.no_low_surrogate(sink),
        }
    }

    /// Something other than a low surrogate follows.
    fn no_low_surrogate(&mut self, sink: &mut impl Sink) {
        if let Some(at) = self.high_surrogate.take()
            && self.second.is_none()
        {
            sink.lone_surrogate(at);
        }
    }
}

enum NumberStep {
    Goes(State),
    Ends,
    Breaks,
}

fn number_step(state: State, byte: u8) -> NumberStep {
    use NumberStep::{Breaks, Ends, Goes};
    match (state, byte) {
        (State::Minus, b'0') => Goes(State::Zero),
        (State::Minus, b'1'..=b'9') | (State::Int, b'0'..=b'9') => Goes(State::Int),
        (State::Zero | State::Int, b'.') => Goes(State::Point),
        (State::Zero | State::Int | State::Fraction, b'e' | b'E') => Goes(State::Exponent),
        (State::Point | State::Fraction, b'0'..=b'9') => Goes(State::Fraction),
        (State::Exponent, b'+' | b'-') => Goes(State::ExponentSign),
        (State::Exponent | State::ExponentSign | State::ExponentDigits, b'0'..=b'9') => {
            Goes(State::ExponentDigits)
        }
        (State::Zero | State::Int | State::Fraction | State::ExponentDigits, _) => Ends,
        _ => Breaks,
    }
}
