//! The launched process and its descendants: starting it, noticing its exit, signalling, reaping,
//! and the guard that kills what is left whichever way a session ends.

mod direct;
mod kin;
mod start;
mod stat;
mod supervised;
pub(crate) mod wire;

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use model::{Activity, ExitStatus, ResourceUsage};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::time::Instant;

use direct::Guard;
pub use start::is_ignored;
pub(crate) use start::{Launched, Program};
pub(crate) use stat::Stat;
pub(crate) use supervised::{NotStarted, Supervised};

/// Whether a supervisor makes a namespace of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isolation {
    /// No.
    None,
    /// One of users, processes and mounts.
    Namespace,
}

/// Who keeps hold of a launched process.
pub(crate) enum Keeper {
    /// We do: it is our child.
    Direct(Guard),
    /// Its supervisor.
    Supervised(Supervised),
}

/// Descendants that outlived the launched process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outlived {
    /// So many; none if it is 0.
    Counted(u32),
    /// Some, or perhaps some, which cannot be seen.
    Unseen,
}

/// The launched process, which leads a session and a process group of its own.
///
/// Dropping it kills the group and reaps the process, unless that was already done.
pub(crate) struct Leader {
    keeper: Keeper,
    pidfd: AsyncFd<OwnedFd>,
}

impl Leader {
    /// Takes over a process that was just launched. Must be called within a runtime.
    ///
    /// # Errors
    ///
    /// If its exit cannot be awaited. Then it has been killed and reaped.
    pub(crate) fn new(keeper: Keeper) -> io::Result<Self> {
        let pidfd = match &keeper {
            Keeper::Direct(guard) => guard.pidfd()?,
            Keeper::Supervised(supervised) => supervised.pidfd()?,
        };
        let pidfd = readable(pidfd)?;
        Ok(Self { keeper, pidfd })
    }

    /// Waits until the process has ended. It is not reaped by that: until it is, neither its
    /// number nor that of its group can be given to another.
    pub(crate) async fn exited(&self) -> io::Result<()> {
        self.pidfd.readable().await.map(|_guard| ())
    }

    /// Whether the process has ended by now.
    pub(crate) fn has_exited(&self) -> bool {
        let mut fds = [PollFd::new(self.pidfd.get_ref(), PollFlags::IN)];
        poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|ready| ready > 0)
    }

    /// Asks the whole group to end, the stopped ones too.
    pub(crate) fn terminate(&mut self) {
        match &mut self.keeper {
            Keeper::Direct(guard) => {
                guard.signal(Signal::TERM);
                guard.signal(Signal::CONT);
            }
            Keeper::Supervised(supervised) => supervised.terminate(),
        }
    }

    /// Passes a signal on to the whole group.
    pub(crate) fn forward(&mut self, signal: Signal) {
        match &mut self.keeper {
            Keeper::Direct(guard) => guard.signal(signal),
            // A supervisor takes two signals only; the others reach the server alone.
            Keeper::Supervised(supervised) => supervised.signal(signal),
        }
    }

    /// Kills the whole group.
    pub(crate) fn kill(&mut self) {
        match &mut self.keeper {
            Keeper::Direct(guard) => guard.signal(Signal::KILL),
            Keeper::Supervised(supervised) => supervised.kill(),
        }
    }

    fn pid(&self) -> Option<Pid> {
        match &self.keeper {
            Keeper::Direct(guard) => Some(guard.pid()),
            Keeper::Supervised(supervised) => supervised.pid(),
        }
    }

    /// What the processes of its session and group have used of a processor. None if that cannot
    /// be seen.
    pub(crate) fn processor_time(&self) -> Option<Duration> {
        let leader = self.pid();
        leader?;
        let ours = |process: &Stat| process.session == leader || process.group == leader;
        Some(Stat::all()?.filter(ours).map(|process| process.processor_time()).sum())
    }

    /// What the process is doing. None if that cannot be seen.
    pub(crate) fn activity(&self) -> Option<Activity> {
        Some(match Stat::read(self.pid()?)?.state {
            stat::State::Running => Activity::Running,
            stat::State::Stopped => Activity::Stopped,
            stat::State::Ended => return None,
        })
    }

    /// Collects the exit status, if the process has ended, and what it used, if that is known.
    pub(crate) fn reap(&mut self) -> Option<(ExitStatus, Option<ResourceUsage>)> {
        match &mut self.keeper {
            // What all children of this process used is not what this one did.
            Keeper::Direct(guard) => guard.reap().map(|status| (status, None)),
            Keeper::Supervised(supervised) => {
                supervised.reap().map(|(status, usage)| (status, Some(usage)))
            }
        }
    }

    /// The descendants of the reaped process that are left at `end`, or that there are none as
    /// soon as that is so.
    pub(crate) async fn outlived(&mut self, end: Instant) -> Outlived {
        match &mut self.keeper {
            Keeper::Direct(guard) => guard.outlived(end).await,
            Keeper::Supervised(supervised) => supervised.outlived(end).await,
        }
    }

    /// Kills the descendants of the reaped process, and says what is left of them at `end`.
    pub(crate) async fn kill_strays(&mut self, end: Instant) -> Outlived {
        match &mut self.keeper {
            Keeper::Direct(guard) => guard.kill_strays(end).await,
            Keeper::Supervised(supervised) => supervised.kill_strays(end).await,
        }
    }

    /// Says that nothing is left of the process and its descendants, or nothing that can be
    /// dealt with.
    pub(crate) fn release(&mut self) {
        match &mut self.keeper {
            Keeper::Direct(guard) => guard.release(),
            // The supervisor has nothing left to do, sees that by itself, and ends.
            Keeper::Supervised(_) => {}
        }
    }
}

/// Something that becomes readable when the process ends, without reaping it.
fn watch(pid: Pid) -> io::Result<AsyncFd<OwnedFd>> {
    readable(pidfd_open(pid, PidfdFlags::empty())?)
}

fn readable(pidfd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    #[expect(
        deprecated,
        reason = "it asks of a descriptor what an OwnedFd grants: to stay the same, and open"
    )]
    AsyncFd::with_interest(pidfd, Interest::READABLE)
}
