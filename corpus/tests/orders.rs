//! The orders of events that the process layer leaves open lead to one verdict.
//!
//! stdout and stderr are read from two pipes, so that what came first is not known. Whatever came
//! on stderr may be read before or after what came on stdout; it may also be read only after the
//! next step has begun. It is read before a deadline is said to have passed, before a signal is
//! sent, and before the exit is told. All other orders are fixed.

use std::path::Path;
use std::time::Duration;

use corpus::{Case, Chunking, compare, events, expectation_for, load_all, rule_set};
use inspect::{Detector, Inspector};
use model::{Event, EventKind, ProtocolVersion, Seq, Verdict};

/// Whether what came on stderr may be read before this, though it is told after it.
fn may_come_before(kind: &EventKind<'_>) -> bool {
    matches!(kind, EventKind::Stdout(_) | EventKind::StdoutEof | EventKind::WriteProgress { .. })
}

/// Whether what came on stderr may be read after this, though it is told before it.
fn may_come_after(kind: &EventKind<'_>) -> bool {
    may_come_before(kind)
        || matches!(
            kind,
            EventKind::StepBegan(_) | EventKind::Sent(_) | EventKind::StdinClosed { .. }
        )
}

fn is_stderr(kind: &EventKind<'_>) -> bool {
    matches!(kind, EventKind::Stderr(_) | EventKind::StderrEof)
}

/// Every event of stderr as early as it may be, in their own order.
fn earliest<'a>(kinds: &[EventKind<'a>]) -> Vec<EventKind<'a>> {
    let mut order: Vec<EventKind<'a>> = Vec::new();
    for kind in kinds {
        let mut place = order.len();
        if is_stderr(kind) {
            while place > 0 && may_come_before(&order[place - 1]) {
                place -= 1;
            }
        }
        order.insert(place, kind.clone());
    }
    order
}

/// Every event of stderr as late as it may be, in their own order.
fn latest<'a>(kinds: &[EventKind<'a>]) -> Vec<EventKind<'a>> {
    let mut order: Vec<EventKind<'a>> = Vec::new();
    let mut waiting: Vec<EventKind<'a>> = Vec::new();
    for kind in kinds {
        if is_stderr(kind) {
            waiting.push(kind.clone());
            continue;
        }
        if !may_come_after(kind) {
            order.append(&mut waiting);
        }
        order.push(kind.clone());
    }
    order.append(&mut waiting);
    order
}

/// Every order in which one event of stderr has changed places with its neighbour.
fn swapped<'a>(kinds: &[EventKind<'a>]) -> Vec<Vec<EventKind<'a>>> {
    let pairs = kinds.windows(2).enumerate().filter(|(_, pair)| {
        let later = is_stderr(&pair[0]) && may_come_after(&pair[1]);
        let earlier = may_come_before(&pair[0]) && is_stderr(&pair[1]);
        later || earlier
    });
    pairs
        .map(|(place, _)| {
            let mut order = kinds.to_vec();
            order.swap(place, place + 1);
            order
        })
        .collect()
}

fn judge(case: &Case, kinds: &[EventKind<'_>], version: ProtocolVersion) -> Verdict {
    let mut detector = Box::new(Inspector::new(rule_set(case, Some(version))));
    for (number, kind) in (0..).zip(kinds) {
        let at = Duration::from_millis(number);
        detector.push(&Event { seq: Seq(number), at, kind: kind.clone() });
    }
    detector.finish()
}

#[test]
fn every_order_that_is_left_open_leads_to_the_oracle() {
    let cases = load_all(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("every case can be read");
    let mut wrong = Vec::new();
    let mut judged = 0;
    for case in &cases {
        let told = events(case, Chunking::AsScripted).expect("every script can be played");
        let kinds: Vec<EventKind<'_>> = told.into_iter().map(|event| event.kind).collect();
        let mut orders = swapped(&kinds);
        orders.extend([earliest(&kinds), latest(&kinds)]);
        orders.retain(|order| *order != kinds);
        for version in ProtocolVersion::ALL {
            let Some(expected) = expectation_for(&case.file, version) else { continue };
            for order in &orders {
                judged += 1;
                for difference in compare(expected, &judge(case, order, version)) {
                    wrong.push(format!("{} ({version}): {difference}", case.file.id));
                }
            }
        }
    }
    assert!(judged > 100, "only {judged} orders differ from the one that is told");
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn only_what_is_left_open_is_moved() {
    use model::DeadlineName::Reply;

    let bytes = |text: &'static str| std::borrow::Cow::Borrowed(text.as_bytes());
    let [out, err] = [EventKind::Stdout(bytes("a")), EventKind::Stderr(bytes("b"))];
    let deadline = EventKind::Deadline(Reply);
    let kinds = [err.clone(), out.clone(), deadline.clone(), out.clone(), err.clone()];
    let moved = [out.clone(), err.clone(), deadline.clone(), out.clone(), err.clone()];
    assert_eq!(latest(&kinds), moved);
    let moved = [err.clone(), out.clone(), deadline, err, out];
    assert_eq!(earliest(&kinds), moved);
    assert_eq!(swapped(&kinds).len(), 2);
}
