//! The tokens of a plain frame. `None` leaves the frame to the exact machine.

use crate::find::{find_special, special_marks};

/// The most keys of one frame. The exact machine looks for duplicates among more.
pub(super) const MAX_KEYS: usize = crate::keys::MAX_KEYS;
/// The longest key. So many keys of this length are no more text than the exact machine compares.
pub(super) const MAX_KEY_BYTES: usize = 256;
/// An integer of so many digits is below 2^53.
const MAX_INTEGER_DIGITS: usize = 15;
/// A number with fewer digits than this, and with an exponent of two digits, overflows no double.
pub(super) const MAX_NUMBER_BYTES: usize = 64;
/// The longest id or method.
pub(super) const MAX_NAME_BYTES: usize = 64;

/// Whether a string holds a replacement character as an escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replacement {
    NotSeen,
    Escaped,
}

/// The bytes, and how far they were read.
pub(super) struct Text<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) at: usize,
    keys: usize,
    pub(super) replacement: Replacement,
}

impl<'b> Text<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0, keys: 0, replacement: Replacement::NotSeen }
    }

    pub(super) fn next(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    pub(super) fn is_next(&self, byte: u8) -> bool {
        self.bytes.get(self.at) == Some(&byte)
    }

    pub(super) fn take(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    /// Blanks that may stand between tokens. A carriage return is for the exact machine.
    pub(super) fn blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    /// What follows a member: whether it was the last.
    pub(super) fn ends_object(&mut self) -> Option<bool> {
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
    pub(super) fn key(&mut self) -> Option<&'b [u8]> {
        let key = self.string()?;
        self.colon()?;
        Some(key)
    }

    /// The same, as a number that is nearly always different for different keys.
    pub(super) fn key_hash(&mut self) -> Option<u32> {
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
    pub(super) fn string(&mut self) -> Option<&'b [u8]> {
        self.take(b'"')?;
        let rest = &self.bytes[self.at..];
        let len = find_special(rest)?;
        self.at += len + 1;
        (rest[len] == b'"').then_some(&rest[..len])
    }

    /// The rest of any string, whose opening quote was read.
    pub(super) fn string_end(&mut self) -> Option<()> {
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
            b'u' => match self.code_unit()? {
                0xD800..=0xDBFF => {
                    self.take(b'\\')?;
                    self.take(b'u')?;
                    matches!(self.code_unit()?, 0xDC00..=0xDFFF).then_some(())
                }
                0xDC00..=0xDFFF => None,
                0xFFFD => {
                    self.replacement = Replacement::Escaped;
                    Some(())
                }
                _ => Some(()),
            },
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

    pub(super) fn literal(&mut self, rest: &[u8]) -> Option<()> {
        let literal = self.bytes[self.at..].starts_with(rest);
        self.at += rest.len();
        literal.then_some(())
    }

    /// A short string without escapes, or an integer that all readers share.
    pub(super) fn id(&mut self) -> Option<()> {
        if self.is_next(b'"') {
            (self.string()?.len() <= MAX_NAME_BYTES).then_some(())
        } else {
            self.integer()
        }
    }

    pub(super) fn integer(&mut self) -> Option<()> {
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
    pub(super) fn number(&mut self, first: u8) -> Option<()> {
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

/// Takes the next eight bytes of a key into its hash.
fn hashed(hash: u64, word: u64) -> u64 {
    // An odd number without a pattern: that of the golden ratio.
    let product = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    // Only the upper half depends on every byte.
    product ^ product >> 32
}
