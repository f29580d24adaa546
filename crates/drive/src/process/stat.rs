//! What the kernel tells of processes, in `/proc`.

use std::fs;
use std::time::Duration;

use rustix::param::clock_ticks_per_second;
use rustix::process::Pid;

/// One process, or one thread of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) pid: Pid,
    pub(crate) state: State,
    /// None for a process of the kernel, and for one whose parent is in another PID namespace.
    pub(crate) parent: Option<Pid>,
    pub(crate) group: Option<Pid>,
    pub(crate) session: Option<Pid>,
    /// What it used of a processor in both modes, in the clock ticks of sysconf(3).
    ticks: u64,
}

/// Whether a process goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    /// By a signal, or by whoever traces it.
    Stopped,
    /// It has ended, and is not reaped.
    Ended,
}

impl Stat {
    /// Reads it. None if there is no such process, or if it cannot be seen.
    pub(crate) fn read(pid: Pid) -> Option<Self> {
        let text = fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
        Self::parse(pid, &text)
    }

    /// Every process that can be seen. None if they cannot be listed.
    pub(crate) fn all() -> Option<impl Iterator<Item = Self>> {
        let entries = fs::read_dir("/proc").ok()?;
        let pids = entries.filter_map(|entry| number(entry.ok()?.file_name().to_str()?));
        Some(pids.filter_map(Self::read))
    }

    /// The name of the program stands in brackets and may itself hold blanks and brackets.
    fn parse(pid: Pid, text: &[u8]) -> Option<Self> {
        let name_end = text.iter().rposition(|byte| *byte == b')')?;
        let rest = str::from_utf8(&text[name_end + 1..]).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        let state = match fields.next()? {
            "Z" | "X" | "x" => State::Ended,
            "T" | "t" => State::Stopped,
            _ => State::Running,
        };
        let [parent, group, session] = [fields.next()?, fields.next()?, fields.next()?].map(number);
        // Fields 14 and 15 of proc(5); 3 to 6 have been taken.
        let ticks = fields.skip(7).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        Some(Self { pid, state, parent, group, session, ticks })
    }

    /// What it used of a processor, as exactly as the kernel tells.
    pub(crate) fn processor_time(&self) -> Duration {
        let per_second = clock_ticks_per_second().max(1);
        Duration::from_millis(self.ticks * 1000 / per_second)
    }

    /// Whether it is a process, and not one of the further threads of one.
    pub(crate) fn is_process(&self) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid.as_raw_nonzero()));
        let Ok(status) = status else { return false };
        let process = status.lines().find_map(|line| line.strip_prefix("Tgid:"));
        process.and_then(|process| number(process.trim())) == Some(self.pid)
    }

    /// Whether it has not ended.
    pub(crate) fn is_alive(&self) -> bool {
        self.state != State::Ended
    }
}

/// The number that was last given to a process or thread. None if that cannot be seen.
pub(crate) fn last_number() -> Option<Pid> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    number(text.split_ascii_whitespace().last()?)
}

/// The number of a process, group or session. A process of the kernel has group 0, and one that
/// is just being reaped has group -1.
fn number(text: &str) -> Option<Pid> {
    let number: i32 = text.parse().ok()?;
    (number > 0).then(|| Pid::from_raw(number)).flatten()
}

#[cfg(test)]
mod tests {
    use rustix::process::{getpid, getppid};

    use super::*;

    #[test]
    fn the_name_of_a_program_may_hold_anything() {
        let pid = Pid::from_raw(7).unwrap();
        let told = |text: &[u8]| {
            Stat::parse(pid, text).map(|stat| {
                let raw = |pid: Option<Pid>| pid.map_or(0, Pid::as_raw_pid);
                (stat.state, raw(stat.parent), raw(stat.group), raw(stat.session))
            })
        };
        assert_eq!(told(b"7 (a) S 1 2 ) R 1 42 43 0"), Some((State::Running, 1, 42, 43)));
        assert_eq!(told(b"7 (\xff) Z 1 42 42"), Some((State::Ended, 1, 42, 42)));
        assert_eq!(told(b"7 (x) S 2 0 0"), Some((State::Running, 2, 0, 0)));
        assert_eq!(told(b"7 (x) X 0 -1 -1"), Some((State::Ended, 0, 0, 0)));
        assert_eq!(told(b"7 (x) T 3 4 5"), Some((State::Stopped, 3, 4, 5)));
        assert_eq!(told(b""), None);
    }

    #[test]
    fn processor_time_is_that_of_both_modes() {
        let ticks = |text: &[u8]| Stat::parse(Pid::from_raw(7).unwrap(), text).unwrap().ticks;
        assert_eq!(ticks(b"7 (a) b) R 1 42 42 0 -1 4 5 6 7 8 30 12 9 9 20 0 1 0 100"), 42);
        assert_eq!(ticks(b"7 (a) R 1 42 42"), 0);
    }

    #[test]
    fn a_process_sees_itself_and_a_number_that_is_not_below_its_own() {
        let us = Stat::read(getpid()).unwrap();
        assert_eq!(us.parent, getppid());
        assert!(Stat::all().unwrap().any(|stat| stat.pid == getpid()));
        assert!(last_number().is_some());
    }
}
