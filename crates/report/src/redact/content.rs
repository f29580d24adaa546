//! What users put into calls and get back from tools: it is theirs, and no report shows it.
//!
//! The strings of a message are withheld, broken messages included: all but those of members that
//! the protocol gives a fixed meaning. Keys are kept if the protocol has them.

use std::ops::Range;

use crate::safe::units;

/// Members whose strings are words of the protocol, not of the user.
const PLAIN_VALUES: &[&[u8]] =
    &[b"jsonrpc", b"id", b"method", b"type", b"mimeType", b"role", b"level"];

/// The keys that messages of the protocol have. Others may be a user's.
const KNOWN_KEYS: &[&[u8]] = &[
    b"jsonrpc",
    b"id",
    b"method",
    b"params",
    b"result",
    b"error",
    b"code",
    b"message",
    b"data",
    b"content",
    b"contents",
    b"type",
    b"text",
    b"isError",
    b"structuredContent",
    b"_meta",
    b"mimeType",
    b"annotations",
    b"resource",
    b"resources",
    b"uri",
    b"blob",
    b"name",
    b"title",
    b"description",
    b"audience",
    b"priority",
    b"role",
    b"messages",
    b"level",
    b"logger",
    b"progress",
    b"progressToken",
    b"total",
    b"nextCursor",
    b"arguments",
    b"completion",
    b"values",
    b"hasMore",
    b"resultType",
    b"ttlMs",
    b"cacheScope",
    b"requestId",
    b"reason",
    b"lastModified",
    b"size",
    b"icons",
];

/// What stands outside of strings in JSON, or is put there by those who think it JSON.
const WORDS: &[&[u8]] = &[
    b"true",
    b"false",
    b"null",
    b"NaN",
    b"Infinity",
    b"undefined",
    b"None",
    b"True",
    b"False",
    b"nan",
    b"inf",
    b"nil",
];

/// The numbers with fewer digits than this are kept: codes, counts, versions, times.
const LONG_NUMBER: usize = 9;

/// Methods whose params and results are a user's.
const METHODS: &[&str] = &["tools/call", "resources/read", "prompts/get", "completion/complete"];

/// Members that only hold what is a user's.
const MEMBERS: &[&[u8]] = &[
    b"\"content\"",
    b"\"contents\"",
    b"\"structuredContent\"",
    b"\"completion\"",
    b"\"arguments\"",
];

/// Members by which a message is known, however broken it is.
const ENVELOPE: &[&[u8]] = &[b"\"jsonrpc\"", b"\"result\"", b"\"params\""];

/// Whether a method's params and results are a user's.
pub(crate) fn is_of_users(method: &str) -> bool {
    METHODS.contains(&method)
}

/// Whether a message has a member that only holds what is a user's.
pub(crate) fn holds_content(bytes: &[u8]) -> bool {
    begins_object(bytes) && has_any(bytes, MEMBERS)
}

fn has_any(bytes: &[u8], members: &[&[u8]]) -> bool {
    members.iter().any(|member| bytes.windows(member.len()).any(|window| window == *member))
}

/// Whether the bytes begin with an object, or with an array of them.
fn begins_object(bytes: &[u8]) -> bool {
    let bytes = bytes.trim_ascii_start();
    let bytes = bytes.strip_prefix(b"[").map_or(bytes, <[u8]>::trim_ascii_start);
    bytes.first() == Some(&b'{')
}

/// The parts of a message that are the user's, but for the byte of the fault, without which the
/// report would say nothing. Empty if the bytes are no message at all: a log line is what a
/// report is made to show.
pub(super) fn ranges(bytes: &[u8], fault: Option<usize>) -> Vec<Range<usize>> {
    if !begins_object(bytes) || !has_any(bytes, ENVELOPE) && !has_any(bytes, MEMBERS) {
        return Vec::new();
    }
    scan(bytes, fault)
}

/// The parts of a call's arguments that are the user's: all but their form.
pub(super) fn of_arguments(bytes: &[u8]) -> Vec<Range<usize>> {
    scan(bytes, None)
}

fn scan(bytes: &[u8], fault: Option<usize>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut depth = 0_usize;
    let mut key: &[u8] = b"";
    let mut at = 0;
    while at < bytes.len() {
        let len = match bytes[at] {
            // Outside of a message a bracket opens a batch, or is text of somebody else.
            b'{' | b'[' => {
                depth += usize::from(depth > 0 || begins_object(&bytes[at..]));
                1
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                1
            }
            // What follows a message on its line is no part of it.
            _ if depth == 0 => 1,
            b'"' => {
                let inner = at + 1..string_end(bytes, at + 1);
                let text = &bytes[inner.clone()];
                if is_key(bytes, inner.end) {
                    key = text;
                    if !KNOWN_KEYS.contains(&text) {
                        out.push(inner.clone());
                    }
                } else if !PLAIN_VALUES.contains(&key) {
                    out.push(inner.clone());
                }
                inner.len() + 2
            }
            byte if byte.is_ascii_digit() => {
                let len = run(&bytes[at..], in_number);
                let digits = bytes[at..at + len].iter().filter(|byte| byte.is_ascii_digit());
                if digits.count() >= LONG_NUMBER && !PLAIN_VALUES.contains(&key) {
                    out.push(at..at + len);
                }
                len
            }
            byte if in_word(byte) => {
                let len = run(&bytes[at..], in_word);
                if !WORDS.contains(&&bytes[at..at + len]) {
                    out.push(at..at + len);
                }
                len
            }
            _ => 1,
        };
        at += len;
    }
    let spared = fault.map(|fault| unit(bytes, fault));
    let parts = out.into_iter().flat_map(|range| match &spared {
        Some(spared) if range.contains(&spared.start) => {
            [range.start..spared.start, spared.end.min(range.end)..range.end]
        }
        _ => [range, 0..0],
    });
    parts.filter(|range| !range.is_empty()).collect()
}

/// The character at a byte, or the byte if it belongs to none, and the backslash before it.
fn unit(bytes: &[u8], at: usize) -> Range<usize> {
    let len = units(&bytes[at.min(bytes.len())..]).next().map_or(0, |unit| unit.range.len());
    let escaped = at > 0 && bytes.get(at - 1) == Some(&b'\\');
    at - usize::from(escaped)..at + len
}

/// Whether a colon follows the quote that ends a string.
fn is_key(bytes: &[u8], quote: usize) -> bool {
    let mut after = bytes.iter().skip(quote + 1);
    after.find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

fn run(bytes: &[u8], kind: fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| kind(**byte)).count()
}

fn in_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-')
}

fn in_word(byte: u8) -> bool {
    !byte.is_ascii() || byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The end of the string that begins here: its quote, or the end of the bytes.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::ranges;

    #[rstest]
    #[case::result(
        r#"{"jsonrpc":"2.0","id":42,"result":{"content":[{"type":"text","text":"mine"}]}}"#,
        &["mine"]
    )]
    #[case::arguments(
        r#"{"params":{"city":"Bern","zip":3011}}"#,
        &["city", "Bern", "zip"]
    )]
    #[case::log_record(r#"{"level":"info","msg":"ready"}"#, &[])]
    #[case::log_line("[INFO] ready", &[])]
    #[case::what_follows(r#"{"result":{"text":"a"}} [gc] 12 dropped"#, &["a"])]
    #[case::batch(r#"[{"result":"x"}]"#, &["x"])]
    #[case::escapes(r#"{"content":"a\"b\\"}"#, &[r#"a\"b\\"#])]
    #[case::cut(r#"{"result":{"text":"cut of"#, &["cut of"])]
    #[case::cut_in_an_escape(r#"{"content":"a\"#, &["a\\"])]
    #[case::number(r#"{"result":{"text":4111111111111111,"size":12}}"#, &["4111111111111111"])]
    #[case::outside(r#"{"result": Secret word, "code": null}"#, &["Secret", "word"])]
    #[case::not_json(r#"{"result":{"data":-Infinity,"size":NaN}}"#, &[])]
    #[case::no_message("fetching x", &[])]
    #[case::blanks(r#"  {"result":"x"}"#, &["x"])]
    fn what_is_the_users_is_found(#[case] text: &str, #[case] found: &[&str]) {
        let ranges = ranges(text.as_bytes(), None);
        let texts: Vec<&str> = ranges.into_iter().map(|range| &text[range]).collect();
        assert_eq!(texts, found);
    }

    #[test]
    fn the_byte_of_the_fault_is_spared() {
        let text = br#"{"result":"mine\xff"}"#;
        let parts = |fault| {
            let ranges = ranges(text, fault).into_iter();
            ranges.map(|range| text[range].to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(parts(Some(16)), [b"mine".to_vec(), b"ff".to_vec()]);
        assert_eq!(parts(Some(2)), [br"mine\xff".to_vec()]);
        assert_eq!(parts(Some(99)), [br"mine\xff".to_vec()]);
    }
}
