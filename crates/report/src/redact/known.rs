//! Values that the caller named, in the encodings in which programs print them.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::{Hit, Label};
use crate::facts::{MIN_SECRET_BYTES, Secret};

/// Values longer than this are looked for as they are, and not in other encodings.
const MAX_ENCODED_BYTES: usize = 8 * 1024;

/// The named values, ready to be found.
pub(super) struct KnownValues {
    names: Vec<String>,
    /// Every spelling of every value, in lower case.
    needles: Vec<Vec<u8>>,
    /// For each needle, the index of its name.
    owners: Vec<usize>,
    automaton: Option<AhoCorasick>,
}

impl KnownValues {
    pub(super) fn new(secrets: &[Secret]) -> Self {
        let mut needles = Vec::new();
        let mut owners = Vec::new();
        for (index, secret) in secrets.iter().enumerate() {
            for spelling in spellings(&secret.value) {
                if !needles.contains(&spelling) {
                    needles.push(spelling);
                    owners.push(index);
                }
            }
        }
        // Building fails only beyond 2^31 bytes of needles; an environment cannot hold as much.
        let automaton = (!needles.is_empty()).then(|| {
            AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .kind(Some(AhoCorasickKind::ContiguousNFA))
                .build(&needles)
                .expect("the values of an environment fit an automaton")
        });
        Self {
            names: secrets.iter().map(|secret| secret.name.clone()).collect(),
            needles,
            owners,
            automaton,
        }
    }

    pub(super) fn name(&self, index: usize) -> &str {
        &self.names[index]
    }

    pub(super) fn hits(&self, bytes: &[u8]) -> Vec<Hit> {
        self.automaton
            .iter()
            .flat_map(|automaton| automaton.find_overlapping_iter(bytes))
            .map(|found| Hit {
                range: found.range(),
                label: Label::Known(self.owners[found.pattern().as_usize()]),
            })
            .collect()
    }

    /// Where the bytes begin when the end of a value that was cut is dropped from their start.
    pub(super) fn ragged_start(&self, bytes: &[u8]) -> usize {
        self.needles
            .iter()
            .map(|needle| {
                let reversed: Vec<u8> = needle.iter().rev().copied().collect();
                overlap(&reversed, bytes.iter().take(needle.len() - 1).rev())
            })
            .max()
            .unwrap_or(0)
    }

    /// Where the bytes end when the beginning of a value that was cut is dropped from their end.
    pub(super) fn ragged_end(&self, bytes: &[u8]) -> usize {
        let edge = self
            .needles
            .iter()
            .map(|needle| {
                let from = bytes.len().saturating_sub(needle.len() - 1);
                overlap(needle, bytes[from..].iter())
            })
            .max()
            .unwrap_or(0);
        bytes.len() - edge
    }
}

/// The length of the longest prefix of `needle` that ends `text` (Knuth, Morris, Pratt).
/// `needle` is in lower case, and `text` is shorter than it.
fn overlap<'a>(needle: &[u8], text: impl Iterator<Item = &'a u8>) -> usize {
    let mut failure = vec![0; needle.len()];
    let mut matched = 0;
    for at in 1..needle.len() {
        matched = advance(needle, &failure, matched, needle[at]);
        failure[at] = matched;
    }
    text.fold(0, |matched, byte| advance(needle, &failure, matched, byte.to_ascii_lowercase()))
}

fn advance(needle: &[u8], failure: &[usize], mut matched: usize, byte: u8) -> usize {
    while matched > 0 && needle[matched] != byte {
        matched = failure[matched - 1];
    }
    if needle[matched] == byte { matched + 1 } else { 0 }
}

/// Every spelling of a value that is looked for, in lower case.
fn spellings(value: &[u8]) -> Vec<Vec<u8>> {
    let mut bases = vec![value, value.trim_ascii()];
    bases.extend(value.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii));
    bases.retain(|base| base.len() >= MIN_SECRET_BYTES);
    bases.sort_unstable();
    bases.dedup();
    let mut out = Vec::new();
    for base in bases {
        out.push(base.to_vec());
        if base.len() > MAX_ENCODED_BYTES {
            continue;
        }
        out.extend(json_escaped(base));
        out.extend(url_encoded(base));
        out.extend(base64(base));
        out.push(hex(base));
    }
    for spelling in &mut out {
        spelling.make_ascii_lowercase();
    }
    out.retain(|spelling| spelling.len() >= MIN_SECRET_BYTES);
    out.sort_unstable();
    out.dedup();
    out
}

/// As a JSON string without its quotes: with other characters as they are (serde_json,
/// JavaScript), with ASCII only (Python), and with escaped slashes (PHP).
fn json_escaped(value: &[u8]) -> Vec<Vec<u8>> {
    let Ok(text) = std::str::from_utf8(value) else {
        return Vec::new();
    };
    let quoted = serde_json::Value::from(text).to_string();
    let plain = quoted[1..quoted.len() - 1].to_owned();
    let mut ascii = String::with_capacity(plain.len());
    for character in plain.chars() {
        if character.is_ascii() {
            ascii.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                ascii.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    let slashes = ascii.replace('/', "\\/");
    [plain, ascii, slashes].map(String::into_bytes).into()
}

/// As part of a URL and as the value of a form.
fn url_encoded(value: &[u8]) -> [Vec<u8>; 2] {
    let mut component = Vec::with_capacity(value.len());
    let mut form = Vec::with_capacity(value.len());
    for byte in value {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                component.push(*byte);
                form.push(*byte);
            }
            _ => {
                let escape = format!("%{byte:02X}");
                component.extend_from_slice(escape.as_bytes());
                form.extend_from_slice(if *byte == b' ' { b"+" } else { escape.as_bytes() });
            }
        }
    }
    [component, form]
}

/// As base64, standard and for URLs, at each of the three places that the value may have in a
/// longer text. Only the characters that no neighbour changes are kept.
fn base64(value: &[u8]) -> Vec<Vec<u8>> {
    const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut out = Vec::new();
    for shift in 0..3 {
        let mut shifted = vec![0; shift];
        shifted.extend_from_slice(value);
        let digits: Vec<usize> = shifted
            .chunks(3)
            .flat_map(|chunk| {
                let bits = chunk.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte))
                    << (8 * (3 - chunk.len()));
                [18, 12, 6, 0].map(|place| bits >> place & 63)
            })
            .collect();
        let settled = (shift * 8).div_ceil(6)..(shifted.len() * 8) / 6;
        for alphabet in [STANDARD, URL] {
            out.push(digits[settled.clone()].iter().map(|digit| alphabet[*digit]).collect());
        }
    }
    out
}

fn hex(value: &[u8]) -> Vec<u8> {
    value.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect()
}
