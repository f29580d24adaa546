//! Where the values of a JSON text stand.
//!
//! Reads texts that are valid already and decides nothing. It shares no code with the detector,
//! so that a promise cannot repeat the detector's mistake.

use std::ops::Range;

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Array,
    String,
    Number,
    Literal,
}

/// A value and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) kind: Kind,
    pub(crate) range: Range<usize>,
    /// The key, with its quotes, where the value is an object's member.
    pub(crate) key: Option<Range<usize>>,
    /// The index of the container that the value stands in.
    pub(crate) parent: Option<usize>,
}

/// Every value of a text, each container before what it holds. Offsets count from `text[0]`
/// plus `base`. None if the text is not JSON after all.
pub(crate) fn read(text: &[u8], base: usize) -> Option<Vec<Value>> {
    let mut values: Vec<Value> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut key: Option<Range<usize>> = None;
    let mut at = 0;
    while at < text.len() {
        let parent = open.last().copied();
        let in_object = parent.is_some_and(|index| values[index].kind == Kind::Object);
        let end = match text[at] {
            b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' => {
                at += 1;
                continue;
            }
            b'}' | b']' => {
                at += 1;
                values[open.pop()?].range.end = base + at;
                continue;
            }
            b'{' | b'[' => at + 1,
            b'"' => at + string_len(&text[at..])?,
            _ => at + scalar_len(&text[at..]),
        };
        let range = base + at..base + end;
        let kind = match text[at] {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b'"' => Kind::String,
            b'-' | b'0'..=b'9' => Kind::Number,
            _ => Kind::Literal,
        };
        at = end;
        if in_object && key.is_none() {
            key = Some(range);
            continue;
        }
        if matches!(kind, Kind::Object | Kind::Array) {
            open.push(values.len());
        }
        values.push(Value { kind, range, key: key.take(), parent });
    }
    (open.is_empty() && !values.is_empty()).then_some(values)
}

/// The length of a string with its quotes.
fn string_len(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The length of a number or literal.
fn scalar_len(text: &[u8]) -> usize {
    let ends = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' | b'}' | b']');
    text.iter().position(ends).unwrap_or(text.len()).max(1)
}

/// What a string, given with its quotes, stands for. None where UTF-8 cannot hold it.
pub(crate) fn decode(raw: &[u8]) -> Option<String> {
    let inner = raw.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let mut rest = std::str::from_utf8(inner).ok()?;
    let mut units: Vec<u16> = Vec::new();
    while let Some(character) = rest.chars().next() {
        let (unit, len) = match (character, rest.as_bytes().get(1)) {
            ('\\', Some(b'u')) => (Some(u16::from_str_radix(rest.get(2..6)?, 16).ok()?), 6),
            ('\\', Some(byte)) => {
                let decoded = match byte {
                    b'b' => 0x08,
                    b'f' => 0x0C,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    other => *other,
                };
                (Some(u16::from(decoded)), 2)
            }
            _ => (None, character.len_utf8()),
        };
        match unit {
            Some(unit) => units.push(unit),
            None => units.extend_from_slice(character.encode_utf16(&mut [0; 2])),
        }
        rest = rest.get(len..)?;
    }
    String::from_utf16(&units).ok()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::{Kind, decode, read};

    #[test]
    fn every_value_is_found_with_its_key_and_container() {
        let text = br#" {"a" : [1,{"b":"x]\"}"}], "c":null } "#;
        let values = read(text, 10).unwrap();
        let seen: Vec<_> = values
            .iter()
            .map(|value| {
                let slice = |range: &std::ops::Range<usize>| {
                    std::str::from_utf8(&text[range.start - 10..range.end - 10]).unwrap()
                };
                (value.kind, slice(&value.range), value.key.as_ref().map(slice), value.parent)
            })
            .collect();
        assert_eq!(
            seen,
            [
                (Kind::Object, r#"{"a" : [1,{"b":"x]\"}"}], "c":null }"#, None, None),
                (Kind::Array, r#"[1,{"b":"x]\"}"}]"#, Some("\"a\""), Some(0)),
                (Kind::Number, "1", None, Some(1)),
                (Kind::Object, r#"{"b":"x]\"}"}"#, None, Some(1)),
                (Kind::String, r#""x]\"}""#, Some("\"b\""), Some(3)),
                (Kind::Literal, "null", Some("\"c\""), Some(0)),
            ]
        );
    }

    #[rstest]
    #[case(b"")]
    #[case(b"{")]
    #[case(b"}")]
    #[case(b"\"a")]
    fn what_is_no_json_gives_nothing(#[case] text: &[u8]) {
        assert_eq!(read(text, 0), None);
    }

    #[rstest]
    #[case(br#""id""#, Some("id"))]
    #[case(br#""\u0069d\n\/""#, Some("id\n/"))]
    #[case(r#""é\ud83d\ude00""#.as_bytes(), Some("é😀"))]
    #[case(br#""\ud83d""#, None)]
    #[case(b"31", None)]
    fn strings_are_decoded(#[case] raw: &[u8], #[case] expected: Option<&str>) {
        assert_eq!(decode(raw).as_deref(), expected);
    }
}
