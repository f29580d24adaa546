//! The bytes as they are, and as they read once their escapes are undone.
//!
//! Programs print a value in many spellings, and mix them: JSON inside JSON, a URL inside HTML, a
//! UTF-16 dump inside a log line. Instead of making every spelling of every value, the escapes of
//! the bytes are undone, a level at a time, and the value is looked for at each level. Every byte
//! of a view knows the bytes of the source that it was read from.

use std::ops::Range;

/// How many levels of escapes are undone.
const LEVELS: usize = 3;

/// The longest escape, `\U0010ffff`.
const MAX_ESCAPE_BYTES: usize = 10;

/// Bytes to be searched, and where each of them came from.
pub(super) struct View {
    pub(super) bytes: Vec<u8>,
    /// For each byte the beginning and the end of its source. None for the source itself.
    origin: Option<Vec<(usize, usize)>>,
}

/// The bytes, each level of them, and the first two without the blanks and colons that dumps
/// and line breaks put in between.
pub(super) fn views(bytes: &[u8]) -> Vec<View> {
    let mut views = vec![View { bytes: bytes.to_vec(), origin: None }];
    for level in 0..LEVELS {
        match views[level].unescaped() {
            Some(view) => views.push(view),
            None => break,
        }
    }
    let compact: Vec<View> = views.iter().take(2).filter_map(View::compact).collect();
    views.extend(compact);
    views
}

/// The value as it reads once its own escapes are undone, at each level; the value first.
pub(super) fn readings(value: &[u8]) -> Vec<Vec<u8>> {
    let mut readings = vec![value.to_vec()];
    while readings.len() <= LEVELS {
        let last = View { bytes: readings[readings.len() - 1].clone(), origin: None };
        match last.unescaped() {
            Some(view) => readings.push(view.bytes),
            None => break,
        }
    }
    readings
}

impl View {
    /// The bytes of the source from which these were read.
    pub(super) fn source(&self, range: Range<usize>) -> Range<usize> {
        match &self.origin {
            None => range,
            Some(origin) if range.is_empty() => {
                let at = origin
                    .get(range.start)
                    .map_or_else(|| origin.last().map_or(0, |(_, end)| *end), |(start, _)| *start);
                at..at
            }
            Some(origin) => origin[range.start].0..origin[range.end - 1].1,
        }
    }

    /// How many bytes at the end may be the beginning of an escape that was cut.
    pub(super) fn cut_escape(&self) -> usize {
        let from = self.bytes.len().saturating_sub(MAX_ESCAPE_BYTES);
        let tail = &self.bytes[from..];
        (0..tail.len()).find(|at| begins_escape(&tail[*at..])).map_or(0, |at| tail.len() - at)
    }

    /// One level of escapes less. None if there is none.
    fn unescaped(&self) -> Option<Self> {
        let marks = |byte: &u8| matches!(byte, b'\\' | b'%' | b'&' | 0);
        self.bytes.iter().any(marks).then_some(())?;
        let mut bytes = Vec::with_capacity(self.bytes.len());
        let mut origin = Vec::with_capacity(self.bytes.len());
        let mut at = 0;
        let mut changed = false;
        while at < self.bytes.len() {
            let (taken, read) = match escape(&self.bytes[at..]) {
                Some(escape) => {
                    changed = true;
                    escape
                }
                None => (1, Read::Byte(self.bytes[at])),
            };
            let source = self.source(at..at + taken);
            let mut push = |byte: u8| {
                bytes.push(byte);
                origin.push((source.start, source.end));
            };
            match read {
                Read::Nothing => {}
                Read::Byte(byte) => push(byte),
                Read::Char(character) => {
                    character.encode_utf8(&mut [0; 4]).bytes().for_each(push);
                }
            }
            at += taken;
        }
        changed.then_some(Self { bytes, origin: Some(origin) })
    }

    /// Without blanks and colons. None if there are none.
    fn compact(&self) -> Option<Self> {
        self.bytes.iter().any(|byte| between(*byte)).then_some(())?;
        let kept = (0..self.bytes.len()).filter(|at| !between(self.bytes[*at]));
        let (bytes, origin) = kept
            .map(|at| {
                let source = self.source(at..at + 1);
                (self.bytes[at], (source.start, source.end))
            })
            .unzip();
        Some(Self { bytes, origin: Some(origin) })
    }
}

/// What dumps and line breaks put between the bytes of a value.
pub(super) fn between(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b':'
}

/// What an escape stands for.
enum Read {
    Nothing,
    Byte(u8),
    Char(char),
}

/// The escape that begins the bytes, and how many of them it takes.
fn escape(bytes: &[u8]) -> Option<(usize, Read)> {
    match bytes {
        // Text in UTF-16 is text between NULs.
        [0, ..] => Some((1, Read::Nothing)),
        [b'\\', b'u', b'{', ..] => {
            let end = bytes.iter().take(MAX_ESCAPE_BYTES).position(|byte| *byte == b'}')?;
            Some((end + 1, character(number(&bytes[3..end], 16)?)))
        }
        [b'\\', b'u', ..] => unicode(bytes),
        [b'\\', b'U', ..] => Some((10, character(number(bytes.get(2..10)?, 16)?))),
        [b'\\', b'x', ..] => Some((4, byte(number(bytes.get(2..4)?, 16)?))),
        [b'\\', b'0'..=b'3', ..] if number(bytes.get(1..4)?, 8).is_some() => {
            Some((4, byte(number(&bytes[1..4], 8)?)))
        }
        [b'\\', simple, ..] => {
            let read = match simple {
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'b' => 8,
                b'f' => 12,
                b'\\' | b'/' | b'"' | b'\'' | b'`' | b'$' => *simple,
                _ => return None,
            };
            Some((2, Read::Byte(read)))
        }
        [b'%', ..] => Some((3, byte(number(bytes.get(1..3)?, 16)?))),
        [b'&', ..] => entity(bytes),
        _ => None,
    }
}

/// `\uXXXX`, or two of them that are one character.
fn unicode(bytes: &[u8]) -> Option<(usize, Read)> {
    let first = number(bytes.get(2..6)?, 16)?;
    if !(0xd800..0xdc00).contains(&first) {
        return Some((6, character(first)));
    }
    let second = bytes.get(6..12).and_then(|rest| rest.strip_prefix(b"\\u"));
    let second = second.and_then(|digits| number(digits, 16));
    match second.filter(|second| (0xdc00..0xe000).contains(second)) {
        Some(second) => {
            let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            Some((12, character(code)))
        }
        None => Some((6, Read::Nothing)),
    }
}

/// A character reference of HTML or XML.
fn entity(bytes: &[u8]) -> Option<(usize, Read)> {
    let end = bytes.iter().take(MAX_ESCAPE_BYTES).position(|byte| *byte == b';')?;
    let read = match &bytes[1..end] {
        b"quot" => Read::Byte(b'"'),
        b"amp" => Read::Byte(b'&'),
        b"apos" => Read::Byte(b'\''),
        b"lt" => Read::Byte(b'<'),
        b"gt" => Read::Byte(b'>'),
        [b'#', b'x' | b'X', digits @ ..] => character(number(digits, 16)?),
        [b'#', digits @ ..] => character(number(digits, 10)?),
        _ => return None,
    };
    Some((end + 1, read))
}

fn number(digits: &[u8], radix: u32) -> Option<u32> {
    // A sign is no digit, though the parser takes one.
    let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u32::from_str_radix(digits, radix).ok()
}

fn byte(number: u32) -> Read {
    match u8::try_from(number) {
        Ok(0) | Err(_) => Read::Nothing,
        Ok(byte) => Read::Byte(byte),
    }
}

fn character(code: u32) -> Read {
    match char::from_u32(code) {
        None | Some('\0') => Read::Nothing,
        Some(character) => Read::Char(character),
    }
}

/// Whether the bytes, all of them, could begin a longer escape.
fn begins_escape(bytes: &[u8]) -> bool {
    let hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match bytes {
        [b'\\'] | [b'%'] | [b'&'] => true,
        [b'\\', b'u', b'{', digits @ ..] => digits.len() < 7 && hex(digits),
        [b'\\', b'u', digits @ ..] => digits.len() < 4 && hex(digits),
        [b'\\', b'U', digits @ ..] => digits.len() < 8 && hex(digits),
        [b'\\', b'x', digits @ ..] => digits.len() < 2 && hex(digits),
        [b'\\', digits @ ..] => digits.len() < 3 && digits.iter().all(u8::is_ascii_digit),
        [b'%', digit] => digit.is_ascii_hexdigit(),
        [b'&', rest @ ..] => {
            rest.len() < 9 && rest.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'#')
        }
        _ => false,
    }
}
