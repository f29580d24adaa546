//! Descendants that begin a session of their own, which a process that is not their parent cannot
//! tell from a stranger's. One at a time, and apart from the other tests: each would be in doubt
//! of the other's.

#[expect(dead_code, reason = "the other tests use the rest of it")]
#[path = "../process/support.rs"]
mod support;

use std::sync::{Mutex, PoisonError};

use drive::{Run, Session};
use model::{Cleanliness, EventKind, ExitStatus, Held};
use rustix::process::{Pid, Signal, kill_process};

use support::{SHORT, Scripted, left, server};

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs a session whose server leaves a daemon, and ends the daemon.
fn play(script: &str) -> Run {
    let _one_at_a_time = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let mut session: Session = server(script);
    session.budgets.leak_window = SHORT;
    let run = drive::run_blocking(
        &session,
        Box::new(Scripted::default()),
        &mut (),
        std::future::pending(),
    );
    let daemons = left(&session);
    assert_eq!(daemons.len(), 1, "the daemon is there");
    for pid in daemons {
        let pid = Pid::from_raw(pid).expect("it has a number");
        kill_process(pid, Signal::KILL).expect("it is there");
    }
    assert_eq!(run.telemetry.exit_status, Some(ExitStatus::SUCCESS));
    run
}

#[test]
fn one_that_holds_stdout_is_seen_by_that() {
    let run = play("handshake; unknown; setsid sleep 600 & rest");
    let held = EventKind::LeakWindowEnded { stdout: Held::Open };
    assert!(run.transcript.events().any(|event| event.kind == held));
    assert_eq!(run.telemetry.cleanup.readers, Cleanliness::Leaked);
    assert_eq!(run.telemetry.cleanup.process, Cleanliness::Unknown);
}

#[test]
fn one_that_holds_nothing_is_unknown_and_never_clean() {
    let run = play("handshake; unknown; (setsid sleep 600 </dev/null >/dev/null 2>&1 &); rest");
    assert_eq!(run.telemetry.cleanup.readers, Cleanliness::Clean);
    assert_eq!(run.telemetry.cleanup.process, Cleanliness::Unknown);
}
