//! Whatever ends a run, nothing is left of it.

use std::future::pending;
use std::panic::{AssertUnwindSafe, catch_unwind};

use inspect::{Detector, Step};
use model::{Event, EventKind, Phase, Verdict};

use crate::support::{Scripted, left, server};

#[test]
fn a_dropped_run_leaves_nothing() {
    let session = server("trap '' TERM; handshake; sleep 600 & sleep 600; sleep 600");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (heard, alive) = tokio::sync::oneshot::channel();
        let mut heard = Some(heard);
        let mut observer = |event: &Event<'_>, _: &Step| {
            if matches!(event.kind, EventKind::StepBegan(Phase::Call)) {
                heard.take().map(|heard| heard.send(()));
            }
        };
        let run = drive::run(&session, Box::new(Scripted::default()), &mut observer, pending());
        tokio::select! {
            _ = run => panic!("the server never answers"),
            _ = alive => {}
        }
        assert_gone(&session).await;
    });
}

/// Detects nothing, but panics at the first byte.
struct Panics;

impl Detector for Panics {
    fn push(&mut self, event: &Event<'_>) -> Step {
        assert!(!matches!(event.kind, EventKind::Stdout(_)), "a byte");
        Step { accepted: Vec::new(), state: inspect::State::Go }
    }

    fn finish(self: Box<Self>) -> Verdict {
        unreachable!("it has panicked before")
    }
}

#[test]
fn a_panic_leaves_nothing() {
    let session = server("sleep 600 & handshake; sleep 600");
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        drive::run_blocking(&session, Box::new(Panics), &mut (), pending())
    }));
    assert!(panicked.is_err());
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap()
        .block_on(assert_gone(&session));
}

/// The guard reaps the launched process; its killed descendants are others' to reap, so they may
/// take a moment to be gone.
async fn assert_gone(session: &drive::Session) {
    for _ in 0..500 {
        if left(session).is_empty() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("processes are left: {:?}", left(session));
}
