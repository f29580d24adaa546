//! Being the server of a case: what it awaits, what it writes, how it ends.
//!
//! Timing is in events: a server waits for the client's message or for the end of stdin, never
//! for a while.

use std::io::{self, BufRead, Write};

use corpus::{Case, Chunking, ScriptError, events};
use model::{DeadlineName, EventKind, ExitStatus, RawId, Sent, Side};
use serde_json::Value;

/// One act of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Read stdin up to a message with this method.
    AwaitMethod(Box<str>),
    /// Read stdin up to a reply with this id.
    AwaitReply(RawId),
    /// Read stdin to its end.
    AwaitEof,
    /// Write to stdout, at once.
    Write(Vec<u8>),
    /// Write to stderr, at once.
    Log(Vec<u8>),
    /// Close stdout and live on to the end of stdin.
    CloseStdout,
    /// Live on, whatever comes, until a signal ends it.
    AwaitSignal,
    /// Leave a process behind that holds stdout.
    LeaveHolder,
    /// End.
    Exit(ExitStatus),
}

/// Why a case cannot be played by a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotPlayable {
    /// It is a bare recording: nothing says when its bytes come.
    NoScript,
    /// Its script cannot be read.
    Script(ScriptError),
    /// It tells of something that the client side does, or that a process cannot do to itself.
    Step(&'static str),
}

impl NotPlayable {
    /// In a few words.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::NoScript => "a bare recording, without a client side".to_owned(),
            Self::Script(error) => error.to_string(),
            Self::Step(step) => (*step).to_owned(),
        }
    }
}

/// A case as a server performs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Performance {
    pub(crate) acts: Vec<Act>,
    /// Whether SIGTERM must have no effect.
    pub(crate) sigterm: Sigterm,
}

/// What SIGTERM does to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sigterm {
    Ends,
    Ignored,
}

/// What the server of a case does.
pub(crate) fn performance(case: &Case) -> Result<Performance, NotPlayable> {
    if case.file.script.is_none() {
        return Err(NotPlayable::NoScript);
    }
    let events = events(case, Chunking::AsScripted).map_err(NotPlayable::Script)?;
    let mut acts = Vec::new();
    let mut sigterm = Sigterm::Ends;
    let mut after_exit = false;
    for (index, event) in events.iter().enumerate() {
        let later = &events[index + 1..];
        match &event.kind {
            EventKind::Sent(Sent::Request { method, .. } | Sent::Notification { method }) => {
                acts.push(Act::AwaitMethod(method.clone()));
            }
            EventKind::Sent(Sent::Reply { id }) => acts.push(Act::AwaitReply(id.clone())),
            EventKind::Stdout(_) if after_exit => {
                return Err(NotPlayable::Step("bytes of a process that outlives the server"));
            }
            EventKind::Stdout(bytes) => match acts.last_mut() {
                // Bytes with nothing between them are one write, or the client could go on
                // between them.
                Some(Act::Write(written)) => written.extend_from_slice(bytes),
                _ => acts.push(Act::Write(bytes.to_vec())),
            },
            EventKind::Stderr(bytes) => acts.push(Act::Log(bytes.to_vec())),
            EventKind::StdinClosed { by: Side::Client } => acts.push(Act::AwaitEof),
            EventKind::StdinClosed { by: Side::Server } => {
                return Err(NotPlayable::Step("stdin closed by the server"));
            }
            EventKind::StdoutEof => {
                let lives_on = later
                    .iter()
                    .any(|event| event.kind == EventKind::Deadline(DeadlineName::ExitGrace));
                if lives_on {
                    acts.push(Act::CloseStdout);
                    break;
                }
            }
            EventKind::Deadline(DeadlineName::Startup | DeadlineName::Reply) => {
                acts.push(Act::AwaitEof);
                acts.push(Act::Exit(ExitStatus::SUCCESS));
                break;
            }
            EventKind::Deadline(DeadlineName::ShutdownTerm) => sigterm = Sigterm::Ignored,
            EventKind::Deadline(DeadlineName::Total) => {
                return Err(NotPlayable::Step("the budget of the whole run"));
            }
            EventKind::Signalled(_) => acts.push(Act::AwaitSignal),
            EventKind::StepBegan(model::Phase::AfterExit) => {
                after_exit = true;
                acts.push(Act::LeaveHolder);
            }
            EventKind::Exited(status) => acts.push(Act::Exit(*status)),
            EventKind::Census { strays } if *strays > 1 => {
                return Err(NotPlayable::Step("several processes that outlive the server"));
            }
            EventKind::CapReached(_)
            | EventKind::Untested(_)
            | EventKind::Stopped
            | EventKind::LaunchFailed(_) => {
                return Err(NotPlayable::Step("something that the client side does"));
            }
            EventKind::StepBegan(_)
            | EventKind::WriteProgress { .. }
            | EventKind::WriteFailed
            | EventKind::StderrEof
            | EventKind::Deadline(_)
            | EventKind::LeakWindowEnded { .. }
            | EventKind::Census { .. } => {}
        }
    }
    Ok(Performance { acts, sigterm })
}

/// The client side's messages, line by line.
pub(crate) struct Client<R> {
    lines: R,
}

/// Whether there is still a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    There,
    Gone,
}

impl<R: BufRead> Client<R> {
    pub(crate) fn new(lines: R) -> Self {
        Self { lines }
    }

    pub(crate) fn await_method(&mut self, method: &str) -> io::Result<Presence> {
        self.await_message(|message| message.get("method").is_some_and(|found| found == method))
    }

    /// A reply is recognised by its id, as JSON.
    pub(crate) fn await_reply(&mut self, id: &RawId) -> io::Result<Presence> {
        let id: Option<Value> = serde_json::from_str(id.as_str()).ok();
        self.await_message(|message| {
            message.get("method").is_none() && message.get("id") == id.as_ref()
        })
    }

    pub(crate) fn await_eof(&mut self) -> io::Result<()> {
        io::copy(&mut self.lines, &mut io::sink()).map(drop)
    }

    fn await_message(&mut self, is_it: impl Fn(&Value) -> bool) -> io::Result<Presence> {
        let mut line = Vec::new();
        loop {
            line.clear();
            if self.lines.read_until(b'\n', &mut line)? == 0 {
                return Ok(Presence::Gone);
            }
            if serde_json::from_slice(&line).is_ok_and(|message| is_it(&message)) {
                return Ok(Presence::There);
            }
        }
    }
}

/// Writes at once: what is buffered here would come at another moment than the case says.
pub(crate) fn write(mut stream: impl Write, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes)?;
    stream.flush()
}
