//! The processes of one launch, found by a variable in their environment.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

const VARIABLE: &str = "SOAK_MARK";

/// A mark that the processes of one launch bear.
pub(super) struct Mark(String);

impl Mark {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(format!("{}-{number}", std::process::id()))
    }

    /// Name and value of the variable.
    pub(super) fn variable(&self) -> (&'static str, &str) {
        (VARIABLE, &self.0)
    }

    /// The processes that bear it and have not ended.
    pub(super) fn alive(&self) -> Vec<Pid> {
        let wanted = format!("{VARIABLE}={}", self.0).into_bytes();
        let bears = |pid: &i32| {
            // A process that has ended has no environment.
            fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| {
                environment.split(|byte| *byte == 0).any(|variable| variable == wanted)
            })
        };
        let Ok(processes) = fs::read_dir("/proc") else {
            return Vec::new();
        };
        processes
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter(bears)
            .filter_map(Pid::from_raw)
            .collect()
    }

    /// Waits until none is left, or for so long for each that is. Gives those that are left.
    pub(super) fn await_none(&self, patience: Duration) -> Vec<Pid> {
        loop {
            let alive = self.alive();
            if alive.is_empty() || !alive.iter().all(|pid| ends(*pid, patience)) {
                return alive;
            }
        }
    }
}

/// Whether a process ends in this time.
pub(super) fn ends(pid: Pid, patience: Duration) -> bool {
    let Ok(pidfd) = pidfd_open(pid, PidfdFlags::empty()) else {
        return true;
    };
    let mut fds = [PollFd::new(&pidfd, PollFlags::IN)];
    let patience = Timespec::try_from(patience).ok();
    poll(&mut fds, patience.as_ref()) == Ok(1)
}
