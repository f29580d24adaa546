//! How long each part of a session may take, and how much of it is kept.

use std::time::Duration;

/// How long each part of a session may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budgets {
    /// From the launch to the first reply.
    pub startup: Duration,
    /// From the requests of a step to the last of their replies. Absolute: nothing else that the
    /// server writes moves it.
    pub reply: Duration,
    /// For each rung of the shutdown ladder: after the closing of stdin, after SIGTERM, after
    /// SIGKILL.
    pub shutdown: Duration,
    /// From an end of stdout that we did not cause to the exit of the process.
    pub exit_grace: Duration,
    /// From the exit of the launched process: how long its descendants may hold stdout or stderr
    /// open, or live on.
    pub leak_window: Duration,
    /// From the launch to the last step before the shutdown ladder.
    pub total: TotalBudget,
}

/// The budget of the whole session, without its shutdown ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TotalBudget {
    /// 60 s, or as much as the startup and one reply may take together, if that is longer.
    Fitted,
    /// This much, even if a deadline of the session would end later.
    Exactly(Duration),
}

impl Budgets {
    const USUAL_TOTAL: Duration = Duration::from_secs(60);

    /// The budget of the whole session in force.
    #[must_use]
    pub fn total(&self) -> Duration {
        match self.total {
            TotalBudget::Fitted => Self::USUAL_TOTAL.max(self.startup.saturating_add(self.reply)),
            TotalBudget::Exactly(budget) => budget,
        }
    }
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            startup: Duration::from_secs(30),
            reply: Duration::from_secs(10),
            shutdown: Duration::from_secs(2),
            exit_grace: Duration::from_secs(2),
            leak_window: Duration::from_secs(2),
            total: TotalBudget::Fitted,
        }
    }
}

/// How much of a session is read and kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Bytes of stdout that are read and judged. One more ends the session.
    pub stdout_total: u64,
    /// Bytes of stdout that are still read, for diagnosis, once the session was ended early.
    pub stdout_drain: u64,
    /// Bytes kept of the beginning of stderr.
    pub stderr_head: usize,
    /// Bytes kept of the end of stderr.
    pub stderr_tail: usize,
    /// Bytes of stdout kept in the transcript.
    pub transcript_stdout: usize,
    /// Bytes of stderr kept in the transcript.
    pub transcript_stderr: usize,
    /// Events kept in the transcript. Beyond it, those whose number the server decides are
    /// merged with the one before or left out; all others are still kept.
    pub transcript_events: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            stdout_total: 256 * 1024 * 1024,
            stdout_drain: 1024 * 1024,
            stderr_head: 16 * 1024,
            stderr_tail: 48 * 1024,
            transcript_stdout: 16 * 1024 * 1024,
            transcript_stderr: 1024 * 1024,
            transcript_events: 65_536,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_raised_to_fit_a_startup_and_a_reply() {
        assert_eq!(Budgets::default().total(), Duration::from_secs(60));
        let slow_start = Budgets { startup: Duration::from_secs(90), ..Budgets::default() };
        assert_eq!(slow_start.total(), Duration::from_secs(100));
        let endless = Budgets { reply: Duration::MAX, ..Budgets::default() };
        assert_eq!(endless.total(), Duration::MAX);
    }

    #[test]
    fn a_total_that_was_asked_for_is_kept() {
        let budgets =
            Budgets { total: TotalBudget::Exactly(Duration::from_secs(1)), ..Budgets::default() };
        assert_eq!(budgets.total(), Duration::from_secs(1));
    }
}
