//! How far a session is, and how each of its parts ended.

use crate::pipe::PipeReader;

/// How far a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The steps of the plan are carried out.
    Running,
    /// stdout has ended, which we did not cause, and the exit is awaited with stdin open.
    Grace,
    /// The exit is awaited after what we did to bring it about.
    Ladder(Rung),
    /// The process has ended, and stdout has not.
    AfterExit,
    /// The process was reaped; stderr is read to its end.
    Reaped,
    /// Nothing is awaited any more.
    Over,
}

/// A rung of the shutdown ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rung {
    /// stdin is closed as soon as what waits is written.
    Unwritten,
    /// stdin was closed.
    EndOfStdin,
    /// SIGTERM was sent.
    Terminated,
    /// SIGKILL was sent.
    Killed,
}

/// What to do with messages that wait to be written when a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unwritten {
    /// Write them first.
    Write,
    /// Drop them.
    Discard,
}

/// How long what outlives the launched process is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// As long as the budgets say.
    Usual,
    /// A moment: whoever runs the session wants its end.
    Little,
    /// Not at all.
    None,
}

/// An output of the server.
pub(super) struct Stream {
    pub(super) pipe: Option<PipeReader>,
    pub(super) end: StreamEnd,
}

/// How the reading of an output ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StreamEnd {
    /// It has not.
    Reading,
    /// At its end.
    Reached,
    /// Somebody held it open for longer than we read.
    Held,
    /// We stopped.
    Cut,
    /// We closed it, as the scenario says.
    Left,
}

impl Stream {
    pub(super) fn new(pipe: PipeReader) -> Self {
        Self { pipe: Some(pipe), end: StreamEnd::Reading }
    }

    pub(super) fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Closes our end.
    pub(super) fn close(&mut self, end: StreamEnd) {
        self.pipe = None;
        self.end = end;
    }
}
