//! What bytes are made of, and which of it may be shown as it is.

use std::fmt::Write as _;
use std::ops::Range;

use unicode_width::UnicodeWidthChar;

/// A character, or a byte that belongs to none.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    /// Its bytes in the source.
    pub(crate) range: Range<usize>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Char(char),
    Byte(u8),
}

/// The units of some bytes, in order.
pub(crate) fn units(bytes: &[u8]) -> impl Iterator<Item = Unit> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let kind = match first_char(&bytes[at..]) {
            Some(character) => Kind::Char(character),
            None => Kind::Byte(*bytes.get(at)?),
        };
        let start = at;
        at += match kind {
            Kind::Char(character) => character.len_utf8(),
            Kind::Byte(_) => 1,
        };
        Some(Unit { range: start..at, kind })
    })
}

fn first_char(bytes: &[u8]) -> Option<char> {
    let window = &bytes[..bytes.len().min(4)];
    let valid = match std::str::from_utf8(window) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&window[..error.valid_up_to()])
            .expect("bytes before the first error are UTF-8"),
    };
    valid.chars().next()
}

impl Unit {
    /// Writes the unit so that it can be seen.
    pub(crate) fn write_into(&self, out: &mut String) {
        match self.kind {
            Kind::Char(character) if is_plain(character) => out.push(character),
            _ => self.escape_into(out),
        }
    }

    /// Writes the unit as an escape, even if it could be seen as it is.
    pub(crate) fn escape_into(&self, out: &mut String) {
        match self.kind {
            Kind::Char('\n') => out.push_str("\\n"),
            Kind::Char('\r') => out.push_str("\\r"),
            Kind::Char('\t') => out.push_str("\\t"),
            Kind::Char('\\') => out.push_str("\\\\"),
            Kind::Char(character) if character.is_ascii() => hex_escape(out, character as u8),
            Kind::Char(character) => out.extend(character.escape_unicode()),
            Kind::Byte(byte) => hex_escape(out, byte),
        }
    }

    /// The columns that the unit takes where it stands by itself.
    pub(crate) fn columns(&self) -> usize {
        let mut text = String::new();
        self.write_into(&mut text);
        super::columns_of(&text)
    }
}

fn hex_escape(out: &mut String, byte: u8) {
    write!(out, "\\x{byte:02x}").expect("a String takes every write");
}

/// Whether a character shows itself, and nothing but itself, in one place of its own.
pub(crate) fn is_plain(character: char) -> bool {
    if character.is_ascii() {
        return matches!(character, ' '..='~') && character != '\\';
    }
    // The standard library escapes what is unassigned, private, a control, a format character
    // (bidi controls and zero-width ones among them), a blank other than U+0020, or what joins
    // the character before it (combining marks, variation selectors).
    character.escape_debug().len() == 1
        && character.width().is_some_and(|columns| columns > 0)
        && !is_blank_letter(character)
}

/// Letters and symbols that leave their place empty.
fn is_blank_letter(character: char) -> bool {
    matches!(character, '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}')
}
