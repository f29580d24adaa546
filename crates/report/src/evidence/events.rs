//! What happened in a session, redacted and safe, without the bytes.

use std::time::Duration;

use model::{CapName, DeadlineName, ExitStatus, Held, Phase, Side, Signal};
use serde::Serialize;

use super::finding::millis;
use super::{wire, word};
use crate::redact::{Redactor, is_of_users};
use crate::safe::SafeText;
use crate::timeline::{FrameFact, Happening, Moment, Timeline};

/// Something that happened, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct EventEvidence {
    /// When, in milliseconds since the launch. Never decides a verdict.
    pub time_ms: u64,
    /// What.
    #[serde(flatten)]
    pub what: What,
    /// The same time as exactly as it is known. Not serialised.
    #[serde(skip)]
    pub at: Duration,
}

/// What happened. New kinds of events may be added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub enum What {
    /// The client side went on to its next step.
    Phase {
        /// The phase that began.
        #[serde(serialize_with = "wire::name")]
        #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
        phase: Phase,
    },
    /// A message of the client was about to be written.
    Sent {
        /// `request`, `notification` or `reply`.
        kind: &'static str,
        /// The JSON text of its id; null for a notification.
        id: Option<SafeText>,
        /// Its method; null for a reply.
        method: Option<SafeText>,
    },
    /// The pipe did not take all of a message at once.
    Written {
        /// Bytes taken so far.
        written: u64,
        /// The message's length.
        total: u64,
    },
    /// The server's stdin takes no more bytes.
    WriteFailed,
    /// stdin was closed.
    StdinClosed {
        /// `client` or `server`.
        by: &'static str,
    },
    /// A frame of stdout ended. Its bytes are not part of the list.
    Frame(FrameEvidence),
    /// stdout ended.
    StdoutEnded,
    /// Bytes came on stderr.
    Stderr {
        /// How many, up to the next event of another kind.
        bytes: u64,
    },
    /// stderr ended.
    StderrEnded,
    /// A deadline passed.
    Deadline {
        /// Its name.
        #[serde(serialize_with = "wire::name")]
        #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
        name: DeadlineName,
    },
    /// A cap was reached.
    Cap {
        /// Its name.
        #[serde(serialize_with = "wire::name")]
        #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
        name: CapName,
    },
    /// The probe sent a signal to the server.
    Signalled {
        /// Which one.
        #[serde(serialize_with = "wire::name")]
        #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
        signal: Signal,
    },
    /// The launched process ended.
    Exited {
        /// How: `{"code": n}` or `{"signal": n}`.
        #[serde(serialize_with = "wire::some_exit_status")]
        #[cfg_attr(feature = "json-schema", schemars(with = "wire::ExitStatusShape"))]
        status: ExitStatus,
    },
    /// The time in which stdout may stay open after the exit was over.
    LeakWindowEnded {
        /// Whether stdout was still held open.
        held: bool,
    },
    /// Processes outlived the launched one.
    Strays {
        /// How many.
        count: u32,
    },
    /// The run was stopped from outside.
    Stopped,
}

/// A frame, without its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct FrameEvidence {
    /// Counted from 1.
    pub frame: u64,
    /// When its first byte came, in milliseconds since the launch.
    pub began_ms: u64,
    /// Its length without its newline.
    pub bytes: u64,
    /// What it looks like: `request`, `notification`, `result`, `error`; null for anything else.
    pub kind: Option<&'static str>,
    /// The JSON text of its id; null without one.
    pub id: Option<SafeText>,
    /// Its method, or that of the request that it answers; null if unknown.
    pub method: Option<SafeText>,
    /// The SHA-256 of its bytes, in hexadecimal. Null where something was redacted or withheld,
    /// or may have been: a hash of it could be guessed.
    pub sha256: Option<SafeText>,
    /// When its first byte came, as exactly as it is known. Not serialised.
    #[serde(skip)]
    pub began: Duration,
}

impl EventEvidence {
    /// Every event that was kept, in order.
    pub(super) fn all(timeline: &Timeline, redactor: &Redactor) -> Vec<Self> {
        let moments = timeline.moments().into_iter();
        moments.map(|Moment { at, what, .. }| Self::new(*at, what, redactor)).collect()
    }

    /// One event.
    pub(crate) fn new(at: Duration, what: &Happening, redactor: &Redactor) -> Self {
        let what = match what {
            Happening::Phase(phase) => What::Phase { phase: *phase },
            Happening::Sent { kind, id, method } => What::Sent {
                kind: kind.name(),
                id: id.as_ref().map(|id| word(id.as_bytes(), redactor)),
                method: method.as_ref().map(|method| word(method.as_bytes(), redactor)),
            },
            Happening::Written { written, total } => {
                What::Written { written: *written, total: *total }
            }
            Happening::WriteFailed => What::WriteFailed,
            Happening::StdinClosed(Side::Client) => What::StdinClosed { by: "client" },
            Happening::StdinClosed(Side::Server) => What::StdinClosed { by: "server" },
            Happening::Frame(frame) => What::Frame(FrameEvidence::new(frame, redactor)),
            Happening::StdoutEof => What::StdoutEnded,
            Happening::Stderr { bytes } => What::Stderr { bytes: *bytes },
            Happening::StderrEof => What::StderrEnded,
            Happening::Deadline(name) => What::Deadline { name: *name },
            Happening::Cap(name) => What::Cap { name: *name },
            Happening::Signalled(signal) => What::Signalled { signal: *signal },
            Happening::Exited(status) => What::Exited { status: *status },
            Happening::LeakWindow(held) => What::LeakWindowEnded { held: *held == Held::Open },
            Happening::Strays(count) => What::Strays { count: *count },
            Happening::Stopped => What::Stopped,
        };
        Self { time_ms: millis(at), what, at }
    }
}

impl FrameEvidence {
    fn new(frame: &FrameFact, redactor: &Redactor) -> Self {
        Self {
            frame: frame.number,
            began_ms: millis(frame.began),
            bytes: frame.bytes,
            kind: frame.kind.map(|kind| kind.name()),
            id: frame.id.as_ref().map(|id| word(id.as_bytes(), redactor)),
            method: frame.method.as_ref().map(|method| word(method.as_bytes(), redactor)),
            sha256: frame
                .digest
                .shown(redactor)
                .filter(|_| !frame.method.as_deref().is_some_and(is_of_users))
                .map(SafeText::vouched),
            began: frame.began,
        }
    }
}

impl What {
    /// The event in a few words.
    pub(crate) fn label(&self) -> String {
        let maybe = |text: &Option<SafeText>| {
            text.as_ref().map(|text| format!(" {text}")).unwrap_or_default()
        };
        match self {
            Self::Phase { phase } => format!("phase {phase}"),
            Self::Sent { kind, id, method } => format!("{kind}{}{}", maybe(method), maybe(id)),
            Self::Written { written, total } => format!("{written} of {total} bytes taken"),
            Self::WriteFailed => "stdin takes no more".to_owned(),
            Self::StdinClosed { by } => format!("stdin closed by the {by}"),
            Self::Frame(frame) => {
                let kind = frame.kind.unwrap_or("no message");
                format!("frame {}: {kind}{}{}", frame.frame, maybe(&frame.method), maybe(&frame.id))
            }
            Self::StdoutEnded => "stdout ended".to_owned(),
            Self::Stderr { bytes } => format!("{bytes} bytes on stderr"),
            Self::StderrEnded => "stderr ended".to_owned(),
            Self::Deadline { name } => format!("the {name} deadline passed"),
            Self::Cap { name } => format!("the cap {name} was reached"),
            Self::Signalled { signal } => format!("signal {signal}"),
            Self::Exited { status: ExitStatus::Code(code) } => format!("exited with status {code}"),
            Self::Exited { status: ExitStatus::Signal(signal) } => {
                format!("ended by signal {signal}")
            }
            Self::LeakWindowEnded { held: true } => "stdout is still held open".to_owned(),
            Self::LeakWindowEnded { held: false } => "stdout was closed with the exit".to_owned(),
            Self::Strays { count: 1 } => "1 process was left".to_owned(),
            Self::Strays { count } => format!("{count} processes were left"),
            Self::Stopped => "the run was stopped".to_owned(),
        }
    }
}
