//! The grammar alone, without the framing: is a text JSON?

use crate::grammar::{Completeness, Grammar, Sink, Text, ValueKind};

/// A sink that listens to nothing.
struct Deaf;

impl Sink for Deaf {
    fn open(&mut self, _: ValueKind, _: u64, _: usize) {}
    fn close(&mut self, _: u64, _: usize) {}
    fn key(&mut self, _: Text<'_>, _: u64, _: usize) {}
    fn scalar(&mut self, _: ValueKind, _: Text<'_>, _: u64, _: usize) {}
    fn lone_surrogate(&mut self, _: u64) {}
}

/// Whether `text` is one JSON text by the grammar of RFC 8259 and well-formed UTF-8.
///
/// Line feeds are blanks here, as the grammar says: this is the grammar alone, without the
/// framing that never lets it see one. It exists so that the grammar can be compared with
/// other implementations.
///
/// # Errors
///
/// The offset of the first byte that no JSON text can have there, or the length of `text` if
/// it ends too early.
pub fn check_json_text(text: &[u8]) -> Result<(), u64> {
    let mut grammar = Grammar::new();
    grammar.feed(text, 0, &mut Deaf);
    let broken = match grammar.finish(&mut Deaf) {
        Completeness::Complete => None,
        Completeness::Blank | Completeness::Open | Completeness::Unfinished => {
            Some(text.len() as u64)
        }
        Completeness::Joined(at) | Completeness::Broken(at) => Some(at),
    };
    let undecodable =
        simdutf8::compat::from_utf8(text).err().map(|error| error.valid_up_to() as u64);
    match [broken, undecodable].into_iter().flatten().min() {
        None => Ok(()),
        Some(at) => Err(at),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::check_json_text;

    #[rstest]
    #[case::object(b"{}")]
    #[case::blanks(b" \t\r\n[ 1 , 2 ] ")]
    #[case::numbers(b"[0,-0,1.5,1e9,1E+9,-1.25e-10,123456789012345678901234567890]")]
    #[case::strings(br#"["","\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00","\ud800"]"#)]
    #[case::literals(b"[true,false,null]")]
    #[case::scalar_number(b"42")]
    #[case::scalar_string(b"\"x\"")]
    #[case::raw_del_and_separators("[\"\u{7f}\u{2028}\u{feff}\"]".as_bytes())]
    fn grammatical_texts_are_accepted(#[case] text: &[u8]) {
        assert_eq!(check_json_text(text), Ok(()));
    }

    #[rstest]
    #[case::nothing(b"", 0)]
    #[case::word(b"hello", 0)]
    #[case::broken_literal(b"nope", 1)]
    #[case::unfinished_literal(b"tru", 3)]
    #[case::text_after_number(b"2026-12-01 info", 4)]
    #[case::text_after_array(b"[1] x", 4)]
    #[case::trailing_comma(b"[1,]", 3)]
    #[case::trailing_comma_in_object(br#"{"a":1,}"#, 7)]
    #[case::comment(b"[1]//x", 3)]
    #[case::single_quotes(b"{'a':1}", 1)]
    #[case::leading_zero(b"01", 1)]
    #[case::plus(b"+1", 0)]
    #[case::bare_point(b".5", 0)]
    #[case::point_without_digits(b"[1.]", 3)]
    #[case::exponent_without_digits(b"[1e]", 3)]
    #[case::nan(b"[NaN]", 1)]
    #[case::minus_infinity(b"[-Infinity]", 2)]
    #[case::raw_tab_in_string(b"\"a\tb\"", 2)]
    #[case::bad_escape(br#""\x41""#, 2)]
    #[case::short_unicode_escape(br#""\u12g4""#, 5)]
    #[case::wrong_bracket(b"[1}", 2)]
    #[case::byte_order_mark(b"\xEF\xBB\xBF{}", 0)]
    #[case::two_objects(b"{} {}", 3)]
    #[case::object_then_text(b"{}x", 2)]
    #[case::open_object(br#"{"a":"#, 5)]
    #[case::bad_utf8(b"\"caf\xE9\"", 4)]
    fn other_texts_break_at_the_named_byte(#[case] text: &[u8], #[case] at: u64) {
        assert_eq!(check_json_text(text), Err(at));
    }

    #[test]
    fn nesting_is_bounded_by_nothing_and_costs_no_stack() {
        let deep = [vec![b'['; 1_000_000], vec![b']'; 1_000_000]].concat();
        assert_eq!(check_json_text(&deep), Ok(()));
        assert_eq!(check_json_text(&deep[..1_500_000]), Err(1_500_000));
    }
}
