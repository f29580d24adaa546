//! Whole sessions: the order of events, and the bytes that the server sees.

use drive::{Ending, Expiry, Origin, ToolCall};
use model::{
    Cleanliness, DeadlineName, EventKind, ExitStatus, LadderStepName, Outcome, ReapState, Sent,
};

use crate::support::{HANDSHAKE_AND_UNKNOWN, STARTUP, events, play, server, told};

#[test]
fn a_whole_session_in_lockstep() {
    let mut session = server(
        r#"
        handshake '{"tools":{},"resources":{}}'
        hear; hear; hear
        result '"list-5"' '{}'
        say '{"jsonrpc":"2.0","method":"notifications/message"}'
        result '"list-3"' '{"tools":[{"name":"echo"}],"nextCursor":"p\u0032"}'
        result '"list-6"' '{}'
        hear; result '"list-3.2"' '{"tools":[]}'
        hear; result 42 '{"content":[]}'
        unknown
        rest
        "#,
    );
    session.plan.calls.push(ToolCall::new("echo", "{\"n\":\n1e400}").unwrap());
    let run = play(&session);

    assert_eq!(
        told(&run),
        events(&[
            &STARTUP,
            &["step handshake", "sent notifications/initialized"],
            &[
                "step discovery",
                "sent tools/list",
                "sent resources/list",
                "sent resources/templates/list"
            ],
            &["step discovery", "sent tools/list"],
            &["step call", "sent tools/call"],
            &["step call", "sent mcp-stdio-probe/unknown"],
            &["step shutdown", "we closed stdin", "end of stdout", "exited 0"],
        ])
    );
    let heard = str::from_utf8(run.transcript.stderr().bytes()).unwrap();
    assert_eq!(
        heard.lines().collect::<Vec<_>>(),
        [
            r#"{"jsonrpc":"2.0","id":31,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mcp-stdio-probe","version":"1"}}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":"list-3","method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":"list-5","method":"resources/list"}"#,
            r#"{"jsonrpc":"2.0","id":"list-6","method":"resources/templates/list"}"#,
            r#"{"jsonrpc":"2.0","id":"list-3.2","method":"tools/list","params":{"cursor":"p\u0032"}}"#,
            r#"{"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":"echo","arguments":{"n": 1e400}}}"#,
            r#"{"jsonrpc":"2.0","id":71,"method":"mcp-stdio-probe/unknown"}"#,
        ]
    );
    assert_eq!(run.verdict.outcome, Outcome::ValidStdout);

    let telemetry = run.telemetry;
    assert_eq!(telemetry.executable.as_deref(), Some("/bin/sh".as_ref()));
    assert_eq!(telemetry.directory, std::env::current_dir().ok());
    assert_eq!(telemetry.ending, Some(Ending::PlanCompleted));
    assert_eq!(telemetry.exit_status, Some(ExitStatus::SUCCESS));
    assert_eq!(telemetry.timeout_phase, None);
    assert_eq!(telemetry.stderr.lines, 8);
    assert_eq!(telemetry.stderr.head, run.transcript.stderr().bytes());
    assert_eq!(telemetry.cleanup.process, Cleanliness::Clean);
    assert_eq!(telemetry.cleanup.readers, Cleanliness::Clean);
    assert_eq!(telemetry.cleanup.child_reaped, ReapState::Reaped);
    let steps: Vec<_> = telemetry.cleanup.steps.iter().map(|step| step.name).collect();
    assert_eq!(steps, [LadderStepName::CloseStdin, LadderStepName::Reap]);
    let deadlines: Vec<_> = telemetry.deadlines.iter().map(|record| record.name).collect();
    assert_eq!(
        deadlines,
        [
            DeadlineName::Startup,
            DeadlineName::Reply,
            DeadlineName::Reply,
            DeadlineName::Reply,
            DeadlineName::Reply,
            DeadlineName::Total,
            DeadlineName::ShutdownEof,
        ]
    );
    assert!(telemetry.deadlines.iter().all(|record| record.expiry == Expiry::NotExpired));
    let mark = telemetry.environment.iter().find(|variable| variable.name == "DRIVE_TEST_RUN");
    assert_eq!(mark.map(|variable| variable.origin), Some(Origin::Set));
    let path = telemetry.environment.iter().find(|variable| variable.name == "PATH");
    assert_eq!(path.map(|variable| variable.origin), Some(Origin::Inherited));
}

#[test]
fn a_message_is_told_before_it_is_written_and_before_stdout_is_read_again() {
    // The server answers and is gone: with nothing read in between, the next request was sent.
    let run = play(&server("initialize; exit 0"));
    let told = told(&run);
    assert_eq!(told[..6], events(&[&STARTUP, &HANDSHAKE_AND_UNKNOWN]));
    assert_eq!(told[told.len() - 2..], ["end of stdout", "exited 0"]);
    assert!(!told.contains(&"step shutdown".to_owned()));
    assert_eq!(run.telemetry.ending, Some(Ending::Exited));

    let kinds: Vec<_> = run.transcript.events().map(|event| event.kind).collect();
    let first = |wanted: fn(&EventKind<'_>) -> bool| kinds.iter().position(wanted).unwrap();
    let sent = first(|kind| matches!(kind, EventKind::Sent(Sent::Request { .. })));
    let written = first(|kind| matches!(kind, EventKind::WriteProgress { .. }));
    let read = first(|kind| matches!(kind, EventKind::Stdout(_)));
    assert!(sent < written && written < read);
    let handshake = first(|kind| matches!(kind, EventKind::Sent(Sent::Notification { .. })));
    assert!(
        kinds[read + 1..handshake]
            .iter()
            .all(|kind| matches!(kind, EventKind::StepBegan(_) | EventKind::Stderr(_)))
    );
}

#[test]
fn the_servers_requests_are_answered() {
    let run = play(&server(
        r#"
        hear
        say '{"jsonrpc":"2.0","id":"\u0061","method":"ping"}'
        hear
        say '{"jsonrpc":"2.0","id":7,"method":"roots/list"}'
        hear
        result 31 '{"capabilities":{}}'
        hear; unknown; rest
        "#,
    ));
    assert_eq!(
        told(&run),
        events(&[
            &STARTUP,
            &["replied to \"a\"", "replied to 7"],
            &HANDSHAKE_AND_UNKNOWN,
            &["step shutdown", "we closed stdin", "end of stdout", "exited 0"],
        ])
    );
    let heard = str::from_utf8(run.transcript.stderr().bytes()).unwrap();
    let heard: Vec<_> = heard.lines().collect();
    assert_eq!(heard[1], r#"{"jsonrpc":"2.0","id":"a","result":{}}"#);
    assert_eq!(
        heard[2],
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found"}}"#
    );
}

#[test]
fn an_error_reply_to_initialize_leads_to_the_shutdown() {
    let run = play(&server("hear; error 31; rest"));
    assert_eq!(
        told(&run),
        events(&[&STARTUP, &["step shutdown", "we closed stdin", "end of stdout", "exited 0"],])
    );
}

#[test]
fn a_tool_that_is_not_listed_cannot_be_tested() {
    let mut session = server(
        r#"
        handshake '{"tools":{}}'
        hear; result '"list-3"' '{"tools":[{"name":"other"}]}'
        rest
        "#,
    );
    session.plan.calls.push(ToolCall::new("echo", "{}").unwrap());
    let run = play(&session);
    assert_eq!(
        told(&run),
        events(&[
            &STARTUP,
            &["step handshake", "sent notifications/initialized"],
            &["step discovery", "sent tools/list"],
            &["not listed: echo"],
            &["step shutdown", "we closed stdin", "end of stdout", "exited 0"],
        ])
    );
}

#[test]
fn a_reply_that_cannot_be_read_cannot_be_tested() {
    let run = play(&server("hear; result 31 '{}'; rest"));
    assert_eq!(
        told(&run),
        events(&[
            &STARTUP,
            &["not readable: initialize"],
            &["step shutdown", "we closed stdin", "end of stdout", "exited 0"],
        ])
    );
}

#[test]
fn a_final_verdict_ends_the_session_at_once_and_what_follows_is_still_read() {
    let run = play(&server("hear; say hello; rest; say 'good bye'"));
    assert_eq!(
        told(&run),
        events(&[&STARTUP, &["step shutdown", "we closed stdin", "end of stdout", "exited 0"],])
    );
    assert_eq!(run.transcript.stdout().bytes(), b"hello\ngood bye\n");
    assert_eq!(run.telemetry.ending, Some(Ending::VerdictFinal));
}

#[test]
fn an_exit_before_anything_is_told_after_the_end_of_stdout() {
    let run = play(&server("exit 3"));
    let told = told(&run);
    // Whether the first message could still be written is a race that no order settles.
    assert_eq!(told[..2], STARTUP);
    assert_eq!(told[told.len() - 2..], ["end of stdout", "exited 3"]);
    assert_eq!(run.telemetry.exit_status, Some(ExitStatus::Code(3)));
    assert_eq!(run.telemetry.cleanup.process, Cleanliness::Clean);
}

#[test]
fn a_death_by_signal_is_told_as_one() {
    let run = play(&server("hear; kill -ABRT $$"));
    assert_eq!(told(&run), events(&[&STARTUP, &["end of stdout", "killed by 6"]]));
}
