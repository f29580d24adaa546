//! What is left of a process group once its leader was reaped.
//!
//! The number of a group stays taken for as long as the group has members. So the group that
//! bears it is ours, unless a process has that very number: then it became free in between and
//! was given away again.

use std::fs;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::io::unix::AsyncFd;
use tokio::time::{Instant, timeout_at};

/// The members of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Members {
    /// These, at least one.
    Running(Vec<Pid>),
    /// None, but for processes that have ended.
    None,
    /// There are some, but which cannot be seen.
    Unseen,
}

/// Looks for members of a group whose leader was reaped.
pub(crate) fn members(group: Pid) -> Members {
    if is_empty(group) {
        return Members::None;
    }
    let Some(found) = scan(group) else {
        return Members::Unseen;
    };
    if found.iter().any(|member| member.pid == group) {
        return Members::None;
    }
    let running: Vec<_> = found
        .iter()
        .filter(|member| member.state == State::Running)
        .map(|member| member.pid)
        .collect();
    match (running.is_empty(), found.is_empty()) {
        (false, _) => Members::Running(running),
        (true, false) => Members::None,
        // Either the last one ended while we looked, or it is hidden from us.
        (true, true) if is_empty(group) => Members::None,
        (true, true) => Members::Unseen,
    }
}

/// Kills the members of a group whose leader was reaped.
pub(crate) fn kill_members(group: Pid) {
    if members(group) != Members::None {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Whether there was something to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watched {
    /// At least one process.
    Some,
    /// None: they had all ended, or cannot be watched.
    None,
}

/// Waits until none of these members of `group` is left, or until `end`.
pub(crate) async fn gone(group: Pid, members: &[Pid], end: Instant) -> Watched {
    // All are opened before any is awaited, while their numbers are most likely still theirs.
    let watched: Vec<_> = members.iter().filter_map(|pid| watch(group, *pid)).collect();
    let all = async {
        for process in &watched {
            // An error means that the runtime is shutting down; there is nothing to wait for.
            let _ = process.readable().await;
        }
    };
    let _ = timeout_at(end, all).await;
    if watched.is_empty() { Watched::None } else { Watched::Some }
}

/// Something that becomes readable when a member of the group ends.
fn watch(group: Pid, pid: Pid) -> Option<AsyncFd<OwnedFd>> {
    let watched = super::watch(pid).ok()?;
    // Read again: the number may have passed to another process before it was opened.
    let member = stat(pid)?;
    if member.group != group || member.state == State::Ended {
        return None;
    }
    Some(watched)
}

fn is_empty(group: Pid) -> bool {
    test_kill_process_group(group) == Err(Errno::SRCH)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Running,
    Ended,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Member {
    pid: Pid,
    group: Pid,
    state: State,
}

/// Every process of a group. None if processes cannot be listed.
fn scan(group: Pid) -> Option<Vec<Member>> {
    let processes = fs::read_dir("/proc").ok()?;
    let members = processes
        .filter_map(|entry| number(entry.ok()?.file_name().to_str()?))
        .filter_map(stat)
        .filter(|member| member.group == group)
        .collect();
    Some(members)
}

fn stat(pid: Pid) -> Option<Member> {
    let text = fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    let (state, group) = parse_stat(&text)?;
    Some(Member { pid, group, state })
}

/// State and group of a line of `/proc/PID/stat`. The name of the program stands in brackets and
/// may itself hold blanks and brackets.
fn parse_stat(text: &[u8]) -> Option<(State, Pid)> {
    let name_end = text.iter().rposition(|byte| *byte == b')')?;
    let rest = str::from_utf8(&text[name_end + 1..]).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = match fields.next()? {
        "Z" | "X" | "x" => State::Ended,
        _ => State::Running,
    };
    let group = number(fields.nth(1)?)?;
    Some((state, group))
}

/// The number of a process or group. A process of the kernel has group 0, and one that is just
/// being reaped has group -1.
fn number(text: &str) -> Option<Pid> {
    let number: i32 = text.parse().ok()?;
    (number > 0).then(|| Pid::from_raw(number)).flatten()
}

#[cfg(test)]
mod tests {
    use rustix::process::{getpgrp, getpid};

    use super::*;

    #[test]
    fn the_name_of_a_program_may_hold_anything() {
        let group = Pid::from_raw(42).unwrap();
        assert_eq!(parse_stat(b"7 (a) S 1 2 ) R 1 42 42 0"), Some((State::Running, group)));
        assert_eq!(parse_stat(b"7 (\xff) Z 1 42 42"), Some((State::Ended, group)));
        assert_eq!(parse_stat(b"7 (x) S 2 0 0"), None);
        assert_eq!(parse_stat(b"7 (x) X 0 -1 -1"), None);
        assert_eq!(parse_stat(b""), None);
    }

    #[test]
    fn a_process_is_found_in_its_own_group() {
        let us = scan(getpgrp()).unwrap();
        assert!(us.iter().any(|member| member.pid == getpid()));
    }

    #[test]
    fn a_group_that_a_process_leads_is_not_what_is_left_of_ours() {
        // Our own process stands for one that was given the number of a reaped leader.
        if getpgrp() == getpid() {
            assert_eq!(members(getpgrp()), Members::None);
        }
    }
}
