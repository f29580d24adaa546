//! Looks for a complete MCP message inside the kept bytes of a line.

use serde::Deserialize;
use serde::de::IgnoredAny;

/// The first keys of a message; one of them follows the brace with which it begins.
const FIRST_KEYS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

/// How many beginnings are tried, so that the time stays linear in the line.
const MAX_CANDIDATES: usize = 16;

/// The part of a message that tells it from any other object.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: &'a str,
    method: Option<IgnoredAny>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// The byte at which the first complete message begins, if it is not the whole line.
pub(super) fn find(line: &[u8]) -> Option<u64> {
    let alone = |message: &[u8]| message.len() == line.trim_ascii().len();
    line.iter()
        .enumerate()
        .filter(|(at, byte)| **byte == b'{' && begins_message(&line[*at..]))
        .take(MAX_CANDIDATES)
        .find(|(at, _)| {
            balanced(&line[*at..]).is_some_and(|object| !alone(object) && is_message(object))
        })
        .map(|(at, _)| at as u64)
}

fn begins_message(bytes: &[u8]) -> bool {
    bytes[1..].trim_ascii_start().strip_prefix(b"\"").is_some_and(|key| {
        FIRST_KEYS.iter().any(|name| {
            key.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.starts_with(b"\""))
        })
    })
}

/// The object that begins the bytes, by its braces and strings alone.
fn balanced(bytes: &[u8]) -> Option<&[u8]> {
    let mut depth = 0_usize;
    let mut string = Quote::Outside;
    for (at, byte) in bytes.iter().enumerate() {
        string = match (string, byte) {
            (Quote::Outside, b'"') => Quote::Inside,
            (Quote::Inside, b'"') => Quote::Outside,
            (Quote::Inside, b'\\') => Quote::Escape,
            (Quote::Escape, _) => Quote::Inside,
            (Quote::Outside, b'{') => {
                depth += 1;
                Quote::Outside
            }
            (Quote::Outside, b'}') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(&bytes[..=at]);
                }
                Quote::Outside
            }
            (state, _) => state,
        };
    }
    None
}

#[derive(Clone, Copy)]
enum Quote {
    Outside,
    Inside,
    Escape,
}

fn is_message(bytes: &[u8]) -> bool {
    serde_json::from_slice(bytes).is_ok_and(|envelope: Envelope<'_>| {
        envelope.jsonrpc == "2.0"
            && (envelope.method.is_some() || envelope.result.is_some() || envelope.error.is_some())
    })
}
