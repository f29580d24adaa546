//! What is kept of long members and large batches: to the limit, not beyond it, and beyond it the
//! verdict says what was not checked.

use std::borrow::Cow;
use std::time::Duration;

use inspect::{Accepted, Detector, Inspector, RuleSet};
use model::{Event, EventKind, NotChecked, Outcome, ProtocolVersion, Seq, Verdict};

/// Of one frame's long members, this many bytes of text are kept.
const KEPT_BYTES: usize = 256 * 1024;
/// A member of so many bytes is kept whatever came before.
const SHORT_BYTES: usize = 64;
/// A batch of so many messages is judged whole.
const BATCH: usize = 4096;

/// Judges one frame of a recording in the revision that has batches.
fn judge(frame: &str) -> (Vec<Accepted>, Verdict) {
    let mut rules = RuleSet::without_client();
    rules.protocol = Some(ProtocolVersion::V2025_03_26);
    let mut detector = Inspector::new(rules);
    let bytes = format!("{frame}\n").into_bytes();
    let kind = EventKind::Stdout(Cow::Owned(bytes));
    let step = detector.push(&Event { seq: Seq(0), at: Duration::ZERO, kind });
    (step.accepted, Box::new(detector).finish())
}

fn batch(members: impl Iterator<Item = String>) -> String {
    format!("[{}]", members.collect::<Vec<_>>().join(","))
}

/// A notification whose method has so many bytes of text, its quotes included. With `"2.0"`, it
/// has five bytes more of members whose text counts.
fn notification(method_text: usize) -> String {
    let method = "m".repeat(method_text - 2);
    format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#)
}

#[test]
fn long_members_are_kept_until_the_frame_has_had_its_share() {
    let filling = KEPT_BYTES / 4 - 5;
    let methods = [filling, filling, filling, filling, SHORT_BYTES, SHORT_BYTES + 1, filling];
    let (accepted, verdict) = judge(&batch(methods.into_iter().map(notification)));
    assert_eq!(verdict.outcome, Outcome::ValidStdout);
    let kept: Vec<Option<usize>> =
        accepted.iter().map(|message| Some(message.method.as_ref()?.len() + 2)).collect();
    let (all, short) = (Some(filling), Some(SHORT_BYTES));
    assert_eq!(kept, [all, all, all, all, short, None, None]);
    assert!(verdict.not_checked.contains(&NotChecked::LongMember));
}

#[test]
fn members_of_which_only_the_type_counts_take_no_share() {
    let reply = |number: usize| {
        let (id, message) = ("i".repeat(SHORT_BYTES), "x".repeat(KEPT_BYTES / 5));
        let error = format!(r#"{{"code":-32000,"message":"{message}"}}"#);
        format!(r#"{{"jsonrpc":"2.0","id":"{id}{number}","error":{error}}}"#)
    };
    let (accepted, verdict) = judge(&batch((0..6).map(reply)));
    assert_eq!(verdict.outcome, Outcome::ValidStdout);
    assert_eq!(accepted.len(), 6);
    assert!(accepted.iter().all(|message| message.id.is_some()));
    assert!(!verdict.not_checked.contains(&NotChecked::LongMember));
}

#[test]
fn a_batch_is_judged_whole_up_to_its_limit() {
    for (members, unchecked) in [(BATCH, false), (BATCH + 1, true)] {
        let (accepted, verdict) = judge(&batch((0..members).map(|_| notification(10))));
        assert_eq!(verdict.outcome, Outcome::ValidStdout);
        assert_eq!(accepted.len(), BATCH);
        assert_eq!(verdict.not_checked.contains(&NotChecked::BatchMembers), unchecked, "{members}");
    }
}

/// The members behind the limit are not judged, and what they hold is nobody else's.
#[test]
fn what_stands_behind_the_limit_of_a_batch_changes_nothing_before_it() {
    let mut members: Vec<String> = (0..BATCH).map(|_| notification(10)).collect();
    members.push(r#"{"jsonrpc":"1.0","method":7,"error":{"code":"x"}}"#.to_owned());
    let (accepted, verdict) = judge(&batch(members.into_iter()));
    assert_eq!(verdict.outcome, Outcome::ValidStdout);
    assert_eq!(accepted.len(), BATCH);
    assert!(verdict.not_checked.contains(&NotChecked::BatchMembers));
}

/// The longest token whose text is looked at has 64 KiB, however its bytes come.
#[test]
fn a_token_is_kept_up_to_its_longest() {
    const TOKEN: usize = 64 * 1024;
    for (text, kept) in [(TOKEN - 1, true), (TOKEN, true), (TOKEN + 1, false), (2 * TOKEN, false)] {
        let bytes = format!("{}\n", notification(text)).into_bytes();
        for size in [bytes.len(), TOKEN, 4096, 1] {
            let mut detector = Inspector::new(RuleSet::without_client());
            let mut accepted = Vec::new();
            for piece in bytes.chunks(size) {
                let kind = EventKind::Stdout(Cow::Borrowed(piece));
                let step = detector.push(&Event { seq: Seq(0), at: Duration::ZERO, kind });
                accepted.extend(step.accepted);
            }
            let method = accepted[0].method.as_ref().map(|method| method.len() + 2);
            assert_eq!(method, kept.then_some(text), "{text} in pieces of {size}");
            let verdict = Box::new(detector).finish();
            assert_eq!(verdict.not_checked.contains(&NotChecked::LongMember), !kept);
        }
    }
}
