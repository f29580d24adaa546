//! The phases of one session.

use std::fmt;
use std::str::FromStr;

/// What the client side was doing when something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Before the server's process exists.
    Launch,
    /// From the launch to the first reply.
    Startup,
    /// From the reply to initialize to the first request after it.
    Handshake,
    /// The list requests.
    Discovery,
    /// Tool calls, and the request for an unknown method.
    Call,
    /// Nothing is pending and stdin is open.
    Idle,
    /// From the closing of stdin.
    Shutdown,
    /// From the exit of the process that was launched.
    AfterExit,
}

impl Phase {
    /// Every phase, in the order of a session.
    pub const ALL: [Self; 8] = [
        Self::Launch,
        Self::Startup,
        Self::Handshake,
        Self::Discovery,
        Self::Call,
        Self::Idle,
        Self::Shutdown,
        Self::AfterExit,
    ];

    /// The name used in reports and cases.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::Startup => "startup",
            Self::Handshake => "handshake",
            Self::Discovery => "discovery",
            Self::Call => "call",
            Self::Idle => "idle",
            Self::Shutdown => "shutdown",
            Self::AfterExit => "after-exit",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Phase {
    type Err = ();

    /// Parses the name used in reports and cases.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|phase| phase.name() == text).ok_or(())
    }
}
