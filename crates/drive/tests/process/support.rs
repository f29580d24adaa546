//! A scripted detector, servers in shell, and the census.

use std::collections::BTreeSet;
use std::fs;
use std::future::pending;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use drive::{Budgets, LaunchSpec, Run, Session, run_blocking};
use inspect::{Accepted, Detector, State, Step};
use model::{
    Cleanliness, Cut, Event, EventKind, ExitStatus, Held, Inconclusive, MessageKind, Outcome,
    Phase, RawId, Sent, Side, Untested, Verdict,
};
use serde_json::Value;

/// Shell functions and replies that the scripts share. `hear` tells on stderr what it heard.
const PRELUDE: &str = r#"
say() { printf '%s\n' "$1"; }
hear() { IFS= read -r line && printf '%s\n' "$line" >&2; }
result() { say "{\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":$2}"; }
error() { say "{\"jsonrpc\":\"2.0\",\"id\":$1,\"error\":{\"code\":-32601,\"message\":\"no\"}}"; }
initialize() { hear; result 31 "{\"capabilities\":${1:-{\}}}"; }
handshake() { initialize "$@"; hear; }
unknown() { hear; error 71; }
rest() { while hear; do :; done; }
"#;

/// A session with a server that is this shell script.
pub(crate) fn server(script: &str) -> Session {
    let launch = LaunchSpec::new("/bin/sh").args(["-c", &format!("{PRELUDE}\n{script}")]);
    let generous = Duration::from_secs(40);
    let mut session = marked(launch);
    session.budgets = Budgets {
        startup: generous,
        reply: generous,
        shutdown: generous,
        exit_grace: generous,
        leak_window: generous,
        total: drive::TotalBudget::Fitted,
    };
    session
}

/// A session of this command, with a mark by which the census knows its processes.
pub(crate) fn marked(mut launch: LaunchSpec) -> Session {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let mark = format!("{}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
    launch.set.push((MARK.into(), mark.into()));
    Session::new(launch)
}

/// A deadline that is meant to pass.
pub(crate) const SHORT: Duration = Duration::from_millis(300);

/// What the census looks for in the environment of every process.
const MARK: &str = "DRIVE_TEST_RUN";

/// Runs a session with the scripted detector, and demands that no process of it is left.
pub(crate) fn play(session: &Session) -> Run {
    let run = run_blocking(session, Box::new(Scripted::default()), &mut (), pending());
    assert_eq!(left(session), [0; 0], "processes are left");
    assert_ordered(&run);
    run
}

/// Demands what holds of the events of every run, whatever happens in it.
pub(crate) fn assert_ordered(run: &Run) {
    let events: Vec<_> = run.transcript.events().collect();
    if run.transcript.left_out() == 0 {
        assert!(events.is_sorted_by_key(|event| event.at));
    }
    let place = |wanted: &dyn Fn(&EventKind<'_>) -> bool| {
        events.iter().position(|event| wanted(&event.kind))
    };
    let last = |wanted: &dyn Fn(&EventKind<'_>) -> bool| {
        events.iter().rposition(|event| wanted(&event.kind))
    };
    let eof = place(&|kind| *kind == EventKind::StdoutEof);
    let window = place(&|kind| matches!(kind, EventKind::LeakWindowEnded { .. }));
    let shutdown = place(&|kind| *kind == EventKind::StepBegan(Phase::Shutdown));
    let after_exit = place(&|kind| *kind == EventKind::StepBegan(Phase::AfterExit));
    let closed = place(&|kind| *kind == EventKind::StdinClosed { by: Side::Client });
    let exited = place(&|kind| matches!(kind, EventKind::Exited(_)));
    let census = place(&|kind| matches!(kind, EventKind::Census { .. }));

    // Stdout is not read after its end, nor after the exit was told.
    let bytes = last(&|kind| matches!(kind, EventKind::Stdout(_)));
    if let Some(bytes) = bytes {
        assert!(eof.is_none_or(|eof| bytes < eof));
        assert!(exited.is_none_or(|exited| bytes < exited));
    }
    // The exit comes after the end of stdout or of its window, unless we stopped reading.
    let cut = run.telemetry.cleanup.readers == Cleanliness::Unknown;
    if let Some(exited) = exited {
        assert!(cut || eof.or(window).is_some_and(|end| end < exited));
        assert!(census.is_none_or(|census| exited < census));
    }
    // A window has a beginning, and an end unless we stopped reading.
    assert!(window.is_none_or(|window| after_exit.is_some_and(|begin| begin < window)));
    assert!(after_exit.is_none() || window.is_some() || cut);
    // We close stdin only in the shutdown, and send nothing after it has begun.
    if let Some(closed) = closed {
        assert!(shutdown.is_some_and(|shutdown| shutdown < closed));
    }
    if let Some(shutdown) = shutdown {
        let sent = last(&|kind| matches!(kind, EventKind::Sent(_)));
        assert!(sent.is_none_or(|sent| sent < shutdown));
    }
    // Never more was written than was sent before.
    let mut sent = 0;
    for event in &events {
        match &event.kind {
            EventKind::Sent(_) => sent += 1,
            EventKind::WriteProgress { written, total } => {
                assert!(sent > 0 && written <= total);
                sent -= i32::from(written == total);
            }
            _ => {}
        }
    }
}

/// The processes that a session has left behind.
pub(crate) fn left(session: &Session) -> Vec<i32> {
    let (name, value) = session.launch.set.last().expect("every session has a mark");
    let mark = format!("{}={}", name.display(), value.display());
    let processes = fs::read_dir("/proc").expect("processes can be listed");
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid: &i32| {
            // A process that has ended, reaped or not, has no environment.
            fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| {
                environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
            })
        })
        .collect()
}

/// The events of a run in a few words each, without those whose number is left open: bytes, and
/// the progress of writing. The end of stderr is left out too, for it has no order.
pub(crate) fn told(run: &Run) -> Vec<String> {
    run.transcript
        .events()
        .filter_map(|event| match event.kind {
            EventKind::Stdout(_)
            | EventKind::Stderr(_)
            | EventKind::StderrEof
            | EventKind::WriteProgress { .. } => None,
            other => Some(tell(&other)),
        })
        .collect()
}

fn tell(kind: &EventKind<'_>) -> String {
    match kind {
        EventKind::LaunchFailed(failure) => format!("launch failed: {failure}"),
        EventKind::StepBegan(phase) => format!("step {phase}"),
        EventKind::Sent(Sent::Request { method, .. } | Sent::Notification { method }) => {
            format!("sent {method}")
        }
        EventKind::Sent(Sent::Reply { id }) => format!("replied to {id}"),
        EventKind::Sent(Sent::Malformed) => "sent no message".to_owned(),
        EventKind::WriteProgress { .. } => "written".to_owned(),
        EventKind::WriteFailed => "write failed".to_owned(),
        EventKind::StdinClosed { by: Side::Client } => "we closed stdin".to_owned(),
        EventKind::StdinClosed { by: Side::Server } => "server closed stdin".to_owned(),
        EventKind::Stdout(_) => "stdout".to_owned(),
        EventKind::StdoutEof => "end of stdout".to_owned(),
        EventKind::Stderr(_) => "stderr".to_owned(),
        EventKind::StderrEof => "end of stderr".to_owned(),
        EventKind::Deadline(name) => format!("deadline {name}"),
        EventKind::CapReached(cap) => format!("cap {cap}"),
        EventKind::Signalled(signal) => format!("sent {signal}"),
        EventKind::Exited(ExitStatus::Code(code)) => format!("exited {code}"),
        EventKind::Exited(ExitStatus::Signal(signal)) => format!("killed by {signal}"),
        EventKind::LeakWindowEnded { stdout: Held::Open } => "stdout still held".to_owned(),
        EventKind::LeakWindowEnded { stdout: Held::Closed } => "stdout let go".to_owned(),
        EventKind::Census { strays } => format!("strays {strays}"),
        EventKind::Untested(Untested::ToolNotListed { tool }) => format!("not listed: {tool}"),
        EventKind::Untested(Untested::ReplyNotReadable { method }) => {
            format!("not readable: {method}")
        }
        EventKind::Untested(Untested::ListNotFinished { method }) => {
            format!("not finished: {method}")
        }
        EventKind::Untested(Untested::NoTool) => "no tool".to_owned(),
        EventKind::Usage { .. } => "usage".to_owned(),
        EventKind::GaveUp => "gave up".to_owned(),
        EventKind::StdoutClosed => "we closed stdout".to_owned(),
        EventKind::Stopped => "stopped".to_owned(),
    }
}

/// The events before the first answer to `initialize` is acted on.
pub(crate) const STARTUP: [&str; 2] = ["step startup", "sent initialize"];

/// What follows the answer of a server that announces nothing.
pub(crate) const HANDSHAKE_AND_UNKNOWN: [&str; 4] = [
    "step handshake",
    "sent notifications/initialized",
    "step call",
    "sent mcp-stdio-probe/unknown",
];

/// Some lists of events, one after another.
pub(crate) fn events(parts: &[&[&str]]) -> Vec<String> {
    parts.concat().into_iter().map(str::to_owned).collect()
}

/// A detector with no rules but this: a line is one JSON object.
#[derive(Default)]
pub(crate) struct Scripted {
    tail: Vec<u8>,
    pending: BTreeSet<String>,
    accepted: u64,
    state: Option<Inconclusive>,
}

impl Scripted {
    fn line(&mut self, line: &[u8]) -> Option<Accepted> {
        let message: Value = serde_json::from_slice(line).ok()?;
        let message = message.as_object()?;
        let id = message.get("id").map(|id| RawId::new(id.to_string()));
        let method = message.get("method").and_then(Value::as_str).map(Box::from);
        let kind = match (&method, message.contains_key("error"), &id) {
            (Some(_), _, Some(_)) => MessageKind::Request,
            (Some(_), _, None) => MessageKind::Notification,
            (None, true, _) => MessageKind::Error,
            (None, false, _) => MessageKind::Result,
        };
        self.accepted += 1;
        Some(Accepted {
            kind,
            id,
            method,
            body: (kind == MessageKind::Result).then(|| line.into()),
        })
    }

    fn stdout(&mut self, bytes: &[u8]) -> Step {
        let mut accepted = Vec::new();
        let mut replied = 0;
        self.tail.extend_from_slice(bytes);
        let whole = std::mem::take(&mut self.tail);
        let mut lines = whole.split(|byte| *byte == b'\n').peekable();
        while let Some(line) = lines.next() {
            if lines.peek().is_none() {
                self.tail = line.to_vec();
                break;
            }
            let Some(message) = self.line(line) else {
                self.state = Some(Inconclusive::NothingToJudge);
                break;
            };
            if let (MessageKind::Result | MessageKind::Error, Some(id)) =
                (message.kind, &message.id)
            {
                replied += usize::from(self.pending.remove(id.as_str()));
            }
            accepted.push(message);
        }
        let state = match &self.state {
            Some(_) => State::Final,
            None if replied > 0 && self.pending.is_empty() => State::Awaited,
            None => State::Go,
        };
        Step { accepted, state }
    }
}

impl Detector for Scripted {
    fn push(&mut self, event: &Event<'_>) -> Step {
        match &event.kind {
            EventKind::Stdout(bytes) if self.state.is_none() => return self.stdout(bytes),
            EventKind::Sent(Sent::Request { id, .. }) => {
                self.pending.insert(id.to_string());
            }
            EventKind::Deadline(_) | EventKind::Stopped | EventKind::CapReached(_) => {
                self.state.get_or_insert(Inconclusive::Interrupted);
            }
            EventKind::LaunchFailed(failure) => {
                self.state = Some(Inconclusive::Launch(*failure));
            }
            _ => {}
        }
        Step {
            accepted: Vec::new(),
            state: if self.state.is_some() { State::Final } else { State::Go },
        }
    }

    fn finish(self: Box<Self>) -> Verdict {
        Verdict {
            outcome: match self.state {
                Some(reason) => Outcome::Inconclusive(reason),
                None => Outcome::ValidStdout,
            },
            advice: Vec::new(),
            accepted: self.accepted,
            frames: 0,
            stdout_bytes: 0,
            layers_reached: Vec::new(),
            protocol: None,
            not_checked: Vec::new(),
            cut_by_us: Cut::Not,
        }
    }
}
