//! A command line that can be copied into a shell.

use std::borrow::Cow;
use std::ffi::OsString;

use crate::caps;
use crate::redact::{Content, Redactor};
use crate::safe::{Cap, SafeText, Untrusted};
use crate::style::Charset;

/// A command line that means the same in a shell as the arguments that it was made of, apart
/// from what was redacted. What cannot stand in a report as it is uses bash's `$'…'` quoting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    unicode: SafeText,
    ascii: SafeText,
}

impl CommandLine {
    /// Quotes arguments. None if there are none, or if the line would be too long to show.
    #[must_use]
    pub fn new(arguments: &[OsString], redactor: &Redactor) -> Option<Self> {
        let before = [None].into_iter().chain(arguments.iter().map(Some));
        let words: Vec<Vec<u8>> = arguments
            .iter()
            .zip(before)
            .map(|(argument, before)| {
                let content = match before {
                    Some(before) if before == "--call" => Content::Arguments,
                    _ => Content::Plain,
                };
                redacted(argument.as_encoded_bytes(), content, redactor)
            })
            .collect();
        let line = |charset| {
            let quoted: Vec<Cow<'_, str>> = words.iter().map(|word| quote(word, charset)).collect();
            SafeText::vouched(quoted.join(" "))
        };
        let ascii = line(Charset::Ascii);
        let shown = 1..=caps::COMMAND_LINE_BYTES;
        shown
            .contains(&ascii.as_str().len())
            .then(|| Self { unicode: line(Charset::Unicode), ascii })
    }

    /// The line in the characters allowed.
    #[must_use]
    pub fn text(&self, charset: Charset) -> &SafeText {
        match charset {
            Charset::Unicode => &self.unicode,
            Charset::Ascii => &self.ascii,
        }
    }
}

/// One word. The arguments of a call are a user's; its tool is not.
fn redacted(word: &[u8], content: Content, redactor: &Redactor) -> Vec<u8> {
    let equals = word.iter().position(|byte| *byte == b'=').filter(|_| content != Content::Plain);
    let (tool, arguments) = word.split_at(equals.map_or(word.len(), |equals| equals + 1));
    let mut out = redactor.redact_whole(tool).bytes;
    out.extend(redactor.redact_arguments(arguments).bytes);
    out
}

/// Quotes one word. It is left to `shlex` only if it is printable without any escape.
fn quote(word: &[u8], charset: Charset) -> Cow<'_, str> {
    // What stands for a directory of this machine must be read by the shell.
    for (place, read) in [("~/", "~/"), ("$TMPDIR/", "\"$TMPDIR\"/")] {
        if let Some(rest) = word.strip_prefix(place.as_bytes()).filter(|rest| !rest.is_empty()) {
            return format!("{read}{}", quote(rest, charset)).into();
        }
    }
    let plain = std::str::from_utf8(word)
        .ok()
        .filter(|text| Untrusted::new(word).sanitise(Cap::NONE).text.as_str() == *text)
        .filter(|text| charset == Charset::Unicode || text.is_ascii());
    match plain {
        // `try_quote` refuses NUL bytes alone, and a word with one is not plain.
        Some(text) => shlex::try_quote(text).unwrap_or_else(|_| dollar_quote(word).into()),
        None => dollar_quote(word).into(),
    }
}

fn dollar_quote(word: &[u8]) -> String {
    let mut out = String::from("$'");
    for byte in word {
        match byte {
            b'\'' | b'\\' => {
                out.push('\\');
                out.push(char::from(*byte));
            }
            // `#`, `:` and `_` are spelled out so that no CI command survives.
            b'#' | b':' | b'_' | ..b' ' | b'\x7f'.. => out.push_str(&format!("\\x{byte:02x}")),
            b' '..=b'~' => out.push(char::from(*byte)),
        }
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::quote;
    use crate::style::Charset;

    #[rstest]
    #[case::plain(b"server.js", "server.js")]
    #[case::empty(b"", "''")]
    #[case::blank(b"a b", "'a b'")]
    #[case::single_quote(b"it's", "\"it's\"")]
    #[case::unicode("caf\u{e9}".as_bytes(), "'caf\u{e9}'")]
    #[case::backslash(b"C:\\x", "$'C\\x3a\\\\x'")]
    #[case::newline(b"a\nb", "$'a\\x0ab'")]
    #[case::escape(b"\x1b[31m", "$'\\x1b[31m'")]
    #[case::not_utf8(b"\xff", "$'\\xff'")]
    #[case::command(b"::error::x", "$'\\x3a\\x3aerror\\x3a\\x3ax'")]
    #[case::old_command(b"##[error]", "$'\\x23\\x23[error]'")]
    fn a_word_is_quoted(#[case] word: &[u8], #[case] quoted: &str) {
        assert_eq!(quote(word, Charset::Unicode), quoted);
    }

    #[test]
    fn a_word_beyond_ascii_is_spelled_in_bytes_where_only_ascii_is_allowed() {
        assert_eq!(quote("caf\u{e9}".as_bytes(), Charset::Ascii), "$'caf\\xc3\\xa9'");
    }
}
