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

    /// Which of several statuses stands for all: a fault of the probe before a wrong input, that
    /// before a violation, that before whatever was not tested, and that before success.
    #[must_use]
    pub fn worst(statuses: impl IntoIterator<Item = Self>) -> Option<Self> {
        let weight = |status: &Self| match status {
            Self::Signal(_) => 7,
            Self::Internal => 6,
            Self::Usage => 5,
            Self::Violation => 4,
            Self::NotLaunched => 3,
            Self::Inconclusive => 2,
            Self::Played(_) => 1,
            Self::Valid => 0,
        };
        statuses.into_iter().max_by_key(weight)
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

#[cfg(test)]
mod tests {
    use super::Status;

    #[test]
    fn the_worst_status_stands_for_all() {
        use Status::{Inconclusive, Internal, NotLaunched, Usage, Valid, Violation};
        assert_eq!(Status::worst([]), None);
        assert_eq!(Status::worst([Valid, Valid]), Some(Valid));
        // What was not tested is no success, and a proven violation is worse than both.
        assert_eq!(Status::worst([Valid, Inconclusive]), Some(Inconclusive));
        assert_eq!(Status::worst([Inconclusive, NotLaunched, Valid]), Some(NotLaunched));
        assert_eq!(Status::worst([NotLaunched, Violation, Valid]), Some(Violation));
        assert_eq!(Status::worst([Violation, Usage]), Some(Usage));
        assert_eq!(Status::worst([Usage, Internal, Violation]), Some(Internal));
    }
}
