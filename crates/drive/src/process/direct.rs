//! A launched process that is our own child.

use std::os::fd::OwnedFd;
use std::time::Duration;

use model::ExitStatus;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, getpgid, kill_process, kill_process_group,
    pidfd_open, pidfd_send_signal, waitid,
};
use tokio::time::Instant;

use super::Outlived;
use super::kin::{Kin, Registered, Watched, gone, kill_kin, kin};

/// How long the guard waits for a process that it has killed.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// What is left to do for a launched process.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    /// To kill the group and reap the process.
    Process,
    /// To kill what is left of its descendants.
    Kin,
    /// Nothing.
    Nothing,
}

/// A child of ours, which leads a session and a group. Dropping it kills them and reaps it, unless
/// that was already done.
pub(crate) struct Guard {
    pid: Pid,
    left: Left,
    _registered: Registered,
}

impl Guard {
    /// Of a child that was just started.
    pub(super) fn new(pid: Pid) -> Self {
        Self { pid, left: Left::Process, _registered: Registered::new(pid) }
    }

    /// Something that becomes readable when it ends.
    pub(super) fn pidfd(&self) -> io::Result<OwnedFd> {
        pidfd_open(self.pid, PidfdFlags::empty())
    }

    /// Its number, which is that of its group and session.
    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// Signals the group of a process that was not reaped, so that its number is still its own,
    /// and the process itself if it has moved to another. The process may have ended, so that
    /// there is nobody to signal, and that is no error.
    pub(super) fn signal(&self, signal: Signal) {
        if self.left == Left::Process {
            let _ = kill_process_group(self.pid, signal);
            if getpgid(Some(self.pid)) != Ok(self.pid) {
                let _ = kill_process(self.pid, signal);
            }
        }
    }

    /// Collects the exit status, if the process has ended.
    pub(super) fn reap(&mut self) -> Option<ExitStatus> {
        if self.left != Left::Process {
            return None;
        }
        let Ok(status) =
            waitid(WaitId::Pid(self.pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG)
        else {
            // Somebody else collected it, so its number may belong to another by now.
            self.left = Left::Nothing;
            return None;
        };
        let status = status?;
        self.left = Left::Kin;
        match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Some(ExitStatus::Code(code)),
            (None, Some(signal)) => Some(ExitStatus::Signal(signal)),
            (None, None) => None,
        }
    }

    /// The descendants that are left at `end`, or that there are none as soon as that is so.
    pub(super) async fn outlived(&self, end: Instant) -> Outlived {
        loop {
            let found = kin(self.pid);
            let Kin::Running(pids) = &found else {
                return found.into();
            };
            if Instant::now() >= end || gone(self.pid, pids, end).await == Watched::None {
                return kin(self.pid).into();
            }
        }
    }

    /// Kills what is known of the descendants, and says what is left of them at `end`.
    pub(super) async fn kill_strays(&self, end: Instant) -> Outlived {
        let found = kin(self.pid);
        kill_kin(self.pid);
        if let Kin::Running(pids) = &found {
            gone(self.pid, pids, end).await;
        }
        kin(self.pid).into()
    }

    /// Says that nothing is left of it, or nothing that can be dealt with.
    pub(super) fn release(&mut self) {
        self.left = Left::Nothing;
    }
}

impl From<Kin> for Outlived {
    fn from(found: Kin) -> Self {
        match found {
            Kin::None => Self::Counted(0),
            Kin::Running(pids) => Self::Counted(u32::try_from(pids.len()).unwrap_or(u32::MAX)),
            Kin::Unseen => Self::Unseen,
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if self.left == Left::Process {
            self.signal(Signal::KILL);
            // A killed process ends at once, unless the kernel itself holds it.
            if let Ok(pidfd) = self.pidfd() {
                let _ = pidfd_send_signal(&pidfd, Signal::KILL);
                let mut fds = [PollFd::new(&pidfd, PollFlags::IN)];
                let wait = Timespec::try_from(LAST_WAIT).ok();
                let _ = poll(&mut fds, wait.as_ref());
            }
            self.reap();
        }
        if self.left == Left::Kin {
            kill_kin(self.pid);
        }
    }
}
