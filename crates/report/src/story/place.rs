//! Where a finding is, in words, and what the caret points at.

use model::RuleId;

use super::count;
use crate::evidence::{FindingEvidence, Origin, Particular};

/// Where a finding is, in full.
pub(super) fn location(finding: &FindingEvidence, origin: &Origin) -> String {
    let stream = finding.byte_in_stream;
    let place = match (finding.frame, finding.byte_in_frame) {
        (Some(frame), Some(byte)) => format!(
            "stdout frame {frame} (the {} line), byte {byte} (byte {stream} of the stream), \
             counted from 0",
            ordinal(frame)
        ),
        _ if stream == 0 => "stdout, which is empty".to_owned(),
        _ => format!("stdout after the last frame ({} in all)", count(stream, "byte")),
    };
    match origin {
        Origin::Run | Origin::Replay => {
            format!("{place}, phase {}, {} ms", finding.phase, finding.time_ms)
        }
        // A recording has no client side and no clock.
        Origin::Check { input } => format!("{place}, of {input}"),
    }
}

/// Where a finding is, in short.
pub(super) fn short(finding: &FindingEvidence, origin: &Origin) -> String {
    match (finding.frame, finding.byte_in_frame) {
        (Some(frame), Some(byte)) => format!("frame {frame}, byte {byte} counted from 0"),
        _ => match origin {
            Origin::Run | Origin::Replay => {
                format!("phase {}, {} ms", finding.phase, finding.time_ms)
            }
            Origin::Check { .. } => "after the last frame".to_owned(),
        },
    }
}

pub(super) fn not_shown(finding: &FindingEvidence) -> String {
    let byte = finding.byte_in_frame.unwrap_or(0);
    match finding.frame_bytes {
        Some(len) => format!(
            "byte {byte}, counted from 0, is not shown: the frame has {}, and only its beginning \
             is kept",
            count(len, "byte")
        ),
        None => format!(
            "byte {byte}, counted from 0, is not shown: only the beginning of a frame is kept"
        ),
    }
}

/// `1st`, `2nd`, `11th`.
fn ordinal(number: u64) -> String {
    let ending = match (number % 10, number % 100) {
        (1, rest) if rest != 11 => "st",
        (2, rest) if rest != 12 => "nd",
        (3, rest) if rest != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// What the bytes over the caret are. None for a rule that no frame shows.
pub(super) fn caret_label(finding: &FindingEvidence) -> Option<&'static str> {
    let missing = finding.particular == Particular::Missing;
    Some(match finding.rule {
        RuleId::EmptyFrame => "nothing, or only blanks, before the newline",
        RuleId::DecodeError => "not UTF-8 from here",
        RuleId::ByteOrderMark => "the byte-order mark",
        RuleId::SplitMessage => "the newline falls here",
        RuleId::JoinedMessages => "the second message begins here",
        RuleId::ContentLengthHeader => "a header",
        RuleId::PartialFrame => "the output ends before a newline",
        RuleId::UnterminatedFrame => "no newline follows",
        RuleId::OversizedFrame => "the largest size that is read ends here",
        RuleId::EchoedInput => "the client's own request",
        RuleId::CarriageReturn => "the carriage return",
        RuleId::LargeFrame => "10 MiB end here",
        RuleId::InvalidJson => "not JSON from here",
        RuleId::DuplicateMember | RuleId::DuplicateKey => "the second one",
        RuleId::LoneSurrogate => "half of a pair",
        RuleId::NumberRange => "readers disagree about this number",
        RuleId::DeepNesting => "level 129 begins here",
        RuleId::NotAnObject => "not an object",
        RuleId::BatchArray => "an array",
        RuleId::JsonrpcVersion if missing => "it ends without \"jsonrpc\": \"2.0\"",
        RuleId::JsonrpcVersion => "not \"2.0\"",
        RuleId::UnknownKind => "it ends without method, result or error",
        RuleId::MethodAndResult => "a request and a reply at once",
        RuleId::ResultAndError => "the second of result and error",
        RuleId::MethodType => "not a string",
        RuleId::ParamsType | RuleId::ResultType => "not an object",
        RuleId::IdType => "neither a string nor an integer",
        RuleId::IdMissing => "it ends without an id",
        RuleId::IdNull => "the id must not be null",
        RuleId::ErrorShape if missing => "it ends without all members of an error",
        RuleId::ErrorShape => "not what it must be in an error",
        RuleId::ExtraMember => "JSON-RPC does not know this member",
        RuleId::SchemaMismatch => "does not fit the schema",
        RuleId::VersionNegotiation => "this revision cannot be spoken here",
        RuleId::UndeclaredCapability => "needs a capability that was not announced",
        RuleId::ProgressOrder => "no request under way, or no increase",
        RuleId::UnknownNotification => "the revision does not know it",
        RuleId::ReplacementCharacter => "U+FFFD",
        RuleId::ResultKind => "resultType is missing, or is no string",
        RuleId::UnknownId => "no request has this id",
        RuleId::IdChanged => "another type than in the request",
        RuleId::DuplicateResponse => "this id was answered before",
        RuleId::ReplyToNotification => "a reply that nobody asked for",
        RuleId::CanaryOnStdout => "the text that was to come on stderr",
        RuleId::WrongErrorCode => "not -32601",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::ordinal;

    #[rstest]
    #[case(1, "1st")]
    #[case(2, "2nd")]
    #[case(3, "3rd")]
    #[case(4, "4th")]
    #[case(11, "11th")]
    #[case(112, "112th")]
    #[case(113, "113th")]
    #[case(121, "121st")]
    fn a_line_is_counted_in_words(#[case] number: u64, #[case] text: &str) {
        assert_eq!(ordinal(number), text);
    }
}
