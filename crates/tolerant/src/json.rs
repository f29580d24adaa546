//! Where things stand in a line that mutants look at.

use std::ops::Range;

/// A member of an object, or an element of an array, which has no key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// The key with its quotes.
    pub(crate) key: Option<Range<usize>>,
    pub(crate) value: Range<usize>,
}

/// The items of the object or array that a JSON text is; none if it is something else.
pub(crate) fn items(text: &[u8]) -> Vec<Item> {
    let mut items = Vec::new();
    let Some(start) = text.iter().position(|byte| !is_blank(*byte)) else { return items };
    if !matches!(text[start], b'{' | b'[') {
        return items;
    }
    let in_object = text[start] == b'{';
    let mut at = start + 1;
    let mut key = None;
    while let Some(byte) = text.get(at) {
        match byte {
            b'}' | b']' => break,
            b',' | b':' => at += 1,
            byte if is_blank(*byte) => at += 1,
            _ => {
                let end = value_end(text, at);
                if in_object && key.is_none() {
                    key = Some(at..end);
                } else {
                    items.push(Item { key: key.take(), value: at..end });
                }
                at = end;
            }
        }
    }
    items
}

/// The member of an object that has this key, spelled without escapes.
pub(crate) fn member(text: &[u8], name: &str) -> Option<Item> {
    let quoted = format!("\"{name}\"");
    let has = |item: &Item| item.key.clone().is_some_and(|key| &text[key] == quoted.as_bytes());
    items(text).into_iter().find(has)
}

/// The offset after the value that begins at `at`.
pub(crate) fn value_end(text: &[u8], at: usize) -> usize {
    let mut depth = 0usize;
    let mut walk = Walk::from(at);
    while let Some((at, byte, place)) = walk.next(text) {
        match (byte, place) {
            (b'{' | b'[', Place::Outside) => depth += 1,
            (b'}' | b']', Place::Outside) => match depth {
                0 => return at,
                1 => return at + 1,
                _ => depth -= 1,
            },
            (b'"', Place::Closing) if depth == 0 => return at + 1,
            (b',' | b':' | b' ' | b'\t' | b'\r', Place::Outside) if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

/// Whether the byte at `at` stands inside a string.
pub(crate) fn in_string(text: &[u8], at: usize) -> bool {
    let mut walk = Walk::from(0);
    while let Some((here, _, place)) = walk.next(text) {
        if here == at {
            return place == Place::Inside;
        }
    }
    false
}

/// Where a byte stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Outside,
    /// It is a quote that opens a string.
    Opening,
    Inside,
    /// It is a quote that closes a string.
    Closing,
}

/// Goes through a text byte by byte and knows where strings are.
#[derive(Debug)]
pub(crate) struct Walk {
    at: usize,
    place: Place,
    escaped: bool,
}

impl Walk {
    /// Begins outside strings.
    pub(crate) fn from(at: usize) -> Self {
        Self { at, place: Place::Outside, escaped: false }
    }

    /// The next byte, with its offset and place.
    pub(crate) fn next(&mut self, text: &[u8]) -> Option<(usize, u8, Place)> {
        let byte = *text.get(self.at)?;
        self.place = match self.place {
            Place::Opening | Place::Inside if byte == b'"' && !self.escaped => Place::Closing,
            Place::Opening | Place::Inside => Place::Inside,
            Place::Closing | Place::Outside if byte == b'"' => Place::Opening,
            Place::Closing | Place::Outside => Place::Outside,
        };
        self.escaped = self.place == Place::Inside && byte == b'\\' && !self.escaped;
        self.at += 1;
        Some((self.at - 1, byte, self.place))
    }
}

pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// A text with a part of it replaced.
pub(crate) fn splice(text: &[u8], range: Range<usize>, with: &[u8]) -> Vec<u8> {
    [&text[..range.start], with, &text[range.end..]].concat()
}

#[cfg(test)]
mod tests {
    use super::{in_string, items, member, splice, value_end};

    #[test]
    fn items_are_found() {
        let text = br#" {"a":[1,"]"], "b" : "x\"," }"#;
        let found: Vec<_> = items(text)
            .into_iter()
            .map(|item| (item.key.map(|key| &text[key]), &text[item.value]))
            .collect();
        let expected: [(Option<&[u8]>, &[u8]); 2] =
            [(Some(b"\"a\""), b"[1,\"]\"]"), (Some(b"\"b\""), br#""x\",""#)];
        assert_eq!(found, expected);
        let elements: Vec<_> = items(b"[{},2]").into_iter().map(|item| item.value).collect();
        assert_eq!(elements, [1..3, 4..5]);
        assert!(items(b"42").is_empty());
        assert!(items(b"").is_empty());
    }

    #[test]
    fn members_are_found_by_name() {
        let text = br#"{"id":31,"x":{"id":1}}"#;
        assert_eq!(member(text, "id").map(|item| item.value), Some(6..8));
        assert_eq!(member(text, "method"), None);
    }

    #[test]
    fn values_end_where_they_end() {
        assert_eq!(value_end(b"31,", 0), 2);
        assert_eq!(value_end(b"31", 0), 2);
        assert_eq!(value_end(br#""a\"b",1"#, 0), 6);
        assert_eq!(value_end(b"[{}]}", 0), 4);
    }

    #[test]
    fn strings_are_told_from_what_stands_outside() {
        let text = br#"{"a\"b":1}"#;
        assert!(in_string(text, 2) && in_string(text, 4) && in_string(text, 5));
        assert!(!in_string(text, 0) && !in_string(text, 8));
        assert_eq!(splice(text, 8..9, b"22"), br#"{"a\"b":22}"#);
    }
}
