//! The words that every part of `mcp-stdio-probe` speaks.
//!
//! Owns the rule catalogue, events, phases, positions, findings and verdicts. It has no
//! dependencies and does no work: detection is `inspect`'s, processes are `drive`'s.

mod catalogue;
mod cleanup;
mod event;
mod finding;
mod ids;
mod phase;
mod plan;
mod position;
mod protocol;
mod rule;
mod verdict;

pub use catalogue::{Catalogue, catalogue};
pub use cleanup::{
    Activity, Cleanliness, Cleanup, Containment, ContainmentLevel, LadderStep, LadderStepName,
    ReapState, ResourceUsage, SentSignal, Untaken,
};
pub use event::{
    CapName, DeadlineName, Event, EventKind, ExitStatus, Held, KeepBody, LaunchFailure, Sent, Seq,
    Side, Signal, Untested,
};
pub use finding::{Advice, Detail, Finding, FrameBytes, Member, TailEnd, Utf16};
pub use ids::{IdKind, IdValue, PendingRequest, RawId};
pub use phase::Phase;
pub use plan::{ACKNOWLEDGED, List, PlanStep, UNKNOWN_METHOD};
pub use position::{FrameNo, FrameOffset, Position, StreamOffset};
pub use protocol::{MessageKind, ProtocolVersion};
pub use rule::{Aspect, Layer, Level, LevelCase, LevelContext, Rule, RuleId, SpecRef, UnknownRule};
pub use verdict::{Cut, Inconclusive, NotChecked, Outcome, Verdict};
