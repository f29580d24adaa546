//! Full pipes, closed pipes, floods and caps.

use std::time::Duration;

use drive::{Ending, ToolCall};
use model::{CapName, Cleanliness, EventKind};

use crate::support::{HANDSHAKE_AND_UNKNOWN, SHORT, STARTUP, events, play, server, told};

const SHUTDOWN: [&str; 4] = ["step shutdown", "we closed stdin", "end of stdout", "exited 0"];

#[test]
fn a_flood_on_stderr_holds_nothing_up() {
    let session = server("head -c 8388608 /dev/zero >&2; handshake; unknown; rest");
    let run = play(&session);
    assert_eq!(told(&run), events(&[&STARTUP, &HANDSHAKE_AND_UNKNOWN, &SHUTDOWN]));
    let stderr = run.telemetry.stderr;
    assert!(stderr.bytes > 8_388_608);
    assert_eq!(stderr.head.len(), 16 * 1024);
    assert_eq!(stderr.tail.len(), 48 * 1024);
    assert_eq!(stderr.dropped, stderr.bytes - 64 * 1024);
    assert!(stderr.tail.ends_with(b"mcp-stdio-probe/unknown\"}\n"));
    assert_eq!(run.transcript.stderr().bytes().len(), 1024 * 1024);
    assert!(!run.transcript.is_complete());
}

#[test]
fn a_message_longer_than_a_pipe_is_written_while_the_server_reads() {
    let mut session = server(
        r#"
        handshake '{"tools":{}}'
        hear; result '"list-3"' '{"tools":[{"name":"big"}]}'
        IFS= read -r line; result 42 "{\"length\":${#line}}"
        unknown; rest
        "#,
    );
    let argument = format!("{{\"text\":\"{}\"}}", "x".repeat(300_000));
    session.plan.calls.push(ToolCall::new("big", &argument).unwrap());
    let run = play(&session);
    assert_eq!(run.telemetry.ending, Some(Ending::PlanCompleted));
    let stdout = str::from_utf8(run.transcript.stdout().bytes()).unwrap();
    let length = 300_000 + r#"{"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":"big","arguments":{"text":""}}}"#.len();
    assert!(stdout.contains(&format!("{{\"length\":{length}}}")), "{stdout}");
}

#[test]
fn a_server_that_never_reads_a_long_message_is_timed_out_while_it_is_written() {
    let mut session = server(
        r#"
        handshake '{"tools":{}}'
        hear; result '"list-3"' '{"tools":[{"name":"big"}]}'
        exec sleep 600
        "#,
    );
    let argument = format!("{{\"text\":\"{}\"}}", "x".repeat(300_000));
    session.plan.calls.push(ToolCall::new("big", &argument).unwrap());
    session.budgets.reply = SHORT;
    session.budgets.shutdown = SHORT;
    let run = play(&session);
    let told = told(&run);
    assert_eq!(
        told[told.len() - 9..],
        [
            "sent tools/call",
            "deadline reply",
            "step shutdown",
            "we closed stdin",
            "usage",
            "deadline shutdown-eof",
            "sent SIGTERM",
            "end of stdout",
            "killed by 15"
        ]
    );
    let last = run.transcript.events().filter_map(|event| match event.kind {
        EventKind::WriteProgress { written, total } => Some((written, total)),
        _ => None,
    });
    let (written, total) = last.last().unwrap();
    assert!(written > 0 && written < total, "{written} of {total}");
    let untaken = run.telemetry.cleanup.stdin_at_deadline.unwrap();
    assert!(untaken.unread > 0 && untaken.unwritten > 0, "{untaken:?}");
    assert!(untaken.unread + untaken.unwritten > 300_000, "{untaken:?}");
}

#[test]
fn a_server_that_closes_stdin_is_still_read() {
    let run = play(&server(
        r#"
        hear; exec 0<&-
        result 31 '{"capabilities":{}}'
        say '{"jsonrpc":"2.0","method":"notifications/message"}'
        exit 4
        "#,
    ));
    assert_eq!(
        told(&run),
        events(&[
            &STARTUP,
            &HANDSHAKE_AND_UNKNOWN,
            &["write failed", "server closed stdin", "end of stdout", "exited 4"],
        ])
    );
    assert!(run.transcript.stdout().bytes().ends_with(b"notifications/message\"}\n"));
}

#[test]
fn a_server_that_closes_stdout_and_lives_on_has_a_grace() {
    let mut session = server("hear; exec 1>&-; rest");
    session.budgets.exit_grace = SHORT;
    let run = play(&session);
    assert_eq!(
        told(&run),
        events(&[
            &STARTUP,
            &["end of stdout", "deadline exit-grace", "step shutdown", "we closed stdin"],
            &["exited 0"],
        ])
    );
    assert_eq!(run.telemetry.cleanup.process, Cleanliness::Clean);
}

#[test]
fn a_server_that_closes_stdout_and_exits_is_in_time() {
    let run = play(&server("hear; exec 1>&-; exit 5"));
    assert_eq!(told(&run), events(&[&STARTUP, &["end of stdout", "exited 5"]]));
}

#[test]
fn a_server_that_closes_stdout_when_stdin_ends_may_take_its_time() {
    let run = play(&server("handshake; unknown; rest; exec 1>&-; sleep 0.2; exit 0"));
    assert_eq!(told(&run), events(&[&STARTUP, &HANDSHAKE_AND_UNKNOWN, &SHUTDOWN]));
}

#[test]
fn stdout_beyond_the_cap_ends_the_session() {
    let mut session = server("hear; exec yes '{\"jsonrpc\":\"2.0\",\"method\":\"m\"}'");
    session.caps.stdout_total = 100_001;
    let run = play(&session);
    let told = told(&run);
    assert_eq!(
        told[..5],
        events(&[&STARTUP, &["cap total-stdout", "step shutdown", "we closed stdin"]])
    );
    assert_eq!(run.transcript.stdout().len(), 100_001);
    assert_eq!(run.telemetry.ending, Some(Ending::Cap(CapName::TotalStdout)));
    // Nobody reads any more, so the next write ends it without a signal of ours.
    assert_eq!(told[5..], ["killed by 13"]);
    assert_eq!(run.telemetry.cleanup.process, Cleanliness::Clean);
}

#[test]
fn stdout_that_just_fills_the_cap_is_whole() {
    let mut session = server("handshake; unknown; rest");
    session.caps.stdout_total = play(&session).transcript.stdout().len();
    let run = play(&session);
    assert_eq!(told(&run), events(&[&STARTUP, &HANDSHAKE_AND_UNKNOWN, &SHUTDOWN]));
    session.caps.stdout_total -= 1;
    assert!(told(&play(&session)).contains(&"cap total-stdout".to_owned()));
}

#[test]
fn what_follows_a_final_verdict_is_read_up_to_a_cap() {
    let mut session = server("hear; exec yes hello");
    session.caps.stdout_drain = 200_000;
    let run = play(&session);
    // What was read before the verdict was final is at most one buffer.
    let read = run.transcript.stdout().len();
    assert!((200_000..=200_000 + 64 * 1024).contains(&read), "{read}");
    assert_eq!(
        told(&run),
        events(&[&STARTUP, &["step shutdown", "we closed stdin", "killed by 13"]])
    );
    assert_eq!(run.telemetry.cleanup.readers, Cleanliness::Unknown);
}

#[test]
fn both_pipes_are_read_at_once() {
    let line = r#"{"jsonrpc":"2.0","method":"notifications/message"}"#;
    let run = play(&server(&format!(
        "hear; yes '{line}' | head -c 2000041 >/dev/null; \
         (head -c 3000000 /dev/zero >&2) & yes '{line}' | head -n 40000; wait; \
         result 31 '{{\"capabilities\":{{}}}}'; hear; unknown; rest"
    )));
    assert_eq!(told(&run), events(&[&STARTUP, &HANDSHAKE_AND_UNKNOWN, &SHUTDOWN]));
    assert!(run.telemetry.stderr.bytes > 3_000_000);
}

/// A server that answers everything, but first asks so much that the answers fill its stdin.
fn asking(then: &str) -> drive::Session {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    server(&format!("handshake; yes '{ping}' | head -n 3000; error 71; {then}"))
}

#[test]
fn what_waits_is_written_before_stdin_is_closed() {
    let run = play(&asking("cat >&2; exit 0"));
    let told = told(&run);
    assert_eq!(told[told.len() - 4..], SHUTDOWN);
    let heard = run.transcript.stderr().bytes();
    let answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
    let all = [&answer.repeat(2999), answer].concat();
    assert!(heard.ends_with(all.as_bytes()));
}

#[test]
fn what_nobody_reads_holds_up_the_shutdown_for_one_step() {
    let mut session = asking("exec sleep 600");
    session.budgets.shutdown = SHORT;
    let run = play(&session);
    let told = told(&run);
    assert_eq!(
        told[told.len() - 7..],
        [
            "step shutdown",
            "we closed stdin",
            "usage",
            "deadline shutdown-eof",
            "sent SIGTERM",
            "end of stdout",
            "killed by 15"
        ]
    );
    assert_eq!(run.telemetry.ending, Some(Ending::PlanCompleted));
}

#[test]
fn a_flood_on_stdout_keeps_no_deadline_from_passing() {
    let mut session = server(
        r#"hear; exec yes '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'"#,
    );
    session.caps.stdout_total = u64::MAX;
    session.budgets.startup = SHORT;
    session.budgets.shutdown = SHORT;
    let run = play(&session);
    assert!(told(&run).contains(&"deadline startup".to_owned()));
    assert!(run.telemetry.elapsed < Duration::from_secs(20), "{:?}", run.telemetry.elapsed);
}
