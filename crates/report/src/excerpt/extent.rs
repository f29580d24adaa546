//! How much of a line the caret underlines, from the byte that proves the fault on. Display data:
//! the position of a finding is its first byte alone.

use model::RuleId;

/// How far a fault reaches from its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// One byte.
    Byte,
    /// The JSON value, or the key, that begins there.
    Value,
    /// The rest of the line without the blanks at its end; a line of blanks alone as it is.
    Line,
}

impl Extent {
    /// That of a rule which was met at a byte of a frame.
    pub(crate) fn of(rule: RuleId, byte: u64) -> Self {
        match rule {
            RuleId::EmptyFrame
            | RuleId::ContentLengthHeader
            | RuleId::NotAnObject
            | RuleId::BatchArray
            | RuleId::EchoedInput => Self::Line,
            RuleId::InvalidJson if byte == 0 => Self::Line,
            RuleId::DuplicateMember
            | RuleId::DuplicateKey
            | RuleId::NumberRange
            | RuleId::JsonrpcVersion
            | RuleId::MethodAndResult
            | RuleId::ResultAndError
            | RuleId::MethodType
            | RuleId::ParamsType
            | RuleId::IdType
            | RuleId::IdNull
            | RuleId::ResultType
            | RuleId::ErrorShape
            | RuleId::ExtraMember
            | RuleId::SchemaMismatch
            | RuleId::VersionNegotiation
            | RuleId::UndeclaredCapability
            | RuleId::ProgressOrder
            | RuleId::UnknownNotification
            | RuleId::ResultKind
            | RuleId::UnknownId
            | RuleId::IdChanged
            | RuleId::DuplicateResponse
            | RuleId::ReplyToNotification => Self::Value,
            _ => Self::Byte,
        }
    }

    /// The end of what is at fault, given the kept bytes of its frame and its first byte.
    pub(super) fn end(self, frame: &[u8], byte: usize) -> usize {
        let rest = frame.get(byte..).unwrap_or_default();
        byte + match self {
            Self::Byte => 0,
            Self::Value => value(rest),
            Self::Line => match rest.trim_ascii_end().len() {
                0 => rest.len(),
                len => len,
            },
        }
    }
}

/// The length of the JSON value that begins the bytes. It may be cut or malformed: then as far as
/// it reaches.
fn value(bytes: &[u8]) -> usize {
    match bytes.first() {
        Some(b'"') => string(bytes),
        Some(b'{' | b'[') => container(bytes),
        _ => bytes
            .iter()
            .position(|byte| {
                matches!(byte, b',' | b']' | b'}' | b':') || byte.is_ascii_whitespace()
            })
            .unwrap_or(bytes.len()),
    }
}

fn string(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn container(bytes: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += string(&bytes[at..]);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::Extent;

    #[rstest]
    #[case::number(b"31,\"x\":1}", Extent::Value, "31")]
    #[case::string(br#""a\"b" ,"#, Extent::Value, r#""a\"b""#)]
    #[case::key(b"\"error\":null}", Extent::Value, "\"error\"")]
    #[case::object(br#"{"a":["}"]},1"#, Extent::Value, r#"{"a":["}"]}"#)]
    #[case::cut_string(b"\"abc\\", Extent::Value, "\"abc\\")]
    #[case::cut_object(b"{\"a\":[", Extent::Value, "{\"a\":[")]
    #[case::end(b"", Extent::Value, "")]
    #[case::line(b"READY now \r", Extent::Line, "READY now")]
    #[case::blanks(b" \t ", Extent::Line, " \t ")]
    #[case::byte(b"abc", Extent::Byte, "")]
    fn an_extent_ends_with_what_is_at_fault(
        #[case] rest: &[u8],
        #[case] extent: Extent,
        #[case] at_fault: &str,
    ) {
        let frame = [b"before ", rest].concat();
        let end = extent.end(&frame, 7);
        assert_eq!(frame[7..end], *at_fault.as_bytes());
        assert_eq!(extent.end(&frame, 100), 100);
    }
}
