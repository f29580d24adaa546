//! Finds the members of a JSON object as raw text.
//!
//! It reads what clients send, whatever their spacing and order of members, and validates
//! nothing beyond what it needs to find its way.

/// The members of the object that `text` holds, in order: the decoded key and the raw value.
///
/// None if `text` is not an object, or is cut short.
pub(crate) fn members(text: &str) -> Option<Vec<(String, &str)>> {
    let mut cursor = Cursor { text, at: 0 };
    let mut members = Vec::new();
    cursor.skip_blanks();
    cursor.take(b'{')?;
    cursor.skip_blanks();
    if cursor.take(b'}').is_some() {
        return Some(members);
    }
    loop {
        cursor.skip_blanks();
        let key = decode(cursor.string()?)?;
        cursor.skip_blanks();
        cursor.take(b':')?;
        cursor.skip_blanks();
        members.push((key, cursor.value()?));
        cursor.skip_blanks();
        if cursor.take(b',').is_none() {
            return cursor.take(b'}').map(|()| members);
        }
    }
}

/// The text that a raw string stands for. None if `raw` is no string, or no Unicode text.
pub(crate) fn decode(raw: &str) -> Option<String> {
    let mut rest = raw.strip_prefix('"')?.strip_suffix('"')?.chars();
    let mut units = Vec::new();
    while let Some(plain) = rest.next() {
        let decoded = match plain {
            '\\' => match rest.next()? {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => {
                    let digits = rest.as_str().get(..4)?;
                    units.push(u16::from_str_radix(digits, 16).ok()?);
                    rest.nth(3);
                    continue;
                }
                itself => itself,
            },
            other => other,
        };
        units.extend_from_slice(decoded.encode_utf16(&mut [0; 2]));
    }
    String::from_utf16(&units).ok()
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    /// The raw text of the string that begins here, with its quotes.
    fn string(&mut self) -> Option<&'a str> {
        let start = self.at;
        self.take(b'"')?;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        self.text.get(start..self.at)
    }

    /// The raw text of the value that begins here.
    fn value(&mut self) -> Option<&'a str> {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                    if depth == 0 {
                        break;
                    }
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                    if depth == 0 {
                        break;
                    }
                }
                b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n' if depth == 0 => break,
                _ => self.at += 1,
            }
        }
        self.text.get(start..self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::{decode, members};

    fn find<'a>(text: &'a str, key: &str) -> Option<&'a str> {
        let found = members(text)?.into_iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value)
    }

    #[test]
    fn members_are_found_whatever_the_spacing_and_order() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#,
            "\t{ \"method\" :\"ping\" ,\"id\":1 , \"jsonrpc\":\"2.0\" } \r\n",
            r#"{"params":{"id":7,"a":["}",{"id":8}]},"method":"ping","id":1}"#,
            r#"{"text":"\"id\":9,}","\u0069d":1,"method":"ping"}"#,
        ] {
            assert_eq!(find(text, "id"), Some("1"), "{text}");
            assert_eq!(find(text, "method"), Some(r#""ping""#), "{text}");
        }
    }

    #[test]
    fn values_are_raw_text() {
        let text = r#"{"a":-1.50e+3,"b": "x\u0020\\" ,"c":{"d": [1, 2]},"e":null}"#;
        assert_eq!(find(text, "a"), Some("-1.50e+3"));
        assert_eq!(find(text, "b"), Some(r#""x\u0020\\""#));
        assert_eq!(find(text, "c"), Some(r#"{"d": [1, 2]}"#));
        assert_eq!(find(text, "e"), Some("null"));
        assert_eq!(members(" { } "), Some(vec![]));
    }

    #[test]
    fn what_is_no_object_has_no_members() {
        for text in ["", "42", "[]", "{", r#"{"a"}"#, r#"{"a":1"#, r#"{"a":"\"#, "hello"] {
            assert_eq!(members(text), None, "{text}");
        }
    }

    #[test]
    fn escapes_are_decoded() {
        assert_eq!(decode(r#""a\/\"\\\n\u00e9é""#).as_deref(), Some("a/\"\\\néé"));
        assert_eq!(decode(r#""\ud83d\ude00""#).as_deref(), Some("😀"));
        assert_eq!(decode(r#""\ud83d""#), None);
        assert_eq!(decode(r#""\u12""#), None);
        assert_eq!(decode("42"), None);
    }
}
