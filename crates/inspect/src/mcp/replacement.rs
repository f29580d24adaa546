//! `replacement-character`: the trace of bytes that somebody could not decode.

use memchr::memmem;

const RAW: &[u8] = "\u{FFFD}".as_bytes();

/// Whether a text holds U+FFFD other than as an escape.
pub(crate) fn holds_raw(text: &[u8]) -> bool {
    // Its first byte is rarer than a search for three is quick.
    memchr::memchr(RAW[0], text).is_some_and(|at| memmem::find(&text[at..], RAW).is_some())
}

/// The offset of the first U+FFFD in JSON text, raw or as an escape. Outside of strings JSON has
/// no place for either.
pub(super) fn first(text: &[u8]) -> Option<usize> {
    let raw = memmem::find(text, RAW);
    let before = &text[..raw.unwrap_or(text.len())];
    let escape = memmem::find_iter(before, b"\\u").find(|at| {
        let digits = before.get(at + 2..at + 6).unwrap_or_default();
        digits.eq_ignore_ascii_case(b"fffd") && !is_escaped(before, *at)
    });
    escape.or(raw)
}

/// Whether the backslash at an offset is itself escaped.
fn is_escaped(text: &[u8], at: usize) -> bool {
    let before = text[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
    before % 2 == 1
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::{first, holds_raw};

    #[rstest]
    #[case("[\"a\u{FFFD}\"]", Some(3))]
    #[case(r#"["a\uFFfd"]"#, Some(3))]
    #[case(r#"["a\\ufffd"]"#, None)]
    #[case(r#"["a\\\ufffd"]"#, Some(5))]
    #[case("[\"\\ufffc\u{FFFD}\\ufffd\"]", Some(8))]
    #[case("[\"\\ufffd\u{FFFD}\"]", Some(2))]
    #[case(r#"["\uff"#, None)]
    #[case("[\"\u{FFFC}\"]", None)]
    fn the_first_one_is_found(#[case] text: &str, #[case] at: Option<usize>) {
        assert_eq!(first(text.as_bytes()), at);
        assert_eq!(holds_raw(text.as_bytes()), text.contains('\u{FFFD}'));
    }
}
