//! A message in the form that any parser reads.
//!
//! JSON allows numbers that no double holds and escapes of half a surrogate pair; parsers refuse
//! both. Neither is a fault of layer 4, so before a message is handed over such a number becomes
//! one of the same sign that a double holds, an integer as it was, and such an escape the
//! replacement character.

use std::borrow::Cow;

use crate::grammar::{Grammar, Sink, Text, ValueKind};

const LARGE: &[u8] = b"1e300";
const MINUS_LARGE: &[u8] = b"-1e300";
/// As long as what it stands for.
const REPLACEMENT: &[u8] = b"\\ufffd";

/// The message in that form. None if a number is longer than what is kept to judge it.
pub(crate) fn readable(message: &[u8]) -> Option<Cow<'_, [u8]>> {
    let mut finder = Finder { edits: Vec::new(), too_long: TooLong::No };
    let mut grammar = Grammar::new();
    grammar.feed(message, 0, &mut finder);
    _ = grammar.finish(&mut finder);
    if finder.too_long == TooLong::Yes {
        return None;
    }
    if finder.edits.is_empty() {
        return Some(Cow::Borrowed(message));
    }
    finder.edits.sort_unstable_by_key(|edit| edit.at);
    let mut whole = Vec::with_capacity(message.len());
    let mut from = 0;
    for Edit { at, len, by } in finder.edits {
        whole.extend_from_slice(&message[from..at]);
        whole.extend_from_slice(by);
        from = at + len;
    }
    whole.extend_from_slice(&message[from..]);
    Some(Cow::Owned(whole))
}

struct Finder {
    edits: Vec<Edit>,
    too_long: TooLong,
}

struct Edit {
    at: usize,
    len: usize,
    by: &'static [u8],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TooLong {
    No,
    Yes,
}

impl Sink for Finder {
    fn open(&mut self, _: ValueKind, _: u64, _: usize) {}
    fn close(&mut self, _: u64, _: usize) {}
    fn key(&mut self, _: Text<'_>, _: u64, _: usize) {}

    fn scalar(&mut self, kind: ValueKind, text: Text<'_>, at: u64, _: usize) {
        if kind != ValueKind::Number {
            return;
        }
        match text {
            Text::TooLong => self.too_long = TooLong::Yes,
            Text::Whole(text) => {
                let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
                if number.is_some_and(f64::is_infinite) {
                    let by = if text.starts_with(b"-") { MINUS_LARGE } else { LARGE };
                    self.edits.push(Edit { at: at as usize, len: text.len(), by });
                }
            }
        }
    }

    fn lone_surrogate(&mut self, at: u64) {
        let len = REPLACEMENT.len();
        self.edits.push(Edit { at: at as usize, len, by: REPLACEMENT });
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::readable;

    #[rstest]
    #[case(r#"{"a":1,"b":[1e300,9007199254740993]}"#, r#"{"a":1,"b":[1e300,9007199254740993]}"#)]
    #[case(r#"[1e400,-1e400,1e-400]"#, r#"[1e300,-1e300,1e-400]"#)]
    #[case(r#"["\ud800x",{"\udfff":1e999}]"#, r#"["\ufffdx",{"\ufffd":1e300}]"#)]
    #[case(r#"["\ud83d\ude00"]"#, r#"["\ud83d\ude00"]"#)]
    fn what_parsers_refuse_is_replaced(#[case] message: &str, #[case] expected: &str) {
        assert_eq!(readable(message.as_bytes()).unwrap(), expected.as_bytes());
    }

    #[test]
    fn a_long_integer_stays_an_integer() {
        let digits = "9".repeat(400);
        assert_eq!(readable(format!("[{digits}]").as_bytes()).unwrap(), b"[1e300]".as_slice());
        assert_eq!(readable(format!("[{}]", "9".repeat(70_000)).as_bytes()), None);
    }
}
