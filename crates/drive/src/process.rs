//! The launched process and its group: noticing its exit, signalling, reaping, and the guard that
//! kills what is left whichever way a session ends.

mod group;

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::Child;
use std::time::Duration;

use model::ExitStatus;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, getpgid, kill_process_group, pidfd_open, pidfd_send_signal,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

pub(crate) use group::{Members, Watched, gone, kill_members, members};

/// How long the guard waits for a process that it has killed.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// The launched process, which leads a process group of its own.
///
/// Dropping it kills the group and reaps the process, unless that was already done.
pub(crate) struct Leader {
    guard: Guard,
    pidfd: AsyncFd<OwnedFd>,
}

impl Leader {
    /// Takes over a child that was just launched. Must be called within a runtime.
    ///
    /// # Errors
    ///
    /// If its exit cannot be awaited. Then it has been killed and reaped.
    pub(crate) fn new(child: Child) -> io::Result<Self> {
        let guard = Guard::new(child);
        let pidfd = watch(guard.group)?;
        Ok(Self { guard, pidfd })
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
    pub(crate) fn terminate(&self) {
        self.signal(Signal::TERM);
        self.signal(Signal::CONT);
    }

    /// Kills the whole group.
    pub(crate) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Passes a signal on to the whole group.
    pub(crate) fn forward(&self, signal: Signal) {
        self.signal(signal);
    }

    /// Signals the group, and the process itself if it has moved to another.
    fn signal(&self, signal: Signal) {
        self.guard.signal(signal);
        if getpgid(Some(self.guard.group)) != Ok(self.guard.group) {
            let _ = pidfd_send_signal(self.pidfd.get_ref(), signal);
        }
    }

    /// Collects the exit status, if the process has ended.
    pub(crate) fn reap(&mut self) -> Option<ExitStatus> {
        self.guard.reap()
    }

    /// The number of the group, which is that of the process.
    pub(crate) fn group(&self) -> Pid {
        self.guard.group
    }

    /// Says that the group is empty or was killed, so that nothing is left to do.
    pub(crate) fn release(&mut self) {
        self.guard.left = Left::Nothing;
    }
}

/// Something that becomes readable when the process ends, without reaping it.
fn watch(pid: Pid) -> io::Result<AsyncFd<OwnedFd>> {
    let pidfd = pidfd_open(pid, PidfdFlags::empty())?;
    #[expect(
        deprecated,
        reason = "it asks of a descriptor what an OwnedFd grants: to stay the same, and open"
    )]
    AsyncFd::with_interest(pidfd, Interest::READABLE)
}

/// What is left to do for a launched process.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    /// To kill the group and reap the process.
    Process,
    /// To kill what is left of the group.
    Group,
    /// Nothing.
    Nothing,
}

struct Guard {
    child: Child,
    group: Pid,
    left: Left,
}

impl Guard {
    fn new(child: Child) -> Self {
        let group = i32::try_from(child.id())
            .ok()
            .and_then(Pid::from_raw)
            .expect("the number of a process is positive and fits an i32");
        Self { child, group, left: Left::Process }
    }

    /// Signals the group of a process that was not reaped: its number is still its own. The
    /// process may have ended, so that there is nobody to signal, and that is no error.
    fn signal(&self, signal: Signal) {
        if self.left == Left::Process {
            let _ = kill_process_group(self.group, signal);
        }
    }

    fn reap(&mut self) -> Option<ExitStatus> {
        let Ok(status) = self.child.try_wait() else {
            // Somebody else collected it, so its number may belong to another by now.
            self.left = Left::Nothing;
            return None;
        };
        let status = status?;
        self.left = Left::Group;
        match (status.code(), status.signal()) {
            (Some(code), _) => Some(ExitStatus::Code(code)),
            (None, Some(signal)) => Some(ExitStatus::Signal(signal)),
            (None, None) => None,
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        match self.left {
            Left::Process => {
                self.signal(Signal::KILL);
                // A killed process ends at once, unless the kernel itself holds it.
                if let Ok(pidfd) = pidfd_open(self.group, PidfdFlags::empty()) {
                    let mut fds = [PollFd::new(&pidfd, PollFlags::IN)];
                    let wait = Timespec::try_from(LAST_WAIT).ok();
                    let _ = poll(&mut fds, wait.as_ref());
                }
                let _ = self.child.try_wait();
            }
            Left::Group => kill_members(self.group),
            Left::Nothing => {}
        }
    }
}
