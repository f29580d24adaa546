//! One line of a recording, and what is wrong with it: the corners of grammar and shape.

use std::borrow::Cow;
use std::time::Duration;

use inspect::{Detector, Inspector, RuleSet, Setting};
use model::{
    Detail, Event, EventKind, ExitStatus, Finding, Member, Outcome, RuleId, Seq, Utf16, Verdict,
};
use rstest::rstest;

fn judge_by(bytes: &[u8], rules: RuleSet) -> Verdict {
    let mut detector = Inspector::new(rules);
    let kinds = [
        EventKind::Stdout(Cow::Borrowed(bytes)),
        EventKind::StdoutEof,
        EventKind::Exited(ExitStatus::SUCCESS),
    ];
    for kind in kinds {
        detector.push(&Event { seq: Seq(0), at: Duration::ZERO, kind });
    }
    Box::new(detector).finish()
}

fn judge(line: &[u8]) -> Verdict {
    judge_by(&[line, b"\n"].concat(), RuleSet::without_client())
}

fn violation(verdict: &Verdict) -> Option<&Finding> {
    match &verdict.outcome {
        Outcome::Violation(finding) => Some(finding),
        Outcome::ValidStdout | Outcome::Inconclusive(_) => None,
    }
}

#[rstest]
#[case::after_a_comma_in_an_array(b"[1,", RuleId::SplitMessage, 3)]
#[case::after_a_comma_in_an_object(br#"{"a":1,"#, RuleId::SplitMessage, 7)]
#[case::after_a_colon(br#"{"a":"#, RuleId::SplitMessage, 5)]
#[case::after_a_key(br#"{"a""#, RuleId::SplitMessage, 4)]
#[case::after_a_value(br#"{"a":1"#, RuleId::SplitMessage, 6)]
#[case::inside_a_number(b"[-", RuleId::SplitMessage, 2)]
#[case::inside_a_literal(b"[tru", RuleId::SplitMessage, 4)]
#[case::inside_a_string(br#"["a"#, RuleId::SplitMessage, 3)]
#[case::inside_an_escape(b"[\"a\\", RuleId::SplitMessage, 4)]
#[case::inside_a_unicode_escape(br#"["\u12"#, RuleId::SplitMessage, 6)]
#[case::after_a_joined_message(br#"{}{"a":"#, RuleId::InvalidJson, 2)]
#[case::array_then_object(b"[1]{}", RuleId::InvalidJson, 3)]
#[case::scalar_then_object(b"1 {}", RuleId::InvalidJson, 2)]
#[case::two_objects(b"{} {}", RuleId::JoinedMessages, 3)]
#[case::two_objects_of_members(br#"{"a":"b"}{"a":[1]}"#, RuleId::JoinedMessages, 9)]
#[case::three_objects(b"{}{}\t{}", RuleId::JoinedMessages, 2)]
#[case::second_object_broken(b"{}{,}", RuleId::InvalidJson, 2)]
#[case::array_where_an_object_was(br#"{"a":{"b":1},"c":[1}"#, RuleId::InvalidJson, 19)]
#[case::object_where_an_array_was(br#"{"a":[1],"c":{"b":1]"#, RuleId::InvalidJson, 19)]
#[case::unfinished_top_level_string(br#""abc"#, RuleId::InvalidJson, 4)]
#[case::unfinished_top_level_escape(br#""\u00"#, RuleId::InvalidJson, 5)]
#[case::unfinished_top_level_exponent(b"1e+", RuleId::InvalidJson, 3)]
#[case::top_level_number(b" 42", RuleId::NotAnObject, 1)]
#[case::top_level_fraction(b"0.50", RuleId::NotAnObject, 0)]
#[case::top_level_exponent(b"1E-07", RuleId::NotAnObject, 0)]
#[case::blanks(b" \t\r", RuleId::EmptyFrame, 3)]
fn what_breaks_a_line(#[case] line: &[u8], #[case] rule: RuleId, #[case] byte: u64) {
    let verdict = judge(line);
    let finding = violation(&verdict).map(|finding| (finding.rule, finding.position.byte()));
    assert_eq!(finding, Some((rule, Some(model::FrameOffset(byte)))));
}

/// Every half of a pair that stands alone is found, wherever its partner is not.
#[rstest]
#[case::high_then_text(r"\ud83dx", Some(0))]
#[case::high_then_text_then_low(r"\ud83dx\ude00", Some(0))]
#[case::text_between_then_pair(r"ab\ud83d-\ude00\ud83d\ude00", Some(2))]
#[case::high_then_escape_then_low(r"\ud83d\n\ude00", Some(0))]
#[case::high_then_quote_escape(r#"\ud83d\""#, Some(0))]
#[case::two_highs(r"\ud83d\ud83d\ude00", Some(0))]
#[case::low_alone(r"x\ude00", Some(1))]
#[case::low_after_a_pair(r"\ud83d\ude00\ude00", Some(12))]
#[case::high_at_the_end(r"\u0041\ud83d", Some(6))]
#[case::first_high(r"\ud800", Some(0))]
#[case::last_low(r"\udfff", Some(0))]
#[case::pair(r"\uD83D\uDE00", None)]
#[case::below(r"\ud7ff", None)]
#[case::above(r"\ue000", None)]
fn lone_surrogates(#[case] text: &str, #[case] at: Option<u64>) {
    let line = format!(r#"{{"jsonrpc":"2.0","method":"m","params":{{"text":"{text}"}}}}"#);
    let start = line.find(text).expect("it was put in") as u64;
    let verdict = judge(line.as_bytes());
    assert_eq!(verdict.outcome, Outcome::ValidStdout);
    let advice = verdict.advice.iter().map(|advice| {
        (advice.finding.rule, advice.finding.position.byte().expect("it is in a frame").0)
    });
    let expected = at.map(|at| (RuleId::LoneSurrogate, start + at));
    assert_eq!(advice.collect::<Vec<_>>(), expected.into_iter().collect::<Vec<_>>());
}

/// What the rule's name does not say is told beside it.
#[rstest]
#[case::marked(b"\xFF\xFEh\0i\0", RuleId::DecodeError, Detail::Utf16(Utf16::LittleEndian))]
#[case::marked_big(b"\xFE\xFF\0h\0i", RuleId::DecodeError, Detail::Utf16(Utf16::BigEndian))]
#[case::unmarked(b"h\0i\0", RuleId::InvalidJson, Detail::Utf16(Utf16::LittleEndian))]
#[case::utf_8(b"hello", RuleId::InvalidJson, Detail::None)]
#[case::legacy(b"caf\xE9 ", RuleId::DecodeError, Detail::None)]
#[case::no_version(br#"{"method":"m"}"#, RuleId::JsonrpcVersion, Detail::Missing(Member::Jsonrpc))]
#[case::old_version(
    br#"{"jsonrpc":"1.0","method":"m"}"#,
    RuleId::JsonrpcVersion,
    Detail::Wrong(Member::Jsonrpc)
)]
#[case::no_code(
    br#"{"jsonrpc":"2.0","id":1,"error":{"message":"m"}}"#,
    RuleId::ErrorShape,
    Detail::Missing(Member::ErrorCode)
)]
#[case::code_as_text(
    br#"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"m"}}"#,
    RuleId::ErrorShape,
    Detail::Wrong(Member::ErrorCode)
)]
#[case::no_message(
    br#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#,
    RuleId::ErrorShape,
    Detail::Missing(Member::ErrorMessage)
)]
#[case::result_as_text(
    br#"{"jsonrpc":"2.0","id":1,"result":"m"}"#,
    RuleId::ResultType,
    Detail::Wrong(Member::Result)
)]
fn details(#[case] line: &[u8], #[case] rule: RuleId, #[case] detail: Detail) {
    let verdict = judge(line);
    let finding = violation(&verdict).map(|finding| (finding.rule, finding.detail.clone()));
    assert_eq!(finding, Some((rule, detail)));
}

/// Where the user allows large frames, the limit is still where the advice begins. Such a frame is
/// no message by being allowed.
#[test]
fn an_allowed_oversized_frame_is_advice_behind_the_limit() {
    let message = br#"{"jsonrpc":"2.0","method":"m"}"#;
    let len = message.len() as u64;
    for (limit, byte) in [(len - 1, Some(len - 1)), (len, None), (len + 1, None)] {
        let mut rules = RuleSet::without_client();
        rules.max_frame_bytes = limit;
        rules.set(RuleId::OversizedFrame, Setting::Allow);
        let verdict = judge_by(&[message, b"\n".as_slice()].concat(), rules);
        assert_eq!(verdict.accepted, u64::from(byte.is_none()));
        let found: Vec<u64> = verdict
            .advice
            .iter()
            .filter(|advice| advice.finding.rule == RuleId::OversizedFrame)
            .filter_map(|advice| Some(advice.finding.position.byte()?.0))
            .collect();
        assert_eq!(found, byte.into_iter().collect::<Vec<_>>(), "{limit}");
    }
}

#[test]
fn a_frame_over_the_limit_counts_as_far_as_it_is_read() {
    let good = br#"{"jsonrpc":"2.0","method":"m"}"#;
    let mut rules = RuleSet::without_client();
    rules.max_frame_bytes = good.len() as u64;
    let verdict = judge_by(&[good, b"\n".as_slice(), &[b' '; 100]].concat(), rules);
    let finding = violation(&verdict).expect("it is a violation");
    assert_eq!((finding.rule, finding.position.stream().0), (RuleId::OversizedFrame, 31 + 30));
    assert_eq!((verdict.frames, verdict.stdout_bytes, verdict.accepted), (2, 31 + 30, 1));
}
