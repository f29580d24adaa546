//! Any bytes, cut anywhere: the verdict is the same, positions lie inside, and the grammar agrees
//! with serde_json wherever serde_json can hold the text.
#![no_main]

use std::time::Duration;

use inspect::{Detector, Inspector, RuleSet, check_json_text};
use libfuzzer_sys::fuzz_target;
use model::{Event, EventKind, KeepBody, Outcome, RawId, Sent, Seq, Verdict};

fn judge<'a>(chunks: impl Iterator<Item = &'a [u8]>, rules: RuleSet) -> Verdict {
    let mut detector = Inspector::new(rules);
    let mut push = |kind: EventKind<'_>| {
        detector.push(&Event { seq: Seq(0), at: Duration::ZERO, kind });
    };
    let id = RawId::integer(31);
    let method = "initialize".into();
    push(EventKind::Sent(Sent::Request { id, method, params: None, keep_body: KeepBody::Keep }));
    for chunk in chunks {
        push(EventKind::Stdout(chunk.into()));
    }
    push(EventKind::StdoutEof);
    Box::new(detector).finish()
}

fuzz_target!(|data: &[u8]| {
    let Some((&first, bytes)) = data.split_first() else { return };
    let size = usize::from(first % 32) + 1;
    let mut rules = RuleSet::default();
    if first >= 128 {
        rules.max_frame_bytes = u64::from(first);
    }
    let whole = judge(std::iter::once(bytes), rules.clone());
    let pieces = judge(bytes.chunks(size), rules);
    assert_eq!(whole, pieces);
    if let Outcome::Violation(finding) = &whole.outcome {
        assert!(finding.position.stream().0 <= bytes.len() as u64);
    }
    let held = serde_json::from_slice::<serde_json::Value>(bytes).is_ok();
    if held {
        assert_eq!(check_json_text(bytes), Ok(()));
    }
});
