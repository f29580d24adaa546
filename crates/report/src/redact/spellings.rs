//! The spellings of a value that are looked for: as it is, and in the encodings that change every
//! character. Escapes are undone in the bytes that are searched, and need no spelling here.

use std::collections::BTreeSet;

use super::views::{between, readings};
use crate::facts::MIN_SECRET_BYTES;

/// Values longer than this are looked for as they are, and not in other encodings.
const MAX_ENCODED_BYTES: usize = 8 * 1024;

/// Every spelling of a value, in lower case.
pub(super) fn spellings(value: &[u8]) -> BTreeSet<Vec<u8>> {
    let mut out = BTreeSet::new();
    for part in parts(value) {
        for reading in readings(&part) {
            out.insert(reading);
        }
        if part.len() > MAX_ENCODED_BYTES {
            continue;
        }
        out.extend(form(&part));
        out.insert(part.iter().copied().filter(|byte| !between(*byte)).collect());
        out.insert(hex(&part));
        out.extend(packed(&part, 3, 6, BASE64));
        out.extend(packed(&part, 3, 6, BASE64_URL));
        out.extend(packed(&part, 5, 5, BASE32));
        for wide in utf16(&part) {
            out.extend(packed(&wide, 3, 6, BASE64));
            // The bytes between the NULs, as the search leaves them out.
            out.insert(wide.into_iter().filter(|byte| *byte != 0).collect());
        }
    }
    let lower = out.into_iter().map(|mut spelling| {
        spelling.make_ascii_lowercase();
        spelling
    });
    lower.filter(|spelling| spelling.len() >= MIN_SECRET_BYTES).collect()
}

/// The value, and the parts of it that programs print alone: without the blanks round it, each of
/// its lines, what follows an authentication scheme, and the password of a URL.
fn parts(value: &[u8]) -> BTreeSet<Vec<u8>> {
    let mut parts: BTreeSet<&[u8]> = BTreeSet::from([value, value.trim_ascii()]);
    parts.extend(value.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii));
    for scheme in ["bearer ", "basic ", "token "] {
        let found = value
            .get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()));
        if found {
            parts.insert(value[scheme.len()..].trim_ascii());
        }
    }
    parts.extend(url_password(value));
    parts.into_iter().filter(|part| part.len() >= MIN_SECRET_BYTES).map(<[u8]>::to_vec).collect()
}

/// The password in `scheme://user:password@host`.
fn url_password(value: &[u8]) -> Option<&[u8]> {
    let start = value.windows(3).position(|window| window == b"://")? + 3;
    let end = value[start..].iter().position(|byte| matches!(byte, b'/' | b'?' | b'#'));
    let authority = &value[start..end.map_or(value.len(), |end| start + end)];
    let user = &authority[..authority.iter().rposition(|byte| *byte == b'@')?];
    let colon = user.iter().position(|byte| *byte == b':')?;
    Some(&user[colon + 1..])
}

/// As the value of a form, in which a blank is `+`.
fn form(value: &[u8]) -> Option<Vec<u8>> {
    value
        .contains(&b' ')
        .then(|| value.iter().map(|byte| if *byte == b' ' { b'+' } else { *byte }).collect())
}

fn hex(value: &[u8]) -> Vec<u8> {
    value.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect()
}

/// As UTF-16 in both orders of bytes.
fn utf16(value: &[u8]) -> Vec<Vec<u8>> {
    let Ok(text) = std::str::from_utf8(value) else {
        return Vec::new();
    };
    vec![
        text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
    ]
}

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64_URL: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BASE32: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// As digits of `bits` bits each, `group` bytes to a group, at each of the places that the value
/// may have in a longer text. Only the digits that no neighbour changes are kept.
fn packed(value: &[u8], group: usize, bits: usize, alphabet: &[u8]) -> Vec<Vec<u8>> {
    let at_shift = |shift: usize| {
        let mut buffer = 0_usize;
        let mut held = 0;
        let mut digits = Vec::new();
        for byte in std::iter::repeat_n(&0, shift).chain(value) {
            buffer = (buffer << 8 | usize::from(*byte)) & 0xffff;
            held += 8;
            while held >= bits {
                held -= bits;
                digits.push(alphabet[buffer >> held & ((1 << bits) - 1)]);
            }
        }
        digits.split_off((shift * 8).div_ceil(bits).min(digits.len()))
    };
    (0..group).map(at_shift).collect()
}
