//! What a run proved.

use crate::event::{LaunchFailure, Untested};
use crate::finding::{Advice, Finding};
use crate::protocol::ProtocolVersion;
use crate::rule::Layer;

/// What a run proved, and what it did not look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The outcome.
    pub outcome: Outcome,
    /// Advice, the first finding of each rule, in the order of findings.
    pub advice: Vec<Advice>,
    /// Messages accepted before the outcome was fixed.
    pub accepted: u64,
    /// Complete frames read before the outcome was fixed, the violating one included.
    pub frames: u64,
    /// Bytes of stdout read before the outcome was fixed.
    pub stdout_bytes: u64,
    /// The layers that at least one frame or event reached, lowest first.
    pub layers_reached: Vec<Layer>,
    /// The revision in force at the end: asked for in `check`, else as negotiated.
    pub protocol: Option<ProtocolVersion>,
    /// What was left out, and why.
    pub not_checked: Vec<NotChecked>,
    /// Whether we cut the stream, so that its end proves nothing.
    pub cut_by_us: Cut,
}

/// Whether the stream was cut by the probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cut {
    /// It ended, or went on, without us.
    Not,
    /// We signalled the server or stopped reading.
    ByUs,
}

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// stdout carried nothing but valid messages, as far as the layers reached.
    ValidStdout,
    /// The first `must` finding.
    Violation(Box<Finding>),
    /// The run did not test what it was to test. Never green.
    Inconclusive(Inconclusive),
}

/// Why a run proved nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inconclusive {
    /// The server's process was never there.
    Launch(LaunchFailure),
    /// The budget of the whole run was spent.
    TotalTimeout,
    /// stdout exceeded the cap of the whole run.
    StdoutCap,
    /// The server answered initialize with a valid error.
    NotInitialized,
    /// The server answered `server/discover` with a valid error: it does not speak a revision
    /// without a handshake.
    NotDiscovered,
    /// The input holds not one message.
    NothingToJudge,
    /// The run was stopped before the session ended.
    Interrupted,
    /// The session did not reach its end, and no rule that is in force says why.
    Incomplete,
    /// A step could not be carried out.
    Untested(Untested),
}

impl Inconclusive {
    /// The name used in reports and cases.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Launch(_) => "launch",
            Self::TotalTimeout => "total-timeout",
            Self::StdoutCap => "stdout-cap",
            Self::NotInitialized => "not-initialized",
            Self::NotDiscovered => "not-discovered",
            Self::NothingToJudge => "nothing-to-judge",
            Self::Interrupted => "interrupted",
            Self::Incomplete => "incomplete",
            Self::Untested(Untested::ListNotFinished { .. }) => "list-not-finished",
            Self::Untested(Untested::ToolNotListed { .. }) => "call-not-tested",
            Self::Untested(Untested::ReplyNotReadable { .. }) => "reply-not-readable",
            Self::Untested(Untested::NoTool) => "no-tool",
        }
    }
}

/// Something that was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NotChecked {
    /// Layer 4 is not part of this build or run.
    Schema,
    /// No tool was called, so what tools write was not seen.
    ToolCalls,
    /// There is no client side, so replies were not matched with requests.
    Correlation,
    /// A message had more keys, or deeper ones, than duplicates are looked for in.
    DuplicateKeys,
    /// A batch had more messages than are judged one by one.
    BatchMembers,
    /// An id or a method was longer than what is kept to compare.
    LongMember,
    /// There is no client side, so which schema a result must conform to is not known.
    SchemaOfResults,
    /// A message was larger than what is checked against its schema.
    SchemaOfLargeMessage,
    /// A message was nested deeper than what is checked against its schema.
    SchemaOfDeepMessage,
    /// The server answered with a revision whose schema nobody knows.
    SchemaOfUnknownRevision,
}

impl NotChecked {
    /// The name used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::ToolCalls => "tool-calls",
            Self::Correlation => "correlation",
            Self::DuplicateKeys => "duplicate-keys",
            Self::BatchMembers => "batch-members",
            Self::LongMember => "long-member",
            Self::SchemaOfResults => "schema-of-results",
            Self::SchemaOfLargeMessage => "schema-of-large-message",
            Self::SchemaOfDeepMessage => "schema-of-deep-message",
            Self::SchemaOfUnknownRevision => "schema-of-unknown-revision",
        }
    }
}
