//! Personal data in captured bytes: finding it, and replacing it by as many other bytes, so that
//! every offset stays true.
//!
//! What is found is shown to the author, who knows better than any pattern; only secrets, mail
//! addresses and home directories are complained of by `check`.

mod shapes;

use std::fmt;
use std::ops::Range;

use report::{Located, Redactor};

use crate::frames::Frames;

/// What kind of personal data it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A token, key or password, by the name of its shape.
    Token(String),
    /// A mail address.
    Email,
    /// The user's name in the path of a home directory.
    HomePath,
    /// The name or address of a machine in a private network.
    HostName,
    /// The user's name elsewhere.
    UserName,
}

impl Kind {
    /// Whether no case of the corpus may hold it.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        match self {
            Self::Token(_) | Self::Email | Self::HomePath => true,
            Self::HostName | Self::UserName => false,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token(shape) => write!(f, "token ({shape})"),
            Self::Email => f.write_str("mail address"),
            Self::HomePath => f.write_str("home path"),
            Self::HostName => f.write_str("host name"),
            Self::UserName => f.write_str("user name"),
        }
    }
}

/// Personal data that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The kind.
    pub kind: Kind,
    /// The offsets in the bytes.
    pub range: Range<usize>,
    /// The line, from 1.
    pub line: usize,
    /// The byte in the line, from 0.
    pub byte: usize,
    /// The text itself. None for a token, which must not be printed anywhere.
    pub text: Option<String>,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, range, line, byte, text } = self;
        write!(f, "{kind}, line {line}, byte {byte} (offset {})", range.start)?;
        match text {
            Some(text) => write!(f, ": {text:?}"),
            None => write!(f, ": {} bytes", range.len()),
        }
    }
}

/// The personal data in some bytes, in order. What is masked already is none.
#[must_use]
pub fn scan(bytes: &[u8]) -> Vec<Found> {
    let mut hits = tokens(bytes);
    hits.extend(shapes::hits(bytes));
    hits.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let frames = Frames::of(bytes);
    let mut found: Vec<Found> = Vec::new();
    for (range, kind) in hits {
        let original = &bytes[range.clone()];
        let overlaps = found.last().is_some_and(|last| range.start < last.range.end);
        if overlaps || masked(original) == original {
            continue;
        }
        let (line, byte) = frames.place(range.start);
        let text = match kind {
            Kind::Token(_) => None,
            _ => std::str::from_utf8(original).ok().map(str::to_owned),
        };
        found.push(Found { kind, range, line, byte, text });
    }
    found
}

/// Replaces what [`scan`] finds, and gives what it was.
#[must_use]
pub fn redact(bytes: &mut [u8]) -> Vec<Found> {
    let found = scan(bytes);
    for Found { range, .. } in &found {
        let mask = masked(&bytes[range.clone()]);
        bytes[range.clone()].copy_from_slice(&mask);
    }
    found
}

/// The same number of bytes without what they say: `x` for letters, `0` for digits. Newlines,
/// punctuation and JSON escapes stay, so that frames and strings end where they did; so do bytes
/// that are not UTF-8, which may be what a case is about.
fn masked(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(first) = rest.chars().next() {
            let escape = match rest.as_bytes() {
                [b'\\', b'u', a, b, c, d, ..]
                    if [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()) =>
                {
                    6
                }
                [b'\\', second, ..] if second.is_ascii() => 2,
                _ => 0,
            };
            let len = escape.max(first.len_utf8());
            match first {
                _ if escape > 0 => out.extend_from_slice(&rest.as_bytes()[..len]),
                '0'..='9' => out.push(b'0'),
                _ if first.is_ascii_alphabetic() => out.push(b'x'),
                _ if first.is_ascii() => out.extend_from_slice(&rest.as_bytes()[..len]),
                _ => out.resize(out.len() + len, b'x'),
            }
            rest = &rest[len..];
        }
        out.extend_from_slice(chunk.invalid());
    }
    out
}

/// Tokens of well-known shapes, as reports redact them.
fn tokens(bytes: &[u8]) -> Vec<(Range<usize>, Kind)> {
    let redacted = Redactor::new(&[]).redact_whole(bytes);
    let mut hits: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    if redacted.bytes == bytes {
        return Vec::new();
    }
    for offset in 0..bytes.len() {
        let Located::Replaced(target) = redacted.locate(offset) else { continue };
        match hits.last_mut() {
            Some((source, last)) if *last == target => source.end = offset + 1,
            _ => hits.push((offset..offset + 1, target)),
        }
    }
    let shape = |target: Range<usize>| {
        let shown = redacted.bytes[target].iter().map(|byte| char::from(*byte));
        let shown: String = shown.collect();
        shown.trim_start_matches("[REDACTED:").trim_end_matches(']').to_owned()
    };
    hits.into_iter().map(|(source, target)| (source, Kind::Token(shape(target)))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Kind, masked, redact, scan};

    fn found(bytes: &[u8]) -> Vec<(Kind, String)> {
        let text = |range: std::ops::Range<usize>| {
            String::from_utf8(bytes[range].to_vec()).expect("test data is text")
        };
        scan(bytes).into_iter().map(|found| (found.kind, text(found.range))).collect()
    }

    /// Put together here, so that no scanner of this repository takes it for a real one.
    fn token() -> String {
        ["ghp", "_", &"a1B2c3".repeat(6)].concat()
    }

    #[test]
    fn each_kind_is_found_where_it_stands() {
        let text = format!(
            "USER=ann mail jo.doe@corp.io\nopen /home/jodoe/app.js by jodoe\nC:\\\\Users\\\\Ann\\\\x \
             build-7.lan 192.168.1.20 {}",
            token()
        );
        assert_eq!(
            found(text.as_bytes()),
            [
                (Kind::UserName, "ann".to_owned()),
                (Kind::Email, "jo.doe@corp.io".to_owned()),
                (Kind::HomePath, "jodoe".to_owned()),
                (Kind::UserName, "jodoe".to_owned()),
                (Kind::HomePath, "Ann".to_owned()),
                (Kind::HostName, "build-7.lan".to_owned()),
                (Kind::HostName, "192.168.1.20".to_owned()),
                (Kind::Token("github-token".to_owned()), token()),
            ]
        );
    }

    #[test]
    fn a_place_is_given_by_line_and_offset_and_no_token_is_printed() {
        let text = format!("first\nsee {}\n", token());
        let found = scan(text.as_bytes());
        assert_eq!(
            found[0].to_string(),
            "token (github-token), line 2, byte 4 (offset 10): 40 bytes"
        );
    }

    #[test]
    fn after_redaction_nothing_is_found_and_no_offset_has_moved() {
        let text = format!(
            "{{\"a\":\"/home/jodoe/x\",\"b\":\"{}\",\"c\":\"u@corp.io\"}}\njodoe caf\u{e9}\n",
            token()
        );
        let mut bytes = text.clone().into_bytes();
        let kinds: Vec<Kind> = redact(&mut bytes).into_iter().map(|found| found.kind).collect();
        assert_eq!(kinds.len(), 4, "{kinds:?}");
        assert_eq!(bytes.len(), text.len());
        let newlines = |bytes: &[u8]| -> Vec<usize> {
            (0..bytes.len()).filter(|at| bytes[*at] == b'\n').collect()
        };
        assert_eq!(newlines(&bytes), newlines(text.as_bytes()));
        assert!(
            serde_json::from_slice::<serde_json::Value>(
                bytes.split(|b| *b == b'\n').next().unwrap()
            )
            .is_ok()
        );
        assert_eq!(scan(&bytes), []);
    }

    #[test]
    fn a_mask_keeps_escapes_punctuation_and_what_is_not_utf_8() {
        assert_eq!(masked(br"Ab-12\n\u00e9\\z"), br"xx-00\n\u00e9\\x");
        assert_eq!(masked("J\u{f6}rg".as_bytes()), b"xxxxx");
        assert_eq!(masked(b"J\xf6rg\n"), b"x\xf6xx\n");
    }

    #[test]
    fn what_names_nobody_is_left_alone() {
        for text in [
            "/home/user/app",
            "https://host/home/page",
            "a@example.org",
            "npx @scope/pkg@1.2.3",
            "git@github.com:a/b",
            "127.0.0.1:3000 version 1.2.3.4",
            "settings.local.json .env.local host.docker.internal",
            "/home/xxxxx/app xxxx@xxx.xx",
        ] {
            assert_eq!(found(text.as_bytes()), [], "{text}");
        }
    }
}
