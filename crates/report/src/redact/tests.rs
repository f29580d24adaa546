//! Tests of `redact`.

use proptest::prelude::*;
use rstest::rstest;

use super::{Edge, Edges, Located, Redaction, Redactor};
use crate::facts::{Place, PlaceKind};
use crate::samples::secret;

const VALUE: &str = "s3cr3t/Value+7 \u{e9}\"x";

fn redact(bytes: &[u8]) -> String {
    let redactor = Redactor::new(&[secret("DEMO", VALUE)]);
    String::from_utf8(redactor.redact_whole(bytes).bytes).unwrap()
}

fn tokens_only(text: &str) -> String {
    String::from_utf8(Redactor::new(&[]).redact_whole(text.as_bytes()).bytes).unwrap()
}

const ONLY_START: Edges = Edges { start: Edge::Cut, end: Edge::Whole };
const ONLY_END: Edges = Edges { start: Edge::Whole, end: Edge::Cut };

#[rstest]
#[case::raw(VALUE.to_owned())]
#[case::upper_case(VALUE.to_ascii_uppercase())]
#[case::json("s3cr3t/Value+7 \u{e9}\\\"x".to_owned())]
#[case::json_ascii("s3cr3t/Value+7 \\u00e9\\\"x".to_owned())]
#[case::json_slashes("s3cr3t\\/Value+7 \\u00e9\\\"x".to_owned())]
#[case::url("s3cr3t%2FValue%2B7%20%C3%A9%22x".to_owned())]
#[case::url_lower_case("s3cr3t%2fValue%2b7%20%c3%a9%22x".to_owned())]
#[case::form("s3cr3t%2FValue%2B7+%C3%A9%22x".to_owned())]
#[case::hex(VALUE.bytes().map(|byte| format!("{byte:02x}")).collect())]
#[case::hex_dump(VALUE.bytes().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" "))]
#[case::dotnet(r"s3cr3t/Value\u002B7 \u00E9\u0022x".to_owned())]
#[case::gson(r"s3cr3t\u002fValue\u002b7 \u00e9\u0022x".to_owned())]
#[case::json_in_json(r#"s3cr3t/Value+7 \\u00e9\\\"x"#.to_owned())]
#[case::json_in_json_in_json(r#"s3cr3t/Value+7 \\\\u00e9\\\\\\\"x"#.to_owned())]
#[case::url_twice("s3cr3t%252FValue%252B7%2520%25C3%25A9%2522x".to_owned())]
#[case::html("s3cr3t/Value+7 \u{e9}&quot;x".to_owned())]
#[case::html_decimal("s3cr3t&#47;Value&#43;7 &#233;&#34;x".to_owned())]
#[case::html_hex("s3cr3t&#x2F;Value&#x2B;7 &#xE9;&quot;x".to_owned())]
#[case::python_repr(r#"s3cr3t/Value+7 \xc3\xa9"x"#.to_owned())]
#[case::octal(r#"s3cr3t/Value+7 \303\251"x"#.to_owned())]
#[case::base32("OMZWG4RTOQXVMYLMOVSSWNZAYOUSE6".to_owned())]
#[case::broken_line("s3cr3t/Va\nlue+7 \u{e9}\"x".to_owned())]
fn a_known_value_is_found_in_each_encoding(#[case] spelling: String) {
    assert_eq!(redact(format!("a {spelling} b").as_bytes()), "a [REDACTED:DEMO] b");
}

/// Base64 by a loop over bits, unlike the code under test.
fn base64(bytes: &[u8], last: [char; 2]) -> String {
    let digit = |value: u8| match value {
        0..=25 => char::from(b'A' + value),
        26..=51 => char::from(b'a' + value - 26),
        52..=61 => char::from(b'0' + value - 52),
        _ => last[usize::from(value - 62)],
    };
    let bits: Vec<u8> =
        bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
    bits.chunks(6)
        .map(|chunk| {
            digit(chunk.iter().fold(0, |value, bit| value << 1 | bit) << (6 - chunk.len()))
        })
        .collect()
}

#[rstest]
fn a_known_value_is_found_in_base64_wherever_it_begins(
    #[values("", "u", "us", "use", "user:")] before: &str,
    #[values("", "\n", "zz")] after: &str,
    #[values(['+', '/'], ['-', '_'])] last: [char; 2],
) {
    // Bits that use the last two digits, so that the alphabets differ.
    let value = "\u{3ff}\u{3ff}\u{3ff}abcdef??>>";
    let redactor = Redactor::new(&[secret("DEMO", value)]);
    let encoded = base64(format!("{before}{value}{after}").as_bytes(), last);
    let shown = String::from_utf8(redactor.redact_whole(encoded.as_bytes()).bytes).unwrap();
    assert!(shown.contains("[REDACTED:DEMO]"), "{encoded} became {shown}");
    let left = shown.replace("[REDACTED:DEMO]", "");
    let neighbours = before.len() + after.len();
    assert!(left.len() <= neighbours * 4 / 3 + 4, "{encoded} became {shown}");
}

#[test]
fn a_known_value_is_found_in_utf16_and_in_its_base64() {
    for wide in [
        VALUE.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
        VALUE.encode_utf16().flat_map(u16::to_be_bytes).collect(),
    ] {
        let redactor = Redactor::new(&[secret("DEMO", VALUE)]);
        let shown = redactor.redact_whole(&wide).bytes;
        assert!(shown.len() < 18, "{shown:?}");
        let shown = redactor.redact_whole(base64(&wide, ['+', '/']).as_bytes()).bytes;
        assert!(shown.len() < 22, "{shown:?}");
    }
}

#[rstest]
#[case::scheme("Bearer abcdefg", "abcdefg")]
#[case::url("postgres://me:hunter22@db/x", "hunter22")]
#[case::blanks("  abcdefg\n", "abcdefg")]
fn a_part_that_programs_print_alone_is_a_secret_too(#[case] value: &str, #[case] part: &str) {
    let redactor = Redactor::new(&[secret("DEMO", value)]);
    let shown = redactor.redact_whole(format!("x {part} y").as_bytes()).bytes;
    assert_eq!(shown, b"x [REDACTED:DEMO] y");
}

#[test]
fn places_are_replaced_where_they_stand_alone() {
    let place = |kind, text: &str, shown| Place { kind, text: text.into(), shown };
    let places = [
        place(PlaceKind::Path, "/home/alice", "~"),
        place(PlaceKind::Path, "/home/alice/project", "."),
        place(PlaceKind::Path, "/tmp", "$TMPDIR"),
        place(PlaceKind::Path, "/", "x"),
        place(PlaceKind::Name, "alice", "<user>"),
        place(PlaceKind::Name, "root", "<user>"),
    ];
    let redactor = Redactor::with_places(&[], &places, Redaction::On);
    let shown =
        |text: &str| String::from_utf8(redactor.redact_whole(text.as_bytes()).bytes).unwrap();
    assert_eq!(shown("at /home/alice/project/a.js:1"), "at ./a.js:1");
    assert_eq!(shown("file:///home/alice/.npmrc"), "file://~/.npmrc");
    assert_eq!(shown("/home/alice2 /x/home/alice"), "/home/alice2 /x/home/<user>");
    assert_eq!(shown("/tmp/a /tmpfile"), "$TMPDIR/a /tmpfile");
    assert_eq!(shown("alice@host malice root"), "<user>@host malice root");
    assert_eq!(redactor.names_replaced(), Vec::<String>::new());
}

#[test]
fn nothing_is_replaced_where_nothing_is_to_be() {
    let redactor = Redactor::with_places(&[secret("D", "secret")], &[], Redaction::Off);
    assert_eq!(redactor.redact(b"a secr", ONLY_END).bytes, b"a secr");
    assert_eq!(redactor.redact_arguments(b"{\"x\":\"secret\"}").bytes, b"{\"x\":\"secret\"}");
}

#[test]
fn each_line_of_a_value_is_a_secret_too() {
    let redactor = Redactor::new(&[secret("KEY", "first-line\nsecond-line\n")]);
    let shown = redactor.redact_whole(b"x second-line y first-line");
    assert_eq!(shown.bytes, b"x [REDACTED:KEY] y [REDACTED:KEY]");
}

#[test]
fn a_short_value_is_not_redacted() {
    let redactor = Redactor::new(&[secret("PORT", "3000"), secret("EMPTY", "")]);
    assert_eq!(redactor.redact_whole(b"port 3000").bytes, b"port 3000");
}

#[test]
fn values_that_overlap_are_removed_together() {
    let redactor = Redactor::new(&[secret("A", "abcdefgh"), secret("B", "efghijkl")]);
    assert_eq!(redactor.redact_whole(b"-abcdefghijkl-").bytes, b"-[REDACTED:A]-");
}

#[test]
fn a_known_name_wins_over_a_shape() {
    let token = ["ghp_", &"a1".repeat(18)].concat();
    let redactor = Redactor::new(&[secret("GITHUB", &token)]);
    let shown = redactor.redact_whole(token.as_bytes()).bytes;
    assert_eq!(shown, b"[REDACTED:GITHUB]");
    let redactor = Redactor::new(&[secret("REST", &token[4..])]);
    let shown = redactor.redact_whole(token.as_bytes()).bytes;
    assert_eq!(shown, b"[REDACTED:REST]");
}

#[rstest]
#[case("github-token", "ghp_", 36)]
#[case("github-token", "gho_", 36)]
#[case("github-token", "ghu_", 36)]
#[case("github-token", "ghs_", 36)]
#[case("github-token", "ghr_", 36)]
#[case("github-token", "github_pat_", 82)]
#[case("gitlab-token", "glpat-", 20)]
#[case("anthropic-key", "sk-ant-", 90)]
#[case("openai-key", "sk-proj-", 48)]
#[case("openrouter-key", "sk-or-v1-", 64)]
#[case("api-key", "sk-", 48)]
#[case("stripe-key", "sk_live_", 24)]
#[case("slack-token", "xoxb-", 40)]
#[case("slack-token", "xoxp-", 40)]
#[case("google-key", "AIza", 35)]
#[case("google-token", "ya29.", 60)]
#[case("npm-token", "npm_", 36)]
#[case("pypi-token", "pypi-AgE", 80)]
#[case("hugging-face-token", "hf_", 34)]
#[case("digitalocean-token", "dop_v1_", 64)]
#[case("docker-token", "dckr_pat_", 27)]
#[case("sendgrid-key", "SG.", 66)]
#[case("shopify-token", "shpat_", 32)]
#[case("linear-key", "lin_api_", 40)]
#[case("tavily-key", "tvly-", 32)]
#[case("databricks-token", "dapi", 32)]
fn a_token_is_known_by_its_prefix(
    #[case] label: &str,
    #[case] prefix: &str,
    #[case] len: usize,
    #[values("", "x ", "KEY=", "\\n", "%3D", "\u{1b}[32m", "\"")] before: &str,
) {
    let token = [prefix, &"a1b2c3d4".repeat(len)[..len]].concat();
    let shown = tokens_only(&format!("{before}{token} tail"));
    assert_eq!(shown, format!("{before}[REDACTED:{label}] tail"));
}

#[rstest]
#[case("AKIA")]
#[case("ASIA")]
fn an_aws_key_id_is_known_by_its_prefix(#[case] prefix: &str) {
    let token = [prefix, &"A2B3".repeat(4)].concat();
    assert_eq!(tokens_only(&format!("id {token}")), "id [REDACTED:aws-key-id]");
}

#[test]
fn a_json_web_token_is_known_by_its_parts() {
    let part = "hbGciOiJIUzI1NiJ9";
    let token = ["eyJ", part, ".eyJ", part, ".", "c2lnbmF0dXJl"].concat();
    assert_eq!(tokens_only(&format!("t={token};")), "t=[REDACTED:jwt];");
}

#[rstest]
#[case::plain("Authorization: ", "Basic dXNlcjpw", "\nnext", "authorization")]
#[case::lower_case("authorization: ", "token abcdef", "", "authorization")]
#[case::json("{\"Authorization\": \"", "Digest abcdef", "\"}", "authorization")]
#[case::escaped_json("{\\\"Authorization\\\":\\\"", "Digest abcdef", "\\\"}", "authorization")]
#[case::api_key("X-Api-Key=", "0123456789", "", "x-api-key")]
#[case::cookie("Set-Cookie: ", "sid=abcdef; Path=/", "\r\n", "cookie")]
#[case::bearer("the Bearer ", "abcdefghijklmnop.q", ", x", "bearer")]
#[case::url("postgres://user:", "p@ss:word", "@host/db", "url-password")]
#[case::escaped_url("http:\\/\\/user:", "password", "@host\\/x", "url-password")]
fn a_secret_is_known_by_what_stands_round_it(
    #[case] before: &str,
    #[case] value: &str,
    #[case] after: &str,
    #[case] label: &str,
) {
    let shown = tokens_only(&[before, value, after].concat());
    assert_eq!(shown, format!("{before}[REDACTED:{label}]{after}"));
}

#[test]
fn a_private_key_is_removed_from_its_first_line_to_its_last() {
    let line = |word: &str| ["-----", word, " RSA PRIVATE ", "KEY-----"].concat();
    let block = format!("a\n{}\nMIIBOgIBAAJBAK\n{}\nb", line("BEGIN"), line("END"));
    assert_eq!(tokens_only(&block), "a\n[REDACTED:private-key]\nb");
    let unfinished = format!("a {}\\nMIIBOgIBAAJBAK", line("BEGIN"));
    assert_eq!(tokens_only(&unfinished), "a [REDACTED:private-key]");
    let rest = format!("MIIBOgIBAAJBAK\nIBAAJBAK\n{}\nb", line("END"));
    let shown = Redactor::new(&[]).redact(rest.as_bytes(), ONLY_START);
    assert_eq!(shown.bytes, b"[REDACTED:private-key]\nb");
}

#[rstest]
#[case::word("task-abcdefghijklmnopqrstuvwx")]
#[case::short_token("ghp_abc")]
#[case::wrong_case("GHP_abcdefghijklmnopqrstuvwxyz0123456789")]
#[case::port("http://localhost:3000/path")]
#[case::mail("mailto:a@b.example and http://x/y:z@w")]
#[case::header_name("{\"name\":\"authorization\",\"type\":\"string\"}")]
#[case::short_header("Authorization: none")]
#[case::certificate("-----BEGIN CERTIFICATE-----")]
#[case::base64_of_an_object("eyJhIjoxfQ")]
fn what_is_no_secret_is_kept(#[case] text: &str) {
    assert_eq!(tokens_only(text), text);
}

#[test]
fn a_cut_end_loses_what_could_begin_a_secret() {
    let redactor = Redactor::new(&[secret("DEMO", "two words, one secret")]);
    let shown = redactor.redact(b"say two words, on", ONLY_END);
    assert_eq!(shown.bytes, b"say ");
    assert!(shown.lost_end());
    let whole = redactor.redact_whole(b"say two words, on");
    assert_eq!(whole.bytes, b"say two words, on");
    assert!(!whole.lost_end());
    let token = redactor.redact(["key ", "ghp_", "abc"].concat().as_bytes(), ONLY_END);
    assert_eq!(token.bytes, b"key ");
}

#[test]
fn a_secret_that_ends_at_a_cut_is_replaced() {
    let redactor = Redactor::new(&[secret("DEMO", "abcabc")]);
    let shown = redactor.redact(b"x abcabc", ONLY_END);
    assert_eq!(shown.bytes, b"x [REDACTED:DEMO]");
}

#[test]
fn a_cut_start_loses_the_rest_of_its_line() {
    let redactor = Redactor::new(&[secret("DEMO", "two lines\nof one secret")]);
    let shown = redactor.redact(b"ines\nof one secret\nnext", ONLY_START);
    assert_eq!(shown.bytes, b"\nnext");
    let shown = redactor.redact(b"rest of a line\nnext", ONLY_START);
    assert_eq!(shown.bytes, b"next");
    let shown = redactor.redact(b"oken and no newline", ONLY_START);
    assert_eq!(shown.bytes, b" and no newline");
}

#[test]
fn bytes_are_found_after_redaction() {
    let redactor = Redactor::new(&[secret("D", "secret")]);
    let shown = redactor.redact_whole(b"a secret b");
    assert_eq!(shown.bytes, b"a [REDACTED:D] b");
    assert_eq!(shown.locate(0), Located::At(0));
    assert_eq!(shown.locate(2), Located::Replaced(2..14));
    assert_eq!(shown.locate(7), Located::Replaced(2..14));
    assert_eq!(shown.locate(8), Located::At(14));
    assert_eq!(shown.locate(10), Located::At(16));
    assert_eq!(shown.locate(11), Located::Dropped);
    let cut = redactor.redact(b"a secret b", ONLY_END);
    assert_eq!(cut.bytes, b"a [REDACTED:D] ");
    assert_eq!(cut.locate(8), Located::At(14));
    assert_eq!(cut.locate(9), Located::Dropped);
}

#[test]
fn hostile_input_takes_linear_time() {
    // Each of these is quadratic if a matcher looks at the same bytes again.
    let len = 512 * 1024;
    for piece in ["sk-ant-", "eyJ", ".eyJ", "://", "a://b:c", "-----BEGIN ", "ghp_", "Bearer "] {
        let bytes = piece.repeat(len / piece.len());
        let shown = Redactor::new(&[secret("A", "aaaaaa")]).redact_whole(bytes.as_bytes());
        assert!(shown.bytes.len() <= 8 * len);
    }
    // Lines that end in each other: at every byte all of them end.
    let nested: Vec<String> = (6..600).map(|len| "a".repeat(len)).collect();
    let redactor = Redactor::new(&[secret("A", &nested.join("\n"))]);
    assert_eq!(redactor.redact_whole(&vec![b'a'; len]).bytes, b"[REDACTED:A]");
    let same = Redactor::new(&[secret("A", "aaaaaa")]).redact_whole(&vec![b'a'; len]);
    assert_eq!(same.bytes, b"[REDACTED:A]");
}

/// A value from letters that no report uses, and its spellings.
pub(crate) const PLANTED: &str =
    "\u{416}\u{429}\u{42d}q7\u{42e}\u{414}\u{424}\"\u{419}/\u{42b}\u{426}+\u{425}";

pub(crate) fn planted(encoding: usize) -> Vec<u8> {
    let json = |text: &str| {
        let quoted = serde_json::Value::from(text).to_string();
        quoted[1..quoted.len() - 1].to_owned()
    };
    let escaped: String = PLANTED
        .encode_utf16()
        .map(|unit| match u8::try_from(unit) {
            Ok(plain) if plain.is_ascii_alphanumeric() => char::from(plain).to_string(),
            _ => format!("\\u{unit:04X}"),
        })
        .collect();
    match encoding {
        0 => PLANTED.into(),
        1 => json(PLANTED).into(),
        2 => json(&json(PLANTED)).into(),
        3 => escaped.into(),
        4 => json(&escaped).into(),
        5 => PLANTED.bytes().flat_map(|byte| format!("%{byte:02X}").into_bytes()).collect(),
        6 => PLANTED.bytes().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect(),
        7 => base64(PLANTED.as_bytes(), ['+', '/']).into(),
        8 => PLANTED.chars().flat_map(|c| format!("&#x{:X};", c as u32).into_bytes()).collect(),
        _ => PLANTED.encode_utf16().flat_map(u16::to_le_bytes).collect(),
    }
}

#[rstest]
fn a_planted_value_is_cut_anywhere_and_seen_nowhere(
    #[values(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)] encoding: usize,
) {
    let redactor = Redactor::new(&[secret("DEMO", PLANTED)]);
    let value = planted(encoding);
    let bytes = [b"log: ", value.as_slice(), b" end\n"].concat();
    // Of a spelling eight bytes tell no more than four characters do.
    let window = if encoding == 0 { 7 } else { 8 };
    for cut in 0..=bytes.len() {
        let head = redactor.redact(&bytes[..cut], ONLY_END).bytes;
        let tail = redactor.redact(&bytes[cut..], ONLY_START).bytes;
        for shown in [head, tail] {
            for part in value.windows(window) {
                assert!(!shown.windows(window).any(|seen| seen == part), "{cut}: {shown:?}");
            }
        }
    }
}

proptest! {
    #[test]
    fn a_known_value_is_never_seen_in_part(
        before in "[a-z ]{0,20}",
        after in "[a-z ]{0,20}",
        cut in 0_usize..60,
    ) {
        let value = "Q7#Zx~Kp!Wm2";
        let redactor = Redactor::new(&[secret("DEMO", value)]);
        let bytes = [before.as_bytes(), value.as_bytes(), after.as_bytes()].concat();
        let cut = cut.min(bytes.len());
        let head = redactor.redact(&bytes[..cut], ONLY_END).bytes;
        let tail = redactor.redact(&bytes[cut..], ONLY_START).bytes;
        for shown in [head, tail] {
            for part in value.as_bytes().windows(4) {
                prop_assert!(!shown.windows(4).any(|window| window == part));
            }
        }
    }

    #[test]
    fn redaction_is_total_and_locates_every_byte(
        bytes in prop::collection::vec(prop::sample::select(b"ab:/@. \n=\"eyJ-sk_".to_vec()), 0..200),
        start in prop::sample::select(vec![Edge::Whole, Edge::Cut]),
        end in prop::sample::select(vec![Edge::Whole, Edge::Cut]),
    ) {
        let redactor = Redactor::new(&[secret("A", "ab:/@a"), secret("B", "/@a ba")]);
        let shown = redactor.redact(&bytes, Edges { start, end });
        for offset in 0..=bytes.len() + 1 {
            match shown.locate(offset) {
                Located::At(at) => {
                    prop_assert!(at <= shown.bytes.len());
                    prop_assert_eq!(shown.bytes.get(at), bytes.get(offset));
                }
                Located::Replaced(range) => {
                    prop_assert!(shown.bytes[range].starts_with(b"[REDACTED:"));
                }
                Located::Dropped => prop_assert!(
                    start == Edge::Cut || end == Edge::Cut || offset > bytes.len()
                ),
            }
        }
    }
}
