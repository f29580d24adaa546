//! Text that a report may hold: the one way from untrusted bytes to something printable.
//!
//! [`Untrusted`] has no `Display`; its only way out is [`Untrusted::sanitise`]. The result is one
//! line of printable characters without a trailing blank, free of escape sequences, of
//! characters that hide or reorder others, and of commands that a CI runner obeys.
//!
//! The map is injective as long as nothing is cut: every backslash is escaped, so each escape
//! can be read back. It is therefore *not* idempotent: sanitising a [`SafeText`] again doubles
//! its backslashes.

mod ci;
mod unit;

#[cfg(test)]
pub(crate) mod tests;

use std::fmt;
use std::ops::Range;

use serde::{Serialize, Serializer};
use unicode_width::UnicodeWidthChar;

pub(crate) use unit::units;

/// The mark for what was left out.
pub(crate) const ELLIPSIS: char = '…';

/// The mark for what was left out, where only ASCII is allowed.
pub(crate) const ASCII_ELLIPSIS: &str = "...";

/// Bytes that a server, a file or a user's environment wrote.
#[derive(Clone, Copy)]
pub struct Untrusted<'a>(&'a [u8]);

/// The most that a text may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap {
    /// Display columns.
    pub columns: usize,
    /// Bytes of UTF-8.
    pub bytes: usize,
}

impl Cap {
    /// No cap. For bytes whose size is known to be small.
    pub const NONE: Self = Self { columns: usize::MAX, bytes: usize::MAX };

    /// The cap that leaves room for `marks` marks of omission.
    #[must_use]
    pub(crate) fn less_marks(self, marks: usize) -> Self {
        Self {
            columns: self.columns.saturating_sub(marks),
            bytes: self.bytes.saturating_sub(marks * ELLIPSIS.len_utf8()),
        }
    }
}

/// One line of printable characters, safe in a terminal, in a CI log and in a CI command.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct SafeText(String);

/// Safe text, and where each byte of its source went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sanitised {
    /// The text.
    pub text: SafeText,
    /// The bytes of the source, from its start, that the text shows.
    pub taken: usize,
    /// The length of the source.
    len: usize,
    /// For each unit shown: its first byte in the source, and in the text.
    starts: Vec<(usize, usize)>,
}

impl<'a> Untrusted<'a> {
    /// Wraps bytes.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Makes the bytes printable, up to a cap; a cut falls between two units, never inside an
    /// escape.
    ///
    /// `\n`, `\r`, `\t` and `\\` are written so; other control characters, and ASCII that would
    /// begin a CI command or end the line with a blank, as `\x1b`; other characters that are not
    /// plainly visible as `\u{202e}`; bytes that are not UTF-8 as `\xff`.
    #[must_use]
    pub fn sanitise(self, cap: Cap) -> Sanitised {
        let bytes = self.0;
        let mut text = String::new();
        let mut starts = Vec::new();
        let mut columns = 0;
        let mut taken = 0;
        for unit in units(bytes) {
            let start = text.len();
            if ci::begins_command(bytes, unit.range.start) {
                unit.escape_into(&mut text);
            } else {
                unit.write_into(&mut text);
            }
            columns += columns_of(&text[start..]);
            if columns > cap.columns || text.len() > cap.bytes {
                text.truncate(start);
                break;
            }
            starts.push((unit.range.start, start));
            taken = unit.range.end;
        }
        // A blank at the end of a line cannot be seen, and editors and log viewers drop it.
        if text.ends_with(' ') {
            if columns_of(&text) + 3 <= cap.columns && text.len() + 3 <= cap.bytes {
                text.pop();
                text.push_str("\\x20");
            } else {
                while text.ends_with(' ') {
                    text.pop();
                    starts.pop();
                    taken -= 1;
                }
            }
        }
        Sanitised { text: SafeText(text), taken, len: bytes.len(), starts }
    }

    /// Makes the bytes printable, up to a cap, and ends them with `…` if something was cut.
    #[must_use]
    pub fn text(self, cap: Cap) -> SafeText {
        let whole = self.sanitise(cap);
        if whole.is_whole() {
            return whole.text;
        }
        let mut cut = self.sanitise(cap.less_marks(1)).text;
        if cap.columns > 0 && cap.bytes >= ELLIPSIS.len_utf8() {
            cut.0.push(ELLIPSIS);
        }
        cut
    }
}

impl fmt::Debug for Untrusted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Untrusted({} bytes)", self.0.len())
    }
}

impl Sanitised {
    /// Whether the text shows the whole source.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.taken == self.len
    }

    /// The bytes of the text that show the source's byte at `offset`. The end of a source that
    /// is shown whole is the empty range at the end of the text. None for what was cut.
    #[must_use]
    pub fn span(&self, offset: usize) -> Option<Range<usize>> {
        let end = self.text.0.len();
        if offset >= self.taken {
            return (offset == self.len && self.is_whole()).then_some(end..end);
        }
        let after = self.starts.partition_point(|(source, _)| *source <= offset);
        let (_, start) = *self.starts.get(after.checked_sub(1)?)?;
        Some(start..self.starts.get(after).map_or(end, |(_, next)| *next))
    }

    /// The display column, counted from 0, of the source's byte at `offset`. None for what was
    /// cut.
    #[must_use]
    pub fn column(&self, offset: usize) -> Option<usize> {
        let span = self.span(offset)?;
        Some(columns_of(&self.text.0[..span.start]))
    }
}

impl SafeText {
    /// Text that was put together from safe pieces.
    pub(crate) fn vouched(text: String) -> Self {
        Self(text)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its width in display columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        columns_of(&self.0)
    }

    /// The text with every character beyond ASCII shown as `\u{e9}`. Still injective.
    #[must_use]
    pub fn to_ascii(&self) -> Self {
        Self(escape_beyond_ascii(&self.0))
    }
}

impl AsRef<str> for SafeText {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SafeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Serialize for SafeText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Safe text with every character beyond ASCII shown as `\u{e9}`.
pub(crate) fn escape_beyond_ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii() {
            out.push(character);
        } else {
            out.extend(character.escape_unicode());
        }
    }
    out
}

/// A piece of a report in ASCII: as [`escape_beyond_ascii`], but marks of omission become
/// [`ASCII_ELLIPSIS`].
pub(crate) fn ascii(text: &str) -> String {
    let pieces: Vec<String> = text.split(ELLIPSIS).map(escape_beyond_ascii).collect();
    pieces.join(ASCII_ELLIPSIS)
}

/// The width of safe text in display columns.
pub(crate) fn columns_of(text: &str) -> usize {
    text.chars().map(|character| character.width().unwrap_or(0)).sum()
}
