//! How a run ended for the process and for the pipes.

use std::fmt;
use std::time::Duration;

/// How well something was cleaned up. What could not be seen is `Unknown`, never `Clean`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cleanliness {
    /// It ended by itself.
    Clean,
    /// It ended after we signalled it.
    Escalated,
    /// Something outlived it.
    Leaked,
    /// It could not be seen.
    Unknown,
}

impl Cleanliness {
    /// The name used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Escalated => "escalated",
            Self::Leaked => "leaked",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Cleanliness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One step of the shutdown ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LadderStepName {
    /// stdin was closed.
    CloseStdin,
    /// SIGTERM, then SIGCONT, to the process group.
    Terminate,
    /// SIGKILL to the process group.
    Kill,
    /// SIGKILL to what was left of the group after the leader had gone.
    KillStrays,
    /// The exit status was collected.
    Reap,
}

impl LadderStepName {
    /// The name used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CloseStdin => "close-stdin",
            Self::Terminate => "terminate",
            Self::Kill => "kill",
            Self::KillStrays => "kill-strays",
            Self::Reap => "reap",
        }
    }
}

impl fmt::Display for LadderStepName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A step that was taken, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LadderStep {
    /// Which step.
    pub name: LadderStepName,
    /// When it was taken, since the launch.
    pub at: Duration,
}

/// What is known of the cleanup of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cleanup {
    /// Of the process and its group.
    pub process: Cleanliness,
    /// Of the readers of stdout and stderr.
    pub readers: Cleanliness,
    /// Whether the exit status of the launched process was collected.
    pub child_reaped: ReapState,
    /// Processes of the group that outlived the launched process.
    pub strays: u32,
    /// The steps taken, in order.
    pub steps: Vec<LadderStep>,
}

/// Whether a child's exit status was collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReapState {
    /// It was.
    Reaped,
    /// The child was still there when the ladder ended.
    NotReaped,
    /// There was no child.
    NeverLaunched,
}
