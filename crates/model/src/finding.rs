//! A rule met at a position.

use std::time::Duration;

use crate::ids::{PendingRequest, RawId};
use crate::phase::Phase;
use crate::position::Position;
use crate::rule::{Level, RuleId};

/// A rule met at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: RuleId,
    /// Its level here: by protocol version, message kind, and what the user denied or allowed.
    pub level: Level,
    /// Where.
    pub position: Position,
    /// The phase in which the last byte of the frame was read.
    pub phase: Phase,
    /// The oldest request without a reply at that moment.
    pub pending: Option<PendingRequest>,
    /// When the finding was made, since the launch. Display data.
    pub at: Duration,
    /// What the rule's name does not say.
    pub detail: Detail,
    /// The frame's bytes, as far as they were kept. None for a finding without a frame.
    pub frame_bytes: Option<FrameBytes>,
}

impl Finding {
    /// The place in the order of findings: frame, layer, byte, then the catalogue. A finding
    /// without a frame stands after the last frame that had been read when it was made.
    #[must_use]
    pub fn order(&self) -> impl Ord + use<> {
        let stream = self.position.stream().0;
        let (start, framed) = match self.position.byte() {
            Some(byte) => (stream - byte.0, 1),
            None => (stream, 0),
        };
        (start, framed, self.rule.rule().layer, stream, self.rule)
    }
}

/// A finding that does not fail the run, and how often its rule was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The first finding of the rule.
    pub finding: Finding,
    /// How many frames or events met the rule.
    pub count: u64,
}

/// The bytes of a frame, as far as they were kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameBytes {
    /// The kept bytes, from the start of the frame, without its 0x0A.
    pub prefix: Box<[u8]>,
    /// The frame's whole length as far as it was read, without its 0x0A.
    pub len: u64,
}

/// What a rule's name does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Nothing to add.
    None,
    /// The bytes are UTF-16.
    Utf16(Utf16),
    /// The output ended inside a frame.
    Tail {
        /// What ended it.
        end: TailEnd,
        /// The tail's length in bytes.
        partial_bytes: u64,
    },
    /// A member is not there.
    Missing(Member),
    /// A member's value has the wrong type or value.
    Wrong(Member),
    /// A reply's id, and that of the request that it resembles or repeats.
    Id {
        /// The id in the reply.
        got: RawId,
        /// The id of the request.
        sent: Option<RawId>,
    },
    /// A value of a message, and what is wrong with it.
    Value {
        /// Where it stands in the message, as a JSON pointer.
        pointer: Box<str>,
        /// Why, in a few words that hold nothing of the value itself.
        reason: Box<str>,
    },
    /// An exit, by its status.
    Exit(crate::event::ExitStatus),
    /// A number of processes.
    Strays(u32),
}

/// How UTF-16 was recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Utf16 {
    /// Low byte first.
    LittleEndian,
    /// High byte first.
    BigEndian,
}

/// What ended a frame that no 0x0A ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TailEnd {
    /// stdout reached its end, whether or not the process did.
    Eof,
    /// The process had ended, and the time in which stdout may stay open was over.
    Exit,
    /// A deadline passed.
    Deadline,
}

impl TailEnd {
    /// The name used in reports and cases.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Eof => "eof",
            Self::Exit => "exit",
            Self::Deadline => "deadline",
        }
    }
}

/// A member of a message that a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Member {
    /// `jsonrpc`.
    Jsonrpc,
    /// `id`.
    Id,
    /// `method`.
    Method,
    /// `params`.
    Params,
    /// `result`.
    Result,
    /// `error`.
    Error,
    /// `error.code`.
    ErrorCode,
    /// `error.message`.
    ErrorMessage,
}

impl Member {
    /// The member's path as a user would write it.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Jsonrpc => "jsonrpc",
            Self::Id => "id",
            Self::Method => "method",
            Self::Params => "params",
            Self::Result => "result",
            Self::Error => "error",
            Self::ErrorCode => "error.code",
            Self::ErrorMessage => "error.message",
        }
    }
}
