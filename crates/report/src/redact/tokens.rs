//! Tokens of well-known shapes: a keyword found by one automaton, then a small matcher each.

mod table;

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::{Edge, Edges, Hit, Label};
use table::{TOKENS, Token};

/// The longest run of token characters that is dropped at a cut. What is longer has already been
/// recognised by its shape.
const RAGGED_BYTES: usize = 256;

/// Finds the secret that a keyword announces. None if it announces none.
type Matcher = fn(Haystack<'_>, Range<usize>) -> Option<Range<usize>>;

/// The bytes that are searched.
#[derive(Clone, Copy)]
struct Haystack<'a> {
    bytes: &'a [u8],
    edges: Edges,
}

/// A keyword, the name of what it announces, and how to find that.
struct Keyword {
    text: &'static str,
    label: &'static str,
    matcher: Matcher,
}

/// Shapes that are more than a prefix and a run of characters.
const SHAPES: &[Keyword] = &[
    shape("://", "url-password", url_password),
    shape(":\\/\\/", "url-password", url_password),
    shape("authorization", "authorization", header),
    shape("x-api-key", "x-api-key", header),
    shape("cookie", "cookie", header),
    shape("bearer ", "bearer", bearer),
    shape(".eyj", "jwt", json_web_token),
    shape("-----begin ", "private-key", private_key),
    shape("-----end ", "private-key", private_key_end),
];

const fn shape(text: &'static str, label: &'static str, matcher: Matcher) -> Keyword {
    Keyword { text, label, matcher }
}

static KEYWORDS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let keywords =
        TOKENS.iter().map(|token| token.prefix).chain(SHAPES.iter().map(|keyword| keyword.text));
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(keywords)
        .expect("the keywords fit an automaton")
});

/// The tokens in some bytes.
pub(super) fn hits(bytes: &[u8], edges: Edges) -> Vec<Hit> {
    let haystack = Haystack { bytes, edges };
    let mut keywords: Vec<(usize, Range<usize>)> = KEYWORDS
        .find_overlapping_iter(bytes)
        .map(|found| (found.pattern().as_usize(), found.range()))
        .collect();
    keywords.sort_by_key(|(pattern, range)| (range.start, *pattern));
    let mut hits: Vec<Hit> = Vec::new();
    let mut covered = 0;
    for (pattern, keyword) in keywords {
        // What stands inside a secret needs no second look; this also keeps the search linear.
        if keyword.start < covered {
            continue;
        }
        let (found, label) = match TOKENS.get(pattern) {
            Some(token) => (prefixed(haystack, keyword, token), token.label),
            None => {
                let shape = &SHAPES[pattern - TOKENS.len()];
                ((shape.matcher)(haystack, keyword), shape.label)
            }
        };
        if let Some(range) = found {
            covered = covered.max(range.end);
            hits.push(Hit { range, label: Label::Token(label) });
        }
    }
    hits
}

/// Where the bytes begin when the rest of a line, or of a token, that was cut is dropped.
pub(super) fn ragged_start(bytes: &[u8]) -> usize {
    match bytes.iter().position(|byte| *byte == b'\n') {
        Some(newline) => newline + 1,
        None => run(bytes, 0, is_token_byte).end.min(RAGGED_BYTES),
    }
}

/// Where the bytes end when the beginning of a token that was cut is dropped.
pub(super) fn ragged_end(bytes: &[u8]) -> usize {
    let token =
        bytes.iter().rev().take(RAGGED_BYTES).take_while(|byte| is_token_byte(**byte)).count();
    bytes.len() - token
}

/// A fixed prefix, then characters of one kind.
fn prefixed(haystack: Haystack<'_>, keyword: Range<usize>, token: &Token) -> Option<Range<usize>> {
    let bytes = haystack.bytes;
    // The automaton is blind to case, tokens are not.
    if bytes[keyword.clone()] != *token.prefix.as_bytes() {
        return None;
    }
    if token.stands_alone() && continues_word(bytes, keyword.start) {
        return None;
    }
    let body = run(bytes, keyword.end, token.body);
    (body.len() >= token.min_len).then_some(keyword.start..body.end)
}

/// Whether the byte before `at` belongs to the same word: a letter or digit that is not the end
/// of an escape such as `\n`, `%3D` or `ESC[31m`.
fn continues_word(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[..at];
    let escaped = matches!(
        before,
        [.., b'\\', b'n' | b'r' | b't'] | [.., b'%', b'0'..=b'9' | b'A'..=b'F' | b'a'..=b'f', _]
    ) || before.last() == Some(&b'm')
        && before.iter().rev().take(12).any(|byte| *byte == 0x1b);
    before.last().is_some_and(u8::is_ascii_alphanumeric) && !escaped
}

/// `scheme://user:password@host`: the password.
fn url_password(haystack: Haystack<'_>, keyword: Range<usize>) -> Option<Range<usize>> {
    let bytes = haystack.bytes;
    let authority = run(bytes, keyword.end, |byte| {
        !byte.is_ascii_whitespace()
            && !matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'\\')
    });
    let text = &bytes[authority.clone()];
    let colon = text.iter().position(|byte| *byte == b':')?;
    let password = authority.start + colon + 1;
    let end = match text.iter().rposition(|byte| *byte == b'@') {
        Some(at) => authority.start + at,
        // The `@` may have been cut off.
        None if haystack.runs_into_cut(authority.end) => authority.end,
        None => return None,
    };
    (password < end).then_some(password..end)
}

/// `Name: value`, `"Name": "value"`, `Name=value`: the value, to the end of the line or string.
fn header(haystack: Haystack<'_>, keyword: Range<usize>) -> Option<Range<usize>> {
    let bytes = haystack.bytes;
    let quote = |byte: u8| matches!(byte, b'"' | b'\'' | b'\\' | b' ');
    let name_end = run(bytes, keyword.end, quote).end;
    if !matches!(bytes.get(name_end), Some(b':' | b'=')) {
        return None;
    }
    let start = run(bytes, name_end + 1, quote).end;
    let value = run(bytes, start, |byte| !matches!(byte, b'"' | b'\'' | b'\\' | b'\n' | b'\r'));
    (value.len() >= 6 || haystack.runs_into_cut(value.end))
        .then_some(value)
        .filter(|value| !value.is_empty())
}

/// `Bearer token`: the token.
fn bearer(haystack: Haystack<'_>, keyword: Range<usize>) -> Option<Range<usize>> {
    let token = run(haystack.bytes, keyword.end, |byte| {
        table::base64url(byte) || matches!(byte, b'.' | b'~' | b'+' | b'/' | b'=')
    });
    (token.len() >= 16).then_some(token)
}

/// `header.payload.signature`, each base64url; header and payload are JSON objects, so both
/// begin with `eyJ`.
fn json_web_token(haystack: Haystack<'_>, keyword: Range<usize>) -> Option<Range<usize>> {
    let bytes = haystack.bytes;
    let header =
        bytes[..keyword.start].iter().rev().take_while(|byte| table::base64url(**byte)).count();
    let run_start = keyword.start - header;
    let start = run_start + find(&bytes[run_start..keyword.start], b"eyJ")?;
    let payload = run(bytes, keyword.start + 1, table::base64url);
    if keyword.start - start < 10 || payload.len() < 10 {
        return None;
    }
    let end = match bytes.get(payload.end) {
        Some(b'.') => run(bytes, payload.end + 1, table::base64url).end,
        _ => payload.end,
    };
    Some(start..end)
}

/// A PEM block with a private key: all of it, or the rest of the bytes where its end is missing.
fn private_key(haystack: Haystack<'_>, keyword: Range<usize>) -> Option<Range<usize>> {
    let bytes = haystack.bytes;
    if !names_private_key(&bytes[keyword.end..]) {
        return None;
    }
    let end = find(&bytes[keyword.end..], b"-----END ")
        .map_or(bytes.len(), |footer| footer_end(bytes, keyword.end + footer + 9));
    Some(keyword.start..end)
}

/// The end of a PEM block whose beginning was cut off.
fn private_key_end(haystack: Haystack<'_>, keyword: Range<usize>) -> Option<Range<usize>> {
    let bytes = haystack.bytes;
    let cut = haystack.edges.start == Edge::Cut;
    (cut && names_private_key(&bytes[keyword.end..])).then(|| 0..footer_end(bytes, keyword.end))
}

/// The end of the line `-----END ...-----` whose name begins at `name`.
fn footer_end(bytes: &[u8], name: usize) -> usize {
    find(&bytes[name..], b"-----").map_or(bytes.len(), |dashes| name + dashes + 5)
}

fn names_private_key(bytes: &[u8]) -> bool {
    find(&bytes[..bytes.len().min(40)], b"PRIVATE KEY").is_some()
}

impl Haystack<'_> {
    /// Whether something that reaches `end` may have gone on beyond the bytes kept.
    fn runs_into_cut(&self, end: usize) -> bool {
        self.edges.end == Edge::Cut && end == self.bytes.len()
    }
}

/// Bytes of which tokens are made.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_graphic()
        && !matches!(
            byte,
            b'"' | b'\'' | b',' | b'<' | b'>' | b'(' | b')' | b'{' | b'}' | b'[' | b']'
        )
}

/// The bytes from `start` on that are all of one kind.
fn run(bytes: &[u8], start: usize, kind: impl Fn(u8) -> bool) -> Range<usize> {
    let start = start.min(bytes.len());
    let len = bytes[start..].iter().take_while(|byte| kind(**byte)).count();
    start..start + len
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}
