//! The script of a case: what happened, in order, and the events that stand for it.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use model::{
    CapName, DeadlineName, EventKind, ExitStatus, Held, KeepBody, Phase, PlanStep, RawId, Sent,
    Side, Signal, Untested,
};
use serde::{Deserialize, Serialize};

/// One step of a script.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ScriptStep {
    /// A message of the client side, by its name in the plan.
    Send(Send),
    /// Bytes on stdout.
    Stdout(Take),
    /// Bytes on stderr.
    Stderr(Take),
    /// The client closes stdin.
    CloseStdin,
    /// The server closes its end of stdin.
    StdinClosedByServer,
    /// stdout ends.
    StdoutEof,
    /// stderr ends.
    StderrEof,
    /// The launched process has ended while stdout is open.
    AfterExit,
    /// The process ends with this code.
    Exit(i32),
    /// The process ends by this signal number.
    KilledBy(i32),
    /// The server stays as it is until this deadline.
    Deadline(String),
    /// We send this signal.
    Signal(String),
    /// The leak window ends with stdout `open` or `closed`.
    LeakWindow(Window),
    /// This many processes outlived the launched one.
    Strays(u32),
    /// A cap of the run was reached.
    Cap(String),
    /// The tool that was to be called is not listed.
    ToolNotListed(String),
    /// The reply to this method held what the client side could not read.
    ReplyNotReadable(String),
    /// The list of this method has more pages than are asked for.
    ListNotFinished(String),
    /// The server has no tool that the client side could call.
    NoTool,
    /// Nothing is pending and stdin is open: the client side waits.
    Idle,
    /// The client side no longer waits for the replies that are still open.
    GaveUp,
    /// The client closes its end of stdout.
    CloseStdout,
    /// What the server's processes used of a processor since stdin was closed.
    Usage(Usage),
    /// The run was stopped from outside.
    Stopped,
}

/// A message of the client side.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Send {
    /// A step of the plan.
    Step(String),
    /// A reply to a request of the server.
    Reply(SendReply),
    /// A message of a scenario that is no step of the plan.
    Message(SendMessage),
    /// Bytes that are no message.
    Raw(SendRaw),
}

/// A request or notification that is no step of the plan.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SendMessage {
    /// The method.
    pub method: String,
    /// The id, as raw JSON text. Without it, it is a notification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The params, as far as they declare something. Without them, nothing is declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<serde_json::Map<String, serde_json::Value>>,
    /// The phase that begins with it. Without it, none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
}

/// What was used of a processor, and how much time passed.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Usage {
    /// Processor time, in milliseconds.
    pub cpu_ms: u64,
    /// The time that passed, in milliseconds.
    pub wall_ms: u64,
}

/// Bytes that are no message.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SendRaw {
    /// What they are.
    pub raw: String,
}

/// A reply to a request of the server.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SendReply {
    /// The server's id, as raw JSON text.
    pub reply: String,
}

/// How many of the recorded bytes come now.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Take {
    /// This many frames, each with its 0x0A.
    Frames(usize),
    /// This many bytes.
    Bytes(usize),
    /// All that is left.
    Rest,
}

/// Whether stdout was held open at the end of the leak window.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Window {
    /// It was.
    Open,
    /// It was not.
    Closed,
}

/// Why a script cannot be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptError {
    /// A name that no step, deadline or signal has.
    UnknownName(String),
    /// More bytes or frames are taken than were recorded.
    OutOfBytes,
    /// The script ends, and recorded bytes are left over.
    BytesLeftOver(usize),
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownName(name) => write!(f, "the script names `{name}`, which is nothing"),
            Self::OutOfBytes => f.write_str("the script takes more bytes than were recorded"),
            Self::BytesLeftOver(count) => {
                write!(f, "the script leaves {count} recorded bytes untaken")
            }
        }
    }
}

impl std::error::Error for ScriptError {}

/// The bytes of one stream, taken piece by piece.
struct Tape<'a> {
    rest: &'a [u8],
}

impl<'a> Tape<'a> {
    fn take(&mut self, take: &Take) -> Result<&'a [u8], ScriptError> {
        let len = match *take {
            Take::Rest => self.rest.len(),
            Take::Bytes(count) => count,
            Take::Frames(0) => 0,
            Take::Frames(count) => {
                let newlines = self.rest.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
                newlines.map(|(at, _)| at + 1).nth(count - 1).ok_or(ScriptError::OutOfBytes)?
            }
        };
        let (taken, rest) = self.rest.split_at_checked(len).ok_or(ScriptError::OutOfBytes)?;
        self.rest = rest;
        Ok(taken)
    }
}

/// The events that a script stands for.
///
/// # Errors
///
/// A name that is nothing, or bytes that do not fit.
pub(crate) fn event_kinds<'a>(
    script: &[ScriptStep],
    stdout: &'a [u8],
    stderr: &'a [u8],
) -> Result<Vec<EventKind<'a>>, ScriptError> {
    let (mut stdout, mut stderr) = (Tape { rest: stdout }, Tape { rest: stderr });
    let mut events = Vec::new();
    for step in script {
        match step {
            ScriptStep::Send(Send::Step(name)) => {
                let step: PlanStep =
                    name.parse().map_err(|()| ScriptError::UnknownName(name.clone()))?;
                events.push(EventKind::StepBegan(step.phase()));
                events.push(EventKind::Sent(sent(step)));
            }
            ScriptStep::Send(Send::Reply(SendReply { reply })) => {
                events.push(EventKind::Sent(Sent::Reply { id: RawId::new(reply.as_str()) }));
            }
            ScriptStep::Send(Send::Message(message)) => {
                if let Some(phase) = &message.phase {
                    events.push(EventKind::StepBegan(parse(phase)?));
                }
                events.push(EventKind::Sent(sent_message(message)));
            }
            ScriptStep::Send(Send::Raw(_)) => events.push(EventKind::Sent(Sent::Malformed)),
            ScriptStep::Stdout(take) => {
                events.push(EventKind::Stdout(Cow::Borrowed(stdout.take(take)?)));
            }
            ScriptStep::Stderr(take) => {
                events.push(EventKind::Stderr(Cow::Borrowed(stderr.take(take)?)));
            }
            ScriptStep::CloseStdin => {
                events.push(EventKind::StepBegan(Phase::Shutdown));
                events.push(EventKind::StdinClosed { by: Side::Client });
            }
            ScriptStep::StdinClosedByServer => {
                events.push(EventKind::WriteFailed);
                events.push(EventKind::StdinClosed { by: Side::Server });
            }
            ScriptStep::StdoutEof => events.push(EventKind::StdoutEof),
            ScriptStep::StderrEof => events.push(EventKind::StderrEof),
            ScriptStep::AfterExit => events.push(EventKind::StepBegan(Phase::AfterExit)),
            ScriptStep::Exit(code) => events.push(EventKind::Exited(ExitStatus::Code(*code))),
            ScriptStep::KilledBy(signal) => {
                events.push(EventKind::Exited(ExitStatus::Signal(*signal)));
            }
            ScriptStep::Deadline(name) => {
                let deadline: DeadlineName = parse(name)?;
                events.push(EventKind::Deadline(deadline));
            }
            ScriptStep::Signal(name) => {
                let signal: Signal = parse(name)?;
                events.push(EventKind::Signalled(signal));
            }
            ScriptStep::LeakWindow(window) => events.push(EventKind::LeakWindowEnded {
                stdout: match window {
                    Window::Open => Held::Open,
                    Window::Closed => Held::Closed,
                },
            }),
            ScriptStep::Strays(strays) => events.push(EventKind::Census { strays: *strays }),
            ScriptStep::Cap(name) => {
                let cap: CapName = parse(name)?;
                events.push(EventKind::CapReached(cap));
            }
            ScriptStep::ToolNotListed(tool) => {
                let tool = tool.as_str().into();
                events.push(EventKind::Untested(Untested::ToolNotListed { tool }));
            }
            ScriptStep::ReplyNotReadable(method) => {
                let method = method.as_str().into();
                events.push(EventKind::Untested(Untested::ReplyNotReadable { method }));
            }
            ScriptStep::ListNotFinished(method) => {
                let method = method.as_str().into();
                events.push(EventKind::Untested(Untested::ListNotFinished { method }));
            }
            ScriptStep::NoTool => events.push(EventKind::Untested(Untested::NoTool)),
            ScriptStep::Idle => events.push(EventKind::StepBegan(Phase::Idle)),
            ScriptStep::GaveUp => events.push(EventKind::GaveUp),
            ScriptStep::Usage(Usage { cpu_ms, wall_ms }) => events.push(EventKind::Usage {
                cpu: Duration::from_millis(*cpu_ms),
                wall: Duration::from_millis(*wall_ms),
            }),
            ScriptStep::CloseStdout => events.push(EventKind::StdoutClosed),
            ScriptStep::Stopped => events.push(EventKind::Stopped),
        }
    }
    match stdout.rest.len() + stderr.rest.len() {
        0 => Ok(events),
        left => Err(ScriptError::BytesLeftOver(left)),
    }
}

fn sent(step: PlanStep) -> Sent {
    match step.id() {
        Some(id) => Sent::Request {
            id,
            method: step.method().into(),
            params: None,
            keep_body: KeepBody::Drop,
        },
        None => Sent::Notification { method: step.method().into() },
    }
}

fn sent_message(message: &SendMessage) -> Sent {
    let method = message.method.as_str().into();
    let text = |params| serde_json::to_string(params).expect("a JSON object has a text").into();
    match &message.id {
        Some(id) => Sent::Request {
            id: RawId::new(id.as_str()),
            method,
            params: message.params.as_ref().map(text),
            keep_body: KeepBody::Drop,
        },
        None => Sent::Notification { method },
    }
}

fn parse<T: std::str::FromStr<Err = ()>>(name: &str) -> Result<T, ScriptError> {
    name.parse().map_err(|()| ScriptError::UnknownName(name.to_owned()))
}
