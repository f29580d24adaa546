//! The exit statuses of the command.

use std::process::ExitCode;

use model::{Inconclusive, Outcome};

use super::stop::end_by;

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
    /// The probe was stopped by a signal, by which it also ends; a shell shows 128 and its number.
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

impl Status {
    /// Ends the process: by the signal that stopped it, if one did, so that whoever waits for it
    /// sees that; else by what this gives.
    #[must_use]
    pub fn end(self) -> ExitCode {
        if let Self::Signal(number) = self {
            end_by(i32::from(number));
        }
        self.into()
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.code())
    }
}
