//! Decoding the escapes of a JSON string.

use std::borrow::Cow;

/// The bytes that a grammatical JSON string, given with its quotes, stands for. An unpaired
/// surrogate becomes its three-byte form, so that different strings stay different.
pub(crate) fn unescape(raw: &[u8]) -> Cow<'_, [u8]> {
    let inner = raw.strip_prefix(b"\"").unwrap_or(raw);
    let inner = inner.strip_suffix(b"\"").unwrap_or(inner);
    if memchr::memchr(b'\\', inner).is_none() {
        return Cow::Borrowed(inner);
    }
    let mut out = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        match rest.get(1) {
            Some(b'u') => {
                let unit = code_unit(rest);
                let low = rest.get(6..).filter(|next| next.starts_with(b"\\u")).map(code_unit);
                match (unit, low) {
                    (0xD800..=0xDBFF, Some(low @ 0xDC00..=0xDFFF)) => {
                        push(&mut out, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
                        rest = rest.get(12..).unwrap_or_default();
                    }
                    _ => {
                        push(&mut out, unit);
                        rest = rest.get(6..).unwrap_or_default();
                    }
                }
            }
            Some(&byte) => {
                out.push(match byte {
                    b'b' => 0x08,
                    b'f' => 0x0C,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    other => other,
                });
                rest = &rest[2..];
            }
            None => break,
        }
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

/// The four hexadecimal digits of `\uXXXX`.
fn code_unit(escape: &[u8]) -> u32 {
    escape
        .get(2..6)
        .unwrap_or_default()
        .iter()
        .fold(0, |unit, &digit| unit * 16 + char::from(digit).to_digit(16).unwrap_or(0))
}

/// Appends a code point in the generalised form of UTF-8 that also holds surrogates.
fn push(out: &mut Vec<u8>, code_point: u32) {
    match char::from_u32(code_point) {
        Some(character) => {
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        None => out.extend_from_slice(&[
            0xE0 + (code_point >> 12) as u8,
            0x80 + (code_point >> 6 & 0x3F) as u8,
            0x80 + (code_point & 0x3F) as u8,
        ]),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::unescape;

    #[rstest]
    #[case(br#""id""#, b"id")]
    #[case(br#""\u0069d""#, b"id")]
    #[case(br#""a\"b\\c\/d\n""#, b"a\"b\\c/d\n")]
    #[case(br#""\u00e9""#, "é".as_bytes())]
    #[case(br#""\ud83d\ude00!""#, "😀!".as_bytes())]
    #[case(br#""\ud83dx""#, b"\xED\xA0\xBDx")]
    #[case(br#""\ud83d\ud83d\ude00""#, b"\xED\xA0\xBD\xF0\x9F\x98\x80")]
    #[case(br#""""#, b"")]
    fn escapes_are_decoded(#[case] raw: &[u8], #[case] expected: &[u8]) {
        assert_eq!(unescape(raw).as_ref(), expected);
    }
}
