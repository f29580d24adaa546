//! The exit statuses of the command.

use std::process::ExitCode;

use model::{Inconclusive, Outcome};

/// How the command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// 0: stdout carried nothing but valid messages.
    Valid,
    /// 1: a violation was found.
    Violation,
    /// 2: the command line or the input is wrong.
    Usage,
    /// 3: the server could not be launched.
    NotLaunched,
    /// 4: the run proved nothing, for another reason.
    Inconclusive,
    /// 70: a fault of the probe itself.
    Internal,
    /// 128 and the signal's number: the probe was stopped by a signal.
    Signal(u8),
    /// The status with which a played case ends.
    Played(u8),
}

impl Status {
    /// The status of an outcome.
    #[must_use]
    pub fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::ValidStdout => Self::Valid,
            Outcome::Violation(_) => Self::Violation,
            Outcome::Inconclusive(Inconclusive::Launch(_)) => Self::NotLaunched,
            Outcome::Inconclusive(_) => Self::Inconclusive,
        }
    }

    /// The number.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Valid => 0,
            Self::Violation => 1,
            Self::Usage => 2,
            Self::NotLaunched => 3,
            Self::Inconclusive => 4,
            Self::Internal => 70,
            Self::Signal(number) => 128 + number,
            Self::Played(code) => code,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.code())
    }
}
