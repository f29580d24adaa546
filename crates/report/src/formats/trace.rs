//! The format `trace`: the event format of Chrome's tracing, which Perfetto reads too.
//!
//! A session is a process; the client, stdout, stderr and the deadlines are its threads.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::named;
use crate::evidence::{EventEvidence, Evidence, What};
use crate::report::Report;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Trace {
    display_time_unit: &'static str,
    trace_events: Vec<TraceEvent>,
}

/// One entry; the names are those of the format.
#[derive(Serialize)]
struct TraceEvent {
    name: String,
    ph: &'static str,
    /// Microseconds.
    ts: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<u64>,
    pid: usize,
    tid: u32,
    /// Instants are drawn across their thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'static str>,
    args: Map<String, Value>,
}

/// The lanes of a session.
#[derive(Clone, Copy)]
enum Lane {
    Client = 1,
    Stdout = 2,
    Stderr = 3,
    Process = 4,
    Deadlines = 5,
}

impl Lane {
    const ALL: [Self; 5] =
        [Self::Client, Self::Stdout, Self::Stderr, Self::Process, Self::Deadlines];

    fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
            Self::Process => "process",
            Self::Deadlines => "deadlines",
        }
    }
}

/// Writes the report.
pub(crate) fn render(report: &Report) -> String {
    let mut trace_events = Vec::new();
    for (index, (name, evidence)) in named(report).iter().enumerate() {
        session(&mut trace_events, index + 1, name, evidence);
    }
    let trace = Trace { display_time_unit: "ms", trace_events };
    let mut out =
        serde_json::to_string_pretty(&trace).expect("a trace holds only strings and numbers");
    out.push('\n');
    out
}

fn session(out: &mut Vec<TraceEvent>, pid: usize, name: &str, evidence: &Evidence) {
    out.push(metadata("process_name", pid, 0, name));
    for lane in Lane::ALL {
        out.push(metadata("thread_name", pid, lane as u32, lane.name()));
    }
    for event in &evidence.events {
        out.push(of_event(pid, event));
    }
    // A deadline ends when what it waited for happens; where it began is not told, and those of
    // a session follow each other.
    let mut begins = 0;
    for deadline in &evidence.deadlines {
        let expired = if deadline.expired { " (passed)" } else { "" };
        out.push(TraceEvent {
            name: format!("{}{expired}", deadline.name),
            ph: "X",
            ts: begins * 1000,
            dur: Some(deadline.elapsed_ms * 1000),
            pid,
            tid: Lane::Deadlines as u32,
            s: None,
            args: Map::from_iter([("budget_ms".to_owned(), deadline.budget_ms.into())]),
        });
        begins += deadline.elapsed_ms;
    }
    if let Some(violation) = &evidence.first_violation {
        let mut args = Map::new();
        args.insert("place".to_owned(), violation.place().into());
        out.push(TraceEvent {
            name: format!("error[{}]", violation.rule),
            ph: "i",
            ts: violation.time_ms * 1000,
            dur: None,
            pid,
            tid: Lane::Stdout as u32,
            s: Some("p"),
            args,
        });
    }
}

fn metadata(name: &str, pid: usize, tid: u32, value: &str) -> TraceEvent {
    TraceEvent {
        name: name.to_owned(),
        ph: "M",
        ts: 0,
        dur: None,
        pid,
        tid,
        s: None,
        args: Map::from_iter([("name".to_owned(), value.into())]),
    }
}

fn of_event(pid: usize, event: &EventEvidence) -> TraceEvent {
    let lane = match &event.what {
        What::Sent { .. }
        | What::Written { .. }
        | What::WriteFailed
        | What::Phase { .. }
        | What::StdinClosed { .. } => Lane::Client,
        What::Frame(_) | What::StdoutEnded | What::LeakWindowEnded { .. } => Lane::Stdout,
        What::Stderr { .. } | What::StderrEnded => Lane::Stderr,
        What::Deadline { .. } | What::Cap { .. } => Lane::Deadlines,
        What::Signalled { .. } | What::Exited { .. } | What::Strays { .. } | What::Stopped => {
            Lane::Process
        }
    };
    let (began, dur) = match &event.what {
        What::Frame(frame) => {
            (frame.began, Some(micros(event.at.saturating_sub(frame.began)).max(1)))
        }
        _ => (event.at, None),
    };
    let args = match json!(event) {
        Value::Object(args) => args,
        _ => Map::new(),
    };
    TraceEvent {
        name: event.what.label(),
        ph: if dur.is_some() { "X" } else { "i" },
        ts: micros(began),
        dur,
        pid,
        tid: lane as u32,
        s: dur.is_none().then_some("t"),
        args,
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
