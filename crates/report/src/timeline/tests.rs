//! Tests of `timeline`.

use std::borrow::Cow;
use std::time::Duration;

use model::{Event, EventKind, ExitStatus, KeepBody, RawId, Sent, Seq};

use super::{FRAMES, Happening, Timeline};
use crate::redact::Redactor;
use crate::samples::secret;

fn timeline(kinds: Vec<EventKind<'static>>) -> Timeline {
    Timeline::new(kinds.into_iter().zip(0_u64..).map(|(kind, seq)| Event {
        seq: Seq(seq),
        at: Duration::from_millis(seq * 10),
        kind,
    }))
}

fn stdout(bytes: &[u8]) -> EventKind<'static> {
    EventKind::Stdout(Cow::Owned(bytes.to_vec()))
}

fn frames(timeline: &Timeline) -> Vec<&super::FrameFact> {
    let moments = timeline.moments().into_iter();
    moments
        .filter_map(|moment| match &moment.what {
            Happening::Frame(frame) => Some(&**frame),
            _ => None,
        })
        .collect()
}

fn request(id: &str, method: &str) -> EventKind<'static> {
    EventKind::Sent(Sent::Request {
        id: RawId::new(id),
        method: method.into(),
        keep_body: KeepBody::Drop,
        params: None,
    })
}

#[test]
fn a_frame_is_told_by_size_time_id_and_method_however_it_is_cut() {
    let reply = br#"{"jsonrpc":"2.0","id":"list-3","result":{}}"#;
    let (first, second) = reply.split_at(20);
    let second = [second, b"\nbanner"].concat();
    let timeline = timeline(vec![
        request("\"list-3\"", "tools/list"),
        stdout(first),
        stdout(&second),
        EventKind::StdoutEof,
        EventKind::Exited(ExitStatus::SUCCESS),
    ]);
    let frames = frames(&timeline);
    assert_eq!(frames.len(), 2);
    assert_eq!((frames[0].number, frames[0].bytes), (1, reply.len() as u64));
    assert_eq!(frames[0].began, Duration::from_millis(10));
    assert_eq!(frames[0].id.as_deref(), Some("\"list-3\""));
    assert_eq!(frames[0].method.as_deref(), Some("tools/list"));
    assert_eq!(frames[0].kind.map(|kind| kind.name()), Some("result"));
    assert_eq!((frames[1].number, frames[1].bytes, &frames[1].id), (2, 6, &None));
    assert_eq!(frames[1].began, Duration::from_millis(20));
}

#[test]
fn a_hash_is_withheld_where_a_secret_was() {
    let timeline = timeline(vec![stdout(b"abc\nthe s3cr3t value\n"), stdout(&[b'x'; 9000])]);
    let redactor = Redactor::new(&[secret("DEMO", "s3cr3t")]);
    let shown: Vec<Option<String>> =
        frames(&timeline).iter().map(|frame| frame.digest.shown(&redactor)).collect();
    // The digest of "abc" as FIPS 180 gives it.
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(shown, [Some(abc.to_owned()), None]);
}

#[test]
fn the_first_and_the_last_frames_are_kept() {
    let all = FRAMES.head + FRAMES.tail + 10;
    let timeline = timeline(vec![stdout(&b"x\n".repeat(all)), EventKind::StdoutEof]);
    let numbers: Vec<u64> = frames(&timeline).iter().map(|frame| frame.number).collect();
    assert_eq!(timeline.frames_seen(), all as u64);
    assert_eq!(numbers.len(), FRAMES.head + FRAMES.tail);
    assert_eq!(numbers[FRAMES.head - 1], FRAMES.head as u64);
    assert_eq!(numbers[FRAMES.head], FRAMES.head as u64 + 11);
    assert!(matches!(timeline.moments().last().map(|m| &m.what), Some(Happening::StdoutEof)));
}

#[test]
fn a_tail_that_may_end_inside_a_secret_has_no_hash() {
    let redactor = Redactor::new(&[secret("KEY", "swordfish-1234")]);
    let hash = |bytes: &[u8]| {
        let timeline = timeline(vec![stdout(bytes), EventKind::StdoutEof]);
        frames(&timeline)[0].digest.shown(&redactor)
    };
    assert_eq!(hash(b"{\"key\":\"swordfi"), None);
    assert!(hash(b"{\"key\":[").is_some());
    assert!(hash(b"{\"key\":\"swordfi\n").is_some());
}
