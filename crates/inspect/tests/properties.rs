//! What holds for any bytes at all.

use std::borrow::Cow;
use std::time::Duration;

use inspect::{Detector, Inspector, RuleSet, check_json_text};
use model::{Event, EventKind, KeepBody, Outcome, Phase, RawId, Sent, Seq, Side, Verdict};
use proptest::prelude::*;

fn push(detector: &mut Inspector, kind: EventKind<'_>) {
    detector.push(&Event { seq: Seq(0), at: Duration::ZERO, kind });
}

/// A session in which initialize is pending, then the given bytes, then a good end.
fn judge<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, rules: RuleSet) -> Verdict {
    let mut detector = Inspector::new(rules);
    push(&mut detector, EventKind::StepBegan(Phase::Startup));
    let id = RawId::integer(31);
    let sent =
        Sent::Request { id, method: "initialize".into(), params: None, keep_body: KeepBody::Keep };
    push(&mut detector, EventKind::Sent(sent));
    for chunk in chunks {
        push(&mut detector, EventKind::Stdout(Cow::Borrowed(chunk)));
    }
    push(&mut detector, EventKind::StdinClosed { by: Side::Client });
    push(&mut detector, EventKind::StdoutEof);
    Box::new(detector).finish()
}

fn cut<'a>(bytes: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    at.extend([0, bytes.len()]);
    at.sort_unstable();
    at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

/// Bytes that often look like messages.
fn fragments() -> impl Strategy<Value = Vec<u8>> {
    let fragment = prop_oneof![
        Just(br#"{"jsonrpc":"2.0","id":31,"result":{"protocolVersion":"2025-03-26"}}"#.to_vec()),
        Just(
            br#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}"#
                .to_vec()
        ),
        Just(br#"{"jsonrpc":"2.0","id":"s1","method":"ping"}"#.to_vec()),
        Just(br#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"result":{}}]"#.to_vec()),
        Just(br#"{"jsonrpc":"2.0","id":null,"error":{"code":1.5,"code":2,"message":3}}"#.to_vec()),
        Just(br#""\ud83d\ud83d\ude00\udc00""#.to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\xEF\xBB\xBF".to_vec()),
        Just(b"Content-Length: 12\r\n".to_vec()),
        Just("é€😀".as_bytes().to_vec()),
        "[\\[\\]{},:\"0-9eE.+ -]{0,6}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(fragment, 0..12).prop_map(|fragments| fragments.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn chunking_never_changes_the_verdict(
        bytes in fragments(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        max_frame_bytes in prop_oneof![Just(64 * 1024 * 1024), 0u64..100],
    ) {
        let mut rules = RuleSet::default();
        rules.max_frame_bytes = max_frame_bytes;
        let whole = judge([bytes.as_slice()], rules.clone());
        let single = judge(bytes.chunks(1), rules.clone());
        let pieces = judge(cut(&bytes, &cuts), rules);
        prop_assert_eq!(&whole, &single);
        prop_assert_eq!(&whole, &pieces);
    }

    #[test]
    fn bytes_after_the_first_violation_never_change_it(
        before in fragments(),
        after in fragments(),
    ) {
        let bytes = [before.as_slice(), b"\nnot json\n"].concat();
        let alone = judge([bytes.as_slice()], RuleSet::default());
        let followed = judge([bytes.as_slice(), after.as_slice()], RuleSet::default());
        prop_assert!(matches!(alone.outcome, Outcome::Violation(_)));
        prop_assert_eq!(alone, followed);
    }

    #[test]
    fn positions_lie_inside_what_was_read(bytes in fragments()) {
        let verdict = judge([bytes.as_slice()], RuleSet::default());
        let findings = verdict.advice.iter().map(|advice| &advice.finding);
        let violation = match &verdict.outcome {
            Outcome::Violation(finding) => Some(finding.as_ref()),
            _ => None,
        };
        for finding in findings.chain(violation) {
            let position = finding.position;
            prop_assert!(position.stream().0 <= bytes.len() as u64);
            if let (Some(byte), Some(kept)) = (position.byte(), &finding.frame_bytes) {
                prop_assert!(byte.0 <= kept.len);
                let start = (position.stream().0 - byte.0) as usize;
                prop_assert_eq!(&bytes[start..start + kept.prefix.len()], kept.prefix.as_ref());
                prop_assert!(start == 0 || bytes[start - 1] == b'\n');
            }
        }
    }

    #[test]
    fn advice_alone_never_fails_a_run(bytes in fragments()) {
        let mut denied = RuleSet::default();
        denied.deny_advice();
        let verdict = judge([bytes.as_slice()], RuleSet::default());
        let strict = judge([bytes.as_slice()], denied);
        if matches!(strict.outcome, Outcome::ValidStdout) {
            prop_assert!(verdict.advice.is_empty());
        }
        if !verdict.advice.is_empty() {
            prop_assert!(matches!(strict.outcome, Outcome::Violation(_)));
        }
    }

    #[test]
    fn a_json_text_that_breaks_has_a_prefix_that_does_not(bytes in fragments()) {
        if let Err(at) = check_json_text(&bytes) {
            prop_assert!(at <= bytes.len() as u64);
        }
    }
}

#[test]
fn a_reply_that_begins_before_its_request_is_announced_keeps_its_body() {
    let mut detector = Inspector::new(RuleSet::default());
    let reply = br#"{"jsonrpc":"2.0","id":31,"result":{}}"#;
    push(&mut detector, EventKind::Stdout(Cow::Borrowed(&reply[..9])));
    let id = RawId::integer(31);
    let sent =
        Sent::Request { id, method: "initialize".into(), params: None, keep_body: KeepBody::Keep };
    push(&mut detector, EventKind::Sent(sent));
    let rest = [&reply[9..], b"\n"].concat();
    let kind = EventKind::Stdout(Cow::Borrowed(&rest));
    let step = detector.push(&Event { seq: Seq(0), at: Duration::ZERO, kind });
    assert_eq!(step.accepted[0].body.as_deref(), Some(reply.as_slice()));
}
