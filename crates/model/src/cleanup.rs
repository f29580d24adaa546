//! How a run ended for the process and for the pipes.

use std::fmt;
use std::time::Duration;

use crate::event::Signal;

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

/// How far a server's processes are held together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContainmentLevel {
    /// By a session and a process group. A descendant that leaves them is not seen.
    Group,
    /// By a supervisor, to which every orphan among the descendants comes, and which ends them all
    /// when the probe is killed.
    Supervisor,
    /// By a supervisor that is the first process of a PID namespace: the kernel ends with it
    /// whatever is in there.
    Namespace,
}

impl ContainmentLevel {
    /// The name used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Supervisor => "supervisor",
            Self::Namespace => "namespace",
        }
    }
}

impl fmt::Display for ContainmentLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How a server's processes were held together, and what could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Containment {
    /// The level in force.
    pub level: ContainmentLevel,
    /// The levels that were asked for and could not be had, with the system's words for it.
    pub declined: Vec<(ContainmentLevel, Box<str>)>,
}

impl Containment {
    /// A level that was had at once.
    #[must_use]
    pub fn of(level: ContainmentLevel) -> Self {
        Self { level, declined: Vec::new() }
    }
}

/// A signal that was sent, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentSignal {
    /// Which signal.
    pub signal: Signal,
    /// When it was sent, since the launch.
    pub at: Duration,
}

/// What a server used, with those of its descendants that it waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceUsage {
    /// Processor time in the program itself.
    pub user: Duration,
    /// Processor time in the kernel.
    pub system: Duration,
    /// The most memory that one of the processes had, in bytes.
    pub max_rss_bytes: u64,
}

/// What the launched process was doing at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activity {
    /// It ran, or waited for something.
    Running,
    /// A signal had stopped it: it was not slow, it did nothing at all.
    Stopped,
}

impl Activity {
    /// The name used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
        }
    }
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What is known of the cleanup of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cleanup {
    /// Of the process and its descendants, as far as the containment shows them.
    pub process: Cleanliness,
    /// Of the readers of stdout and stderr.
    pub readers: Cleanliness,
    /// Whether the exit status of the launched process was collected.
    pub child_reaped: ReapState,
    /// Descendants that outlived the launched process.
    pub strays: u32,
    /// How many of them were gone after we had killed them.
    pub strays_killed: u32,
    /// The steps taken, in order.
    pub steps: Vec<LadderStep>,
    /// The signals sent, in order.
    pub signals: Vec<SentSignal>,
    /// How the server's processes were held together.
    pub containment: Containment,
    /// What the server used. None if that is not known.
    pub usage: Option<ResourceUsage>,
    /// What the launched process was doing when a deadline of the session passed. None if none
    /// did, or if it could not be seen.
    pub at_deadline: Option<Activity>,
    /// What of our messages the server had not taken by then. None if no deadline passed, or if
    /// it could not be seen.
    pub stdin_at_deadline: Option<Untaken>,
}

/// What the server had not taken of the messages that were sent to it, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Untaken {
    /// Written to the pipe, and not read from it.
    pub unread: u64,
    /// For which the pipe had no room.
    pub unwritten: u64,
}

impl Cleanup {
    /// That of a run in which no process was launched.
    #[must_use]
    pub fn of_nothing() -> Self {
        Self {
            process: Cleanliness::Clean,
            readers: Cleanliness::Clean,
            child_reaped: ReapState::NeverLaunched,
            strays: 0,
            strays_killed: 0,
            steps: Vec::new(),
            signals: Vec::new(),
            containment: Containment::of(ContainmentLevel::Group),
            usage: None,
            at_deadline: None,
            stdin_at_deadline: None,
        }
    }
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
