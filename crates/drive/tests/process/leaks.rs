//! Processes and pipes that outlive the launched process.

use std::time::Duration;

use drive::{Ending, Session};
use model::{Cleanliness, LadderStepName};

use crate::support::{HANDSHAKE_AND_UNKNOWN, SHORT, STARTUP, events, play, server, told};

fn leaking(script: &str) -> Session {
    let mut session = server(script);
    session.budgets.leak_window = SHORT;
    session
}

#[test]
fn a_descendant_that_holds_stdout_is_waited_for_no_longer_than_its_window() {
    let run = play(&leaking("handshake; unknown; sleep 600 & rest; exit 0"));
    assert_eq!(
        told(&run),
        events(&[
            &STARTUP,
            &HANDSHAKE_AND_UNKNOWN,
            &["step shutdown", "we closed stdin"],
            &["step after-exit", "stdout still held", "exited 0", "strays 1"],
        ])
    );
    let cleanup = run.telemetry.cleanup;
    assert_eq!(cleanup.process, Cleanliness::Leaked);
    assert_eq!(cleanup.readers, Cleanliness::Leaked);
    assert_eq!(cleanup.strays, 1);
    assert_eq!(cleanup.steps.last().unwrap().name, LadderStepName::KillStrays);
}

#[test]
fn a_descendant_that_lets_go_of_stdout_ends_the_window_early() {
    let session = server(
        r#"
        hear
        (sleep 0.2; say '{"jsonrpc":"2.0","method":"notifications/message"}') &
        exit 0
        "#,
    );
    let run = play(&session);
    assert_eq!(
        told(&run),
        events(&[&STARTUP, &["step after-exit", "end of stdout", "stdout let go", "exited 0"],])
    );
    assert_eq!(run.transcript.stdout().bytes().last(), Some(&b'\n'));
    assert_eq!(run.telemetry.ending, Some(Ending::Exited));
    assert_eq!(run.telemetry.cleanup.process, Cleanliness::Clean);
    assert!(run.telemetry.elapsed < session.budgets.leak_window);
}

#[test]
fn a_reply_after_the_exit_is_read_and_nothing_is_asked_any_more() {
    let run = play(&server("hear; (sleep 0.2; result 31 '{\"capabilities\":{}}') & exit 0"));
    assert_eq!(
        told(&run),
        events(&[&STARTUP, &["step after-exit", "end of stdout", "stdout let go", "exited 0"],])
    );
    assert_eq!(run.verdict.accepted, 1);
}

#[test]
fn a_stray_that_holds_no_pipe_is_counted() {
    let run = play(&leaking(
        "for _ in 1 2 3; do sleep 600 >/dev/null 2>&1 <&1 & done; handshake; unknown; rest",
    ));
    // Until each has let go of stdout it holds it, so there may be a window before this.
    let told = told(&run);
    assert_eq!(told[told.len() - 2..], ["exited 0", "strays 3"]);
    assert_eq!(run.telemetry.cleanup.readers, Cleanliness::Clean);
    assert_eq!(run.telemetry.cleanup.process, Cleanliness::Leaked);
    assert_eq!(run.telemetry.cleanup.strays, 3);
}

#[test]
fn a_helper_that_ends_a_moment_after_its_parent_is_no_stray() {
    let session = server("handshake; unknown; sleep 0.3 >/dev/null 2>&1 <&1 & rest");
    let run = play(&session);
    assert_eq!(run.telemetry.cleanup.process, Cleanliness::Clean);
    assert_eq!(run.telemetry.cleanup.strays, 0);
    assert!(run.telemetry.elapsed < session.budgets.leak_window);
}

#[test]
fn a_descendant_that_holds_stderr_is_waited_for_too() {
    let run = play(&server("handshake; unknown; (sleep 0.3; echo late >&2) >/dev/null & rest"));
    assert!(run.transcript.stderr().bytes().ends_with(b"late\n"));
    assert_eq!(run.telemetry.cleanup.readers, Cleanliness::Clean);

    let run = play(&leaking("handshake; unknown; sleep 600 >/dev/null & rest"));
    assert_eq!(run.telemetry.cleanup.readers, Cleanliness::Leaked);
    assert_eq!(run.telemetry.cleanup.strays, 1);
}

#[test]
fn a_flood_from_a_descendant_does_not_hold_up_the_end() {
    let mut session = leaking("hear; yes '{\"jsonrpc\":\"2.0\",\"method\":\"m\"}' & exit 0");
    session.caps.stdout_total = u64::MAX;
    let run = play(&session);
    let told = told(&run);
    assert_eq!(told[2..5], ["step after-exit", "stdout still held", "exited 0"]);
    assert!(run.telemetry.elapsed < Duration::from_secs(30));
}
