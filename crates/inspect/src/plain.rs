//! A whole frame at once: whether it is, beyond doubt, a message that no rule has anything to say
//! of.
//!
//! Most frames of a recording are such messages, and proving that of a whole frame costs a
//! fraction of what the exact machine costs, which must be able to stop at any byte. Nothing is
//! decided here: whatever is rare, long, advised against or wrong is left to the exact machine,
//! which then reads the frame from its first byte. So no verdict depends on what is vouched for.

use crate::find::{find_special, special_marks};

/// The deepest nesting that is read here.
const MAX_DEPTH: usize = 64;
/// The most keys of one frame. The exact machine looks for duplicates among more.
const MAX_KEYS: usize = crate::keys::MAX_KEYS;
/// The most keys of one object: each is compared with all before it.
const MAX_KEYS_OF_OBJECT: usize = 64;
/// The longest key. So many keys of this length are no more text than the exact machine compares.
const MAX_KEY_BYTES: usize = 256;
/// The longest id or method.
const MAX_NAME_BYTES: usize = 64;
/// An integer of so many digits is below 2^53.
const MAX_INTEGER_DIGITS: usize = 15;
/// A number with fewer digits than this, and with an exponent of two digits, overflows no double.
const MAX_NUMBER_BYTES: usize = 64;

/// How most messages begin.
const USUAL: &[u8] = br#"{"jsonrpc":"2.0","id":"#;

/// What a frame is that was vouched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plain {
    pub(crate) kind: PlainKind,
    /// The length of the frame without its 0x0A.
    pub(crate) len: usize,
    pub(crate) escapes: Escapes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlainKind {
    /// A request or a notification.
    Call,
    Result,
    Error,
}

/// Whether a string holds a character as `\uXXXX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escapes {
    None,
    Unicode,
}

/// Reads frames. What it holds is room that is used again.
#[derive(Debug, Default)]
pub(crate) struct PlainReader {
    /// Hashes of the keys of each open object.
    hashes: Vec<u32>,
    /// The containers round the innermost.
    outer: Vec<Container>,
}

impl PlainReader {
    /// Vouches for the frame at the start of these bytes, which are UTF-8 wherever they hold a
    /// whole frame.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Option<Plain> {
        let mut text = Text { bytes, at: 0, keys: 0, escapes: Escapes::None };
        let kind = self.message(&mut text)?;
        text.is_next(b'\n').then_some(Plain { kind, len: text.at, escapes: text.escapes })
    }

    fn message(&mut self, text: &mut Text<'_>) -> Option<PlainKind> {
        let mut members = Members::default();
        if text.bytes.starts_with(USUAL) {
            text.at = USUAL.len();
            members.jsonrpc = Once::Done;
            members.id = Once::Done;
            text.id()?;
            if text.ends_object()? {
                return None;
            }
        } else {
            text.take(b'{')?;
            text.blanks();
        }
        loop {
            match text.key()? {
                b"jsonrpc" => {
                    members.jsonrpc.set()?;
                    if text.string()? != b"2.0" {
                        return None;
                    }
                }
                b"id" => {
                    members.id.set()?;
                    text.id()?;
                }
                b"method" => {
                    members.method.set()?;
                    if text.string()?.len() > MAX_NAME_BYTES {
                        return None;
                    }
                }
                b"params" => {
                    members.params.set()?;
                    self.object(text, Of::Anything)?;
                }
                b"result" => {
                    members.result.set()?;
                    self.object(text, Of::Result)?;
                }
                b"error" => {
                    members.error.set()?;
                    self.error(text)?;
                }
                _ => return None,
            }
            if text.ends_object()? {
                return members.kind();
            }
        }
    }

    /// An error with its code and message.
    fn error(&mut self, text: &mut Text<'_>) -> Option<()> {
        let (mut code, mut message, mut data) = (Once::Never, Once::Never, Once::Never);
        text.take(b'{')?;
        text.blanks();
        loop {
            match text.key()? {
                b"code" => {
                    code.set()?;
                    text.integer()?;
                }
                b"message" => {
                    message.set()?;
                    text.take(b'"')?;
                    text.string_end()?;
                }
                b"data" => {
                    data.set()?;
                    self.value(text, Of::Anything)?;
                }
                _ => return None,
            }
            if text.ends_object()? {
                return (code == Once::Done && message == Once::Done).then_some(());
            }
        }
    }

    fn object(&mut self, text: &mut Text<'_>, of: Of) -> Option<()> {
        if text.is_next(b'{') { self.value(text, of) } else { None }
    }

    /// Any value.
    fn value(&mut self, text: &mut Text<'_>, of: Of) -> Option<()> {
        self.outer.clear();
        self.hashes.clear();
        let mut innermost = Container::None;
        loop {
            // A value begins here.
            match text.next()? {
                b'"' => text.string_end()?,
                b'{' => {
                    let object = Container::Object { first: self.hashes.len() };
                    self.enter(&mut innermost, object)?;
                    text.blanks();
                    if text.is_next(b'}') {
                        text.at += 1;
                        innermost = self.leave(innermost);
                    } else {
                        self.key(text, of, self.hashes.len())?;
                        continue;
                    }
                }
                b'[' => {
                    self.enter(&mut innermost, Container::Array)?;
                    text.blanks();
                    if text.is_next(b']') {
                        text.at += 1;
                        innermost = self.leave(innermost);
                    } else {
                        continue;
                    }
                }
                b't' => text.literal(b"rue")?,
                b'f' => text.literal(b"alse")?,
                b'n' => text.literal(b"ull")?,
                first => text.number(first)?,
            }
            // It has ended, and perhaps containers with it.
            loop {
                if innermost == Container::None {
                    return Some(());
                }
                text.blanks();
                match (text.next()?, innermost) {
                    (b',', Container::Array) => {
                        text.blanks();
                        break;
                    }
                    (b',', Container::Object { first }) => {
                        text.blanks();
                        self.key(text, of, first)?;
                        break;
                    }
                    (b'}', Container::Object { .. }) | (b']', Container::Array) => {
                        innermost = self.leave(innermost);
                    }
                    _ => return None,
                }
            }
        }
    }

    fn enter(&mut self, innermost: &mut Container, inner: Container) -> Option<()> {
        self.outer.push(std::mem::replace(innermost, inner));
        (self.outer.len() <= MAX_DEPTH).then_some(())
    }

    /// Leaves a container, and gives the one around it.
    fn leave(&mut self, innermost: Container) -> Container {
        if let Container::Object { first } = innermost {
            self.hashes.truncate(first);
        }
        self.outer.pop().unwrap_or(Container::None)
    }

    /// The next key of an object whose first hash is this one. It has no other by its hash.
    fn key(&mut self, text: &mut Text<'_>, of: Of, first: usize) -> Option<()> {
        let start = text.at;
        let hash = text.key_hash()?;
        // From an initialize result on, its revision is in force.
        if of == Of::Result
            && self.outer.len() == 1
            && text.bytes[start..].starts_with(b"\"protocolVersion\"")
        {
            return None;
        }
        let others = &self.hashes[first..];
        if others.len() == MAX_KEYS_OF_OBJECT || among(others, hash) {
            return None;
        }
        self.hashes.push(hash);
        Some(())
    }
}

/// A container that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Container {
    None,
    Array,
    /// The hashes of its keys begin here.
    Object {
        first: usize,
    },
}

/// What a value is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Anything,
    Result,
}

/// Whether something was there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Once {
    #[default]
    Never,
    Done,
}

impl Once {
    /// None for the second time.
    fn set(&mut self) -> Option<()> {
        (std::mem::replace(self, Self::Done) == Self::Never).then_some(())
    }
}

/// The members of a message.
#[derive(Debug, Default)]
struct Members {
    jsonrpc: Once,
    id: Once,
    method: Once,
    params: Once,
    result: Once,
    error: Once,
}

impl Members {
    /// What they make together, if no member is missing or too many.
    fn kind(&self) -> Option<PlainKind> {
        use Once::{Done, Never};
        match (self.jsonrpc, self.id, self.method, self.params, self.result, self.error) {
            (Done, _, Done, _, Never, Never) => Some(PlainKind::Call),
            (Done, Done, Never, Never, Done, Never) => Some(PlainKind::Result),
            (Done, Done, Never, Never, Never, Done) => Some(PlainKind::Error),
            _ => None,
        }
    }
}

/// Whether a hash is among others. Without early exit, so that several are compared at once.
fn among(others: &[u32], hash: u32) -> bool {
    others.iter().fold(false, |found, &other| found | (other == hash))
}

/// Takes the next eight bytes of a key into its hash.
fn hashed(hash: u64, word: u64) -> u64 {
    // An odd number without a pattern: that of the golden ratio.
    let product = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    // Only the upper half depends on every byte.
    product ^ product >> 32
}

/// The bytes, and how far they were read.
struct Text<'b> {
    bytes: &'b [u8],
    at: usize,
    keys: usize,
    escapes: Escapes,
}

impl<'b> Text<'b> {
    fn next(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn is_next(&self, byte: u8) -> bool {
        self.bytes.get(self.at) == Some(&byte)
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    /// Blanks that may stand between tokens. A carriage return is for the exact machine.
    fn blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    /// What follows a member: whether it was the last.
    fn ends_object(&mut self) -> Option<bool> {
        self.blanks();
        match self.next()? {
            b'}' => Some(true),
            b',' => {
                self.blanks();
                Some(false)
            }
            _ => None,
        }
    }

    /// A key without escapes, and the colon behind it.
    fn key(&mut self) -> Option<&'b [u8]> {
        let key = self.string()?;
        self.colon()?;
        Some(key)
    }

    /// The same, as a number that is nearly always different for different keys.
    fn key_hash(&mut self) -> Option<u32> {
        self.keys += 1;
        self.take(b'"')?;
        let start = self.at;
        let mut hash = 0;
        let (word, len) = loop {
            let word = self.word();
            let marks = special_marks(word);
            if marks != 0 {
                break (word, marks.trailing_zeros() & !7);
            }
            hash = hashed(hash, word);
            self.at += 8;
        };
        self.at += (len / 8) as usize;
        let few = self.at - start <= MAX_KEY_BYTES && self.keys <= MAX_KEYS;
        self.take(b'"')?;
        self.colon()?;
        // The length tells a key that ends here from one that goes on with NUL.
        let last = word & !(u64::MAX << len) | (u64::from(len) + 1) << 56;
        few.then_some(hashed(hash, last) as u32)
    }

    /// A colon, with or without blanks round it.
    fn colon(&mut self) -> Option<()> {
        if !self.is_next(b':') {
            self.blanks();
        }
        self.take(b':')?;
        self.blanks();
        Some(())
    }

    /// The next eight bytes; beyond the end a byte that no string may hold.
    fn word(&self) -> u64 {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let word = rest.first_chunk().copied().unwrap_or_else(|| {
            let mut word = [b'\n'; 8];
            word[..rest.len()].copy_from_slice(rest);
            word
        });
        u64::from_le_bytes(word)
    }

    /// The text of a string without escapes.
    fn string(&mut self) -> Option<&'b [u8]> {
        self.take(b'"')?;
        let rest = &self.bytes[self.at..];
        let len = find_special(rest)?;
        self.at += len + 1;
        (rest[len] == b'"').then_some(&rest[..len])
    }

    /// The rest of any string, whose opening quote was read.
    fn string_end(&mut self) -> Option<()> {
        loop {
            // Where there is one escape, the next often follows at once.
            if !self.is_next(b'\\') {
                self.at += find_special(&self.bytes[self.at..])?;
            }
            match self.next()? {
                b'"' => return Some(()),
                b'\\' => self.escape()?,
                _ => return None,
            }
        }
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Option<()> {
        match self.next()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(()),
            b'u' => {
                self.escapes = Escapes::Unicode;
                match self.code_unit()? {
                    0xD800..=0xDBFF => {
                        self.take(b'\\')?;
                        self.take(b'u')?;
                        matches!(self.code_unit()?, 0xDC00..=0xDFFF).then_some(())
                    }
                    0xDC00..=0xDFFF => None,
                    _ => Some(()),
                }
            }
            _ => None,
        }
    }

    fn code_unit(&mut self) -> Option<u16> {
        let digits = self.bytes.get(self.at..)?.first_chunk::<4>()?;
        self.at += 4;
        let [a, b, c, d] = digits.map(|digit| HEX[usize::from(digit)]);
        ((a | b | c | d) < 16)
            .then(|| u16::from(a) << 12 | u16::from(b) << 8 | u16::from(c) << 4 | u16::from(d))
    }

    fn literal(&mut self, rest: &[u8]) -> Option<()> {
        let literal = self.bytes[self.at..].starts_with(rest);
        self.at += rest.len();
        literal.then_some(())
    }

    /// A short string without escapes, or an integer that all readers share.
    fn id(&mut self) -> Option<()> {
        if self.is_next(b'"') {
            (self.string()?.len() <= MAX_NAME_BYTES).then_some(())
        } else {
            self.integer()
        }
    }

    fn integer(&mut self) -> Option<()> {
        let first = self.next()?;
        self.whole(first)?;
        (!matches!(self.bytes.get(self.at), Some(b'.' | b'e' | b'E'))).then_some(())
    }

    /// The part of a number before its fraction, whose first byte was read.
    fn whole(&mut self, first: u8) -> Option<()> {
        let first = if first == b'-' { self.next()? } else { first };
        match first {
            // Another digit behind it is no byte that may follow a number.
            b'0' => Some(()),
            b'1'..=b'9' => (self.digits() < MAX_INTEGER_DIGITS).then_some(()),
            _ => None,
        }
    }

    /// Passes over digits: how many.
    fn digits(&mut self) -> usize {
        let rest = &self.bytes[self.at..];
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        count
    }

    /// A number, whose first byte was read.
    fn number(&mut self, first: u8) -> Option<()> {
        let start = self.at;
        self.whole(first)?;
        if self.is_next(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return None;
            }
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.at) {
                self.at += 1;
            }
            if !matches!(self.digits(), 1..=2) {
                return None;
            }
        }
        (self.at - start < MAX_NUMBER_BYTES).then_some(())
    }
}

/// The value of each hexadecimal digit; of any other byte more than one has.
static HEX: [u8; 256] = {
    let mut values = [0xFF; 256];
    let mut value = 0;
    while value < 16 {
        values[b"0123456789abcdef"[value] as usize] = value as u8;
        values[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    values
};

#[cfg(test)]
mod tests;
