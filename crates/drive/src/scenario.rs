//! What the client side does in one session, as data: steps, each with constant ids.
//!
//! Owns the format, its reading, and the scenarios that come with the probe. What a step does is
//! told by [`Step`]; the client side in `plan` carries it out.

mod builtin;
mod error;
mod parse;

use std::time::Duration;

use model::{ProtocolVersion, RawId};

pub use error::{ScenarioError, ScenarioFault};

/// What the client side does in one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    name: Box<str>,
    title: Box<str>,
    steps: Vec<Step>,
}

/// A step of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Sends `initialize` and awaits its reply.
    Initialize,
    /// Sends `notifications/initialized`.
    Initialized,
    /// Sends `server/discover` and awaits its reply.
    Discover,
    /// Asks for all pages of all lists that the server announces.
    Lists,
    /// Calls the tools that are to be called, one after another.
    Calls,
    /// Sends the same calls together and awaits nothing.
    CallsTogether,
    /// Sends several calls of one tool together, their texts made long, and awaits nothing.
    LargeCalls { copies: u32, characters: usize },
    /// Asks for a method that no server knows, and awaits the reply.
    UnknownMethod,
    /// Subscribes to what the server announces, awaits the acknowledgement, cancels.
    Listen,
    /// Sends messages together and awaits nothing.
    Send(Vec<Message>),
    /// Writes bytes that are no message.
    Raw(Box<[u8]>),
    /// Awaits every reply that is open.
    Expect,
    /// Awaits them for a while, and then no longer.
    ExpectWithin(Duration),
    /// Cancels every request that is open.
    CancelOpen,
    /// Waits until the server has written nothing for `quiet`, or `at_most` has passed.
    WaitForQuiet { quiet: Duration, at_most: Duration },
    /// Reads stdout in small pieces from now on.
    ReadSlowly(Pace),
    /// Closes our end of stdout.
    CloseStdout,
    /// Closes stdin, whatever is open.
    CloseStdinNow,
    /// Closes stdin once nothing is open.
    CloseStdinWhenIdle,
}

/// A message of a scenario, as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// None for a notification.
    pub(crate) id: Option<RawId>,
    pub(crate) method: Box<str>,
    /// The text of a JSON object on one line.
    pub(crate) params: Option<Box<str>>,
}

/// How slowly stdout is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pace {
    /// As much is read at once.
    pub(crate) bytes: usize,
    /// As long is waited after it.
    pub(crate) pause: Duration,
}

/// How a session begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// With `initialize`.
    Handshake,
    /// With `server/discover`, or with any request that names its revision.
    Stateless,
}

impl Era {
    /// The era of a revision.
    #[must_use]
    pub fn of(protocol: ProtocolVersion) -> Self {
        if protocol > ProtocolVersion::NEWEST_WITH_HANDSHAKE {
            Self::Stateless
        } else {
            Self::Handshake
        }
    }
}

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    ///
    /// Where the text is no scenario: the line, and why.
    pub fn parse(name: &str, text: &str) -> Result<Self, ScenarioError> {
        parse::scenario(name, text)
    }

    /// The scenario of this name that comes with the probe.
    #[must_use]
    pub fn built_in(name: &str) -> Option<Self> {
        builtin::ALL
            .iter()
            .find(|(of, _)| *of == name)
            .map(|(name, text)| Self::parse(name, text).expect("a test reads every one of them"))
    }

    /// The names of the scenarios that come with the probe.
    pub fn built_in_names() -> impl Iterator<Item = &'static str> {
        builtin::ALL.iter().map(|(name, _)| *name)
    }

    /// The ordinary session of a revision.
    #[must_use]
    pub fn ordinary(protocol: ProtocolVersion) -> Self {
        let name = match Era::of(protocol) {
            Era::Handshake => "session",
            Era::Stateless => "stateless-session",
        };
        Self::built_in(name).expect("a test looks for both of them")
    }

    /// The name: that of a built-in scenario, or of the file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One sentence: what it does.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The era that the scenario is for. None if it fits both.
    #[must_use]
    pub fn era(&self) -> Option<Era> {
        self.steps.iter().find_map(|step| match step {
            Step::Initialize => Some(Era::Handshake),
            Step::Discover => Some(Era::Stateless),
            _ => None,
        })
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }
}
