//! What over-strict readers look for in a line that is JSON.

use crate::json::{Place, Walk};

const DEPTH_LIMIT: usize = 32;

/// The first byte beyond ASCII.
pub(super) fn beyond_ascii(text: &[u8]) -> Option<usize> {
    text.iter().position(|byte| !byte.is_ascii())
}

/// The bracket that opens one level too many.
pub(super) fn too_deep(text: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    let mut walk = Walk::from(0);
    while let Some((at, byte, place)) = walk.next(text) {
        match (byte, place) {
            (b'{' | b'[', Place::Outside) if depth == DEPTH_LIMIT => return Some(at),
            (b'{' | b'[', Place::Outside) => depth += 1,
            (b'}' | b']', Place::Outside) => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The first byte of an integer that 64 bits with a sign cannot hold.
pub(super) fn too_large(text: &[u8]) -> Option<usize> {
    let mut walk = Walk::from(0);
    let mut start = None;
    while let Some((at, byte, place)) = walk.next(text) {
        let number = matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        match (start, number && place == Place::Outside) {
            (None, true) if byte.is_ascii_digit() || byte == b'-' => start = Some(at),
            (Some(first), false) => {
                let number = std::str::from_utf8(&text[first..at]).unwrap_or_default();
                if !number.contains(['.', 'e', 'E']) && number.parse::<i64>().is_err() {
                    return Some(first);
                }
                start = None;
            }
            _ => {}
        }
    }
    None
}

/// The pieces between U+0085, U+2028 and U+2029.
pub(super) fn separated(text: &[u8]) -> Vec<Vec<u8>> {
    let text = std::str::from_utf8(text).unwrap_or_default();
    let pieces = text.split(['\u{85}', '\u{2028}', '\u{2029}']);
    pieces.map(|piece| piece.as_bytes().to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::{beyond_ascii, separated, too_deep, too_large};

    #[test]
    fn each_finds_what_it_looks_for_outside_strings() {
        assert_eq!(beyond_ascii("{\"a\":\"é\"}".as_bytes()), Some(6));
        let deep = [vec![b'['; 33], vec![b']'; 33]].concat();
        assert_eq!(too_deep(&deep), Some(32));
        assert_eq!(too_deep(&deep[1..65]), None);
        assert_eq!(too_large(br#"{"a":"9223372036854775808","b":9223372036854775807}"#), None);
        assert_eq!(too_large(br#"{"a":-9223372036854775808,"b":9223372036854775808}"#), Some(30));
        assert_eq!(too_large(br#"{"a":1e400}"#), None);
        assert_eq!(separated("a\u{2028}b".as_bytes()), [b"a".to_vec(), b"b".to_vec()]);
    }
}
