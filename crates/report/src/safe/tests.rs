//! Tests of `safe`.

use proptest::prelude::*;
use rstest::rstest;

use super::unit::is_plain;
use super::{Cap, Untrusted, columns_of};
use crate::samples::obeys_ci_command;

fn safe(bytes: &[u8]) -> String {
    Untrusted::new(bytes).sanitise(Cap::NONE).text.to_string()
}

#[rstest]
#[case::ascii("plain text", "plain text")]
#[case::letters("caf\u{e9} \u{65e5}\u{672c} \u{1f680}", "caf\u{e9} \u{65e5}\u{672c} \u{1f680}")]
#[case::replacement_character("\u{fffd}", "\u{fffd}")]
#[case::backslash("a\\b", "a\\\\b")]
#[case::newline("a\nb\r\tc", "a\\nb\\r\\tc")]
#[case::nul("\0", "\\x00")]
#[case::escape_sequence("\u{1b}[31mred", "\\x1b[31mred")]
#[case::bell("\u{7}", "\\x07")]
#[case::delete("\u{7f}", "\\x7f")]
#[case::c1("\u{9b}31m", "\\u{9b}31m")]
#[case::next_line("\u{85}", "\\u{85}")]
#[case::right_to_left_override("\u{202e}", "\\u{202e}")]
#[case::isolate("\u{2066}", "\\u{2066}")]
#[case::zero_width_space("\u{200b}", "\\u{200b}")]
#[case::zero_width_joiner("\u{200d}", "\\u{200d}")]
#[case::byte_order_mark("\u{feff}", "\\u{feff}")]
#[case::soft_hyphen("\u{ad}", "\\u{ad}")]
#[case::no_break_space("\u{a0}", "\\u{a0}")]
#[case::ideographic_space("\u{3000}", "\\u{3000}")]
#[case::line_separator("\u{2028}", "\\u{2028}")]
#[case::paragraph_separator("\u{2029}", "\\u{2029}")]
#[case::private_use("\u{e000}", "\\u{e000}")]
#[case::private_plane("\u{f0000}", "\\u{f0000}")]
#[case::variation_selector("\u{fe0f}", "\\u{fe0f}")]
#[case::combining_mark("e\u{301}", "e\\u{301}")]
#[case::tag("\u{e0041}", "\\u{e0041}")]
#[case::unassigned("\u{378}", "\\u{378}")]
#[case::noncharacter("\u{ffff}", "\\u{ffff}")]
#[case::hangul_filler("\u{3164}", "\\u{3164}")]
#[case::braille_blank("\u{2800}", "\\u{2800}")]
#[case::blank_at_the_end("a  ", "a \\x20")]
#[case::blank_at_the_start("  a", "  a")]
#[case::only_blanks(" ", "\\x20")]
#[case::github_command("::error::x", "\\x3a:error::x")]
#[case::github_command_after_blanks("  ::error::x", "  \\x3a:error::x")]
#[case::github_command_where_a_line_may_wrap("a ::error::x", "a \\x3a:error::x")]
#[case::path_with_colons("std::io::Error", "std::io::Error")]
#[case::github_old_command("a ##[error]x", "a \\x23#[error]x")]
#[case::three_hashes("###[error]x", "#\\x23#[error]x")]
#[case::heading("## [x]", "## [x]")]
#[case::azure_command("##vso[task.x]", "\\x23#vso[task.x]")]
#[case::azure_command_in_capitals("##VSO[task.x]", "\\x23#VSO[task.x]")]
#[case::teamcity_command("##teamcity[x]", "\\x23#teamcity[x]")]
#[case::gitlab_section("section_start:1:x", "\\x73ection_start:1:x")]
#[case::gitlab_section_end("x section_end:1:x", "x \\x73ection_end:1:x")]
#[case::section("section 1", "section 1")]
fn text_becomes_safe(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(safe(text.as_bytes()), expected);
}

#[rstest]
#[case::lone_byte(b"caf\xe9 x", "caf\\xe9 x")]
#[case::cut_character(b"a\xe2\x82", "a\\xe2\\x82")]
#[case::surrogate(b"\xed\xa0\x80", "\\xed\\xa0\\x80")]
#[case::overlong(b"\xc0\xaf", "\\xc0\\xaf")]
#[case::utf16(b"a\0b\0", "a\\x00b\\x00")]
#[case::between_characters("\u{e9}".as_bytes().iter().chain(b"\xff\xc3\xa9").copied().collect::<Vec<_>>().leak(), "\u{e9}\\xff\u{e9}")]
fn bytes_that_are_not_utf8_are_shown_one_by_one(#[case] bytes: &[u8], #[case] expected: &str) {
    assert_eq!(safe(bytes), expected);
}

#[test]
fn a_c1_character_and_a_stray_byte_of_the_same_number_differ() {
    assert_ne!(safe("\u{9b}".as_bytes()), safe(b"\x9b"));
}

#[test]
fn a_cap_never_cuts_inside_an_escape() {
    let cap = |columns| Cap { columns, bytes: usize::MAX };
    let shown = |columns| Untrusted::new(b"ab\x1bcd").sanitise(cap(columns));
    assert_eq!(shown(5).text.as_str(), "ab");
    assert_eq!(shown(6).text.as_str(), "ab\\x1b");
    assert_eq!(shown(6).taken, 3);
    assert!(shown(8).is_whole());
}

#[test]
fn a_cut_text_ends_with_an_ellipsis_inside_its_cap() {
    let cap = Cap { columns: 6, bytes: 100 };
    assert_eq!(Untrusted::new(b"abcdefgh").text(cap).as_str(), "abcde\u{2026}");
    assert_eq!(Untrusted::new(b"abcdef").text(cap).as_str(), "abcdef");
    let wide = Untrusted::new("\u{65e5}\u{672c}\u{8a9e}\u{6587}".as_bytes()).text(cap);
    assert_eq!(wide.as_str(), "\u{65e5}\u{672c}\u{2026}");
}

#[test]
fn a_byte_is_found_in_the_text_by_span_and_column() {
    let source = "\u{65e5}\x1b\u{e9}x".as_bytes();
    let shown = Untrusted::new(source).sanitise(Cap::NONE);
    assert_eq!(shown.text.as_str(), "\u{65e5}\\x1b\u{e9}x");
    // Every byte of a character is found where the character is.
    assert_eq!((shown.span(0), shown.column(0)), (Some(0..3), Some(0)));
    assert_eq!((shown.span(2), shown.column(2)), (Some(0..3), Some(0)));
    assert_eq!((shown.span(3), shown.column(3)), (Some(3..7), Some(2)));
    assert_eq!((shown.span(5), shown.column(5)), (Some(7..9), Some(6)));
    assert_eq!((shown.span(6), shown.column(6)), (Some(9..10), Some(7)));
    assert_eq!((shown.span(7), shown.column(7)), (Some(10..10), Some(8)));
    assert_eq!(shown.span(8), None);
}

#[test]
fn a_byte_that_was_cut_is_found_nowhere() {
    let shown = Untrusted::new(b"abcdef").sanitise(Cap { columns: 3, bytes: 100 });
    assert_eq!(shown.span(2), Some(2..3));
    assert_eq!(shown.span(3), None);
    assert_eq!(shown.span(6), None);
}

#[test]
fn a_blank_that_does_not_fit_as_an_escape_is_cut() {
    let shown = Untrusted::new(b"ab  cd").sanitise(Cap { columns: 4, bytes: 100 });
    assert_eq!((shown.text.as_str(), shown.taken), ("ab", 2));
    assert_eq!(shown.span(2), None);
}

#[test]
fn debug_of_untrusted_bytes_shows_none_of_them() {
    assert_eq!(format!("{:?}", Untrusted::new(b"\x1b[31m")), "Untrusted(5 bytes)");
}

#[test]
fn ascii_text_has_nothing_beyond_ascii() {
    let text = Untrusted::new("caf\u{e9} \u{1f680}".as_bytes()).sanitise(Cap::NONE).text;
    assert_eq!(text.to_ascii().as_str(), "caf\\u{e9} \\u{1f680}");
}

/// Reads safe text back into the bytes that it was made of.
fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        if character != '\\' {
            out.extend(character.encode_utf8(&mut [0; 4]).bytes());
            continue;
        }
        let (kind, after) = rest.split_at(1);
        rest = after;
        match kind {
            "n" => out.push(b'\n'),
            "r" => out.push(b'\r'),
            "t" => out.push(b'\t'),
            "\\" => out.push(b'\\'),
            "x" => {
                out.push(u8::from_str_radix(&rest[..2], 16).unwrap());
                rest = &rest[2..];
            }
            "u" => {
                let (digits, after) = rest[1..].split_once('}').unwrap();
                let character = char::from_u32(u32::from_str_radix(digits, 16).unwrap()).unwrap();
                out.extend(character.encode_utf8(&mut [0; 4]).bytes());
                rest = after;
            }
            other => panic!("no escape begins with {other:?}"),
        }
    }
    out
}

/// Bytes in which what the sanitiser looks for is frequent.
pub(crate) fn hostile_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        any::<Vec<u8>>(),
        any::<String>().prop_map(String::into_bytes),
        prop::sample::select(vec![
            "::",
            ":",
            "##[",
            "#",
            "[",
            "##vso[",
            "##teamcity[",
            "section_start",
            "section_",
            " ",
            "  ",
            "\\",
            "\u{1b}[31m",
            "\u{202e}",
            "\u{9b}",
            "\n",
            "\r",
            "error::",
            "\u{65e5}",
            "add-mask::e",
            "e\u{301}",
            "[REDACTED:X]",
            "x",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn output_is_one_printable_line(bytes in hostile_bytes()) {
        let text = safe(&bytes);
        prop_assert!(text.chars().all(|character| is_plain(character) || character == '\\'));
        prop_assert!(!text.ends_with(' '));
    }

    #[test]
    fn the_map_is_injective(bytes in hostile_bytes()) {
        prop_assert_eq!(unescape(&safe(&bytes)), bytes);
    }

    #[test]
    fn ascii_text_can_be_read_back_too(bytes in hostile_bytes()) {
        let text = Untrusted::new(&bytes).sanitise(Cap::NONE).text.to_ascii();
        prop_assert!(text.as_str().is_ascii());
        prop_assert_eq!(unescape(text.as_str()), bytes);
    }

    #[test]
    fn output_keeps_to_its_cap(bytes in hostile_bytes(), columns in 0_usize..40, len in 0_usize..60) {
        let cap = Cap { columns, bytes: len };
        let shown = Untrusted::new(&bytes).sanitise(cap);
        prop_assert!(shown.text.columns() <= columns && shown.text.as_str().len() <= len);
        prop_assert_eq!(unescape(shown.text.as_str()), &bytes[..shown.taken]);
        let marked = Untrusted::new(&bytes).text(cap);
        prop_assert!(marked.columns() <= columns && marked.as_str().len() <= len);
    }

    #[test]
    fn spans_tile_the_text(bytes in hostile_bytes(), columns in 0_usize..200) {
        let shown = Untrusted::new(&bytes).sanitise(Cap { columns, bytes: usize::MAX });
        let mut end = 0;
        for offset in 0..shown.taken {
            let span = shown.span(offset).unwrap();
            prop_assert!(span.start == end || span.end == end);
            prop_assert!(shown.text.as_str().get(span.clone()).is_some());
            prop_assert_eq!(shown.column(offset), Some(columns_of(&shown.text.as_str()[..span.start])));
            end = span.end;
        }
        prop_assert_eq!(end, shown.text.as_str().len());
    }

    #[test]
    fn no_word_of_the_output_begins_a_ci_command(bytes in hostile_bytes()) {
        // A report may break a line at any blank.
        let text = safe(&bytes);
        for word in text.split(' ') {
            prop_assert_eq!(obeys_ci_command(word), None);
        }
        prop_assert_eq!(obeys_ci_command(&text), None);
    }

    #[test]
    fn no_byte_is_lost_or_changed_by_a_second_pass(bytes in hostile_bytes()) {
        // The map is not idempotent, but applying it twice can be undone twice.
        let twice = safe(safe(&bytes).as_bytes());
        prop_assert_eq!(unescape(std::str::from_utf8(&unescape(&twice)).unwrap()), bytes);
    }
}
