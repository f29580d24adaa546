//! The interface of a detector: the true one and every mutant of it.

use model::{Event, MessageKind, RawId, Verdict};

/// Something that judges the events of one run.
///
/// `push` takes events in order and never fails. Once it has answered [`State::Final`], nothing
/// pushed later changes the verdict.
pub trait Detector {
    /// Takes the next event.
    fn push(&mut self, event: &Event<'_>) -> Step;

    /// Ends the run and gives the verdict.
    fn finish(self: Box<Self>) -> Verdict;
}

/// What one event led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The messages accepted, in the order of the stream.
    pub accepted: Vec<Accepted>,
    /// How the session may go on.
    pub state: State,
}

/// How a session may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Something is still awaited, or nothing changed.
    Go,
    /// This event accepted a reply, and no request is without one now.
    Awaited,
    /// A `must` finding is proven, or the run is inconclusive for good: end the session.
    Final,
}

/// A message that every layer accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// Its kind.
    pub kind: MessageKind,
    /// Its id as it stood on the wire. None if it has none, or if it is longer than is kept.
    pub id: Option<RawId>,
    /// The decoded method of a request or notification.
    pub method: Option<Box<str>>,
    /// The whole message, for a reply to a request sent with `KeepBody::Keep`.
    pub body: Option<Box<[u8]>>,
}
