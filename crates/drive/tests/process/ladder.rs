//! Deadlines and the shutdown ladder.

use std::time::Duration;

use drive::{Ending, Expiry, Session, TotalBudget, run_blocking};
use model::{Cleanliness, DeadlineName, ExitStatus, LadderStepName, Phase, ReapState};
use rstest::rstest;

use crate::support::{
    HANDSHAKE_AND_UNKNOWN, SHORT, STARTUP, Scripted, events, left, play, server, told,
};

/// A server that answers everything and then does this.
fn after_the_plan(then: &str) -> Session {
    server(&format!("handshake; unknown; {then}"))
}

#[test]
fn a_server_that_goes_on_after_the_end_of_stdin_is_terminated() {
    let mut session = after_the_plan("rest; exec sleep 600");
    session.budgets.shutdown = SHORT;
    let run = play(&session);
    assert_eq!(
        told(&run),
        events(&[
            &STARTUP,
            &HANDSHAKE_AND_UNKNOWN,
            &["step shutdown", "we closed stdin"],
            &["usage", "deadline shutdown-eof", "sent SIGTERM"],
            &["end of stdout", "killed by 15"],
        ])
    );
    let telemetry = run.telemetry;
    assert_eq!(telemetry.cleanup.process, Cleanliness::Escalated);
    assert_eq!(telemetry.cleanup.readers, Cleanliness::Clean);
    assert_eq!(telemetry.ending, Some(Ending::PlanCompleted));
    assert_eq!(telemetry.timeout_phase, None);
    let last = telemetry.deadlines.last().unwrap();
    assert_eq!((last.name, last.expiry), (DeadlineName::ShutdownTerm, Expiry::NotExpired));
}

#[test]
fn a_server_that_ignores_sigterm_is_killed_with_its_group() {
    let mut session = after_the_plan("trap '' TERM; rest; sleep 600; sleep 600");
    session.budgets.shutdown = SHORT;
    let run = play(&session);
    let told = told(&run);
    assert_eq!(
        told[9..13],
        ["deadline shutdown-eof", "sent SIGTERM", "deadline shutdown-term", "sent SIGKILL",]
    );
    // The child that is killed with it may let go of stdout a moment later.
    assert_eq!(told.last().unwrap(), "killed by 9");
    assert_eq!(run.telemetry.exit_status, Some(ExitStatus::Signal(9)));
    assert_eq!(run.telemetry.cleanup.process, Cleanliness::Escalated);
    assert_eq!(run.telemetry.cleanup.child_reaped, ReapState::Reaped);
    let steps: Vec<_> = run.telemetry.cleanup.steps.iter().map(|step| step.name).collect();
    assert_eq!(
        steps,
        [
            LadderStepName::CloseStdin,
            LadderStepName::Terminate,
            LadderStepName::Kill,
            LadderStepName::Reap
        ]
    );
}

#[test]
fn a_stopped_server_can_be_terminated() {
    let mut session = after_the_plan("rest; kill -STOP $$; exit 0");
    session.budgets.shutdown = SHORT;
    let run = play(&session);
    assert_eq!(run.telemetry.exit_status, Some(ExitStatus::Signal(15)));
    assert_eq!(run.telemetry.cleanup.process, Cleanliness::Escalated);
}

#[rstest]
#[case::startup("rest; exec sleep 600", DeadlineName::Startup, Phase::Startup)]
#[case::reply("handshake; rest; exec sleep 600", DeadlineName::Reply, Phase::Call)]
fn silence_is_a_deadline_of_its_step(
    #[case] script: &str,
    #[case] name: DeadlineName,
    #[case] phase: Phase,
) {
    let mut session = server(script);
    match name {
        DeadlineName::Startup => session.budgets.startup = SHORT,
        _ => session.budgets.reply = SHORT,
    }
    session.budgets.shutdown = SHORT;
    let run = play(&session);
    let told = told(&run);
    let deadline = told.iter().position(|event| event.starts_with("deadline")).unwrap();
    assert_eq!(
        told[deadline..],
        events(&[
            &[&format!("deadline {name}"), "step shutdown", "we closed stdin"],
            &["usage", "deadline shutdown-eof", "sent SIGTERM"],
            &["end of stdout", "killed by 15"],
        ])
    );
    assert_eq!(run.telemetry.timeout_phase, Some(phase));
    assert_eq!(run.telemetry.ending, Some(Ending::Deadline(name)));
    let record = run.telemetry.deadlines.iter().find(|record| record.name == name).unwrap();
    assert_eq!((record.budget, record.phase), (SHORT, phase));
    assert_eq!(record.expiry, Expiry::Expired);
    assert!(record.elapsed >= SHORT);
}

#[test]
fn the_total_ends_a_session_whose_steps_are_all_in_time() {
    let mut session = server("handshake; exec sleep 600");
    session.budgets.total = TotalBudget::Exactly(SHORT);
    session.budgets.shutdown = SHORT;
    let run = play(&session);
    assert!(told(&run).contains(&"deadline total".to_owned()));
    assert_eq!(run.telemetry.ending, Some(Ending::Deadline(DeadlineName::Total)));
}

#[test]
fn a_deadline_passes_though_stdout_is_never_empty() {
    let mut session = server(
        r#"hear; while :; do say '{"jsonrpc":"2.0","method":"notifications/message"}'; done"#,
    );
    session.budgets.startup = SHORT;
    session.budgets.shutdown = SHORT;
    let run = play(&session);
    assert!(told(&run).contains(&"deadline startup".to_owned()));
    assert!(run.telemetry.elapsed < Duration::from_secs(20));

    let mut session = server("hear; exec yes '{\"jsonrpc\":\"2.0\",\"method\":\"m\"}'");
    session.budgets.startup = SHORT;
    session.budgets.shutdown = SHORT;
    let run = play(&session);
    assert!(told(&run).contains(&"deadline startup".to_owned()));
    assert!(run.telemetry.elapsed < Duration::from_secs(40));
}

#[test]
fn a_stop_closes_stdin_and_terminates_at_once() {
    let mut session = server("handshake; exec sleep 600");
    session.budgets.leak_window = SHORT;
    let (heard, stop) = tokio::sync::oneshot::channel();
    let mut heard = Some(heard);
    let mut observer = |event: &model::Event<'_>, _: &inspect::Step| {
        // Once the handshake was heard there is something to stop.
        if matches!(event.kind, model::EventKind::StepBegan(Phase::Call)) {
            heard.take().map(|heard| heard.send(()));
        }
    };
    let stop = async { stop.await.unwrap() };
    let run = run_blocking(&session, Box::new(Scripted::default()), &mut observer, stop);
    assert_eq!(left(&session), [0; 0]);
    assert_eq!(
        told(&run),
        events(&[
            &STARTUP,
            &HANDSHAKE_AND_UNKNOWN,
            &["stopped", "step shutdown", "we closed stdin", "sent SIGTERM"],
            &["end of stdout", "killed by 15"],
        ])
    );
    assert_eq!(run.telemetry.ending, Some(Ending::Stopped));
    assert_eq!(run.telemetry.cleanup.process, Cleanliness::Escalated);
    assert!(run.telemetry.elapsed < session.budgets.shutdown);
}
