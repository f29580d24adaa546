//! What is left of a launched process's descendants once it was reaped, as far as a process can
//! tell that is not their parent.
//!
//! The launched process led a session and a group of its own number. That number stays taken for
//! as long as the session or the group has members. So whoever is in it is ours, unless a process
//! has that very number: then it became free in between and was given away again.
//!
//! A descendant that began a session of its own cannot be told from a stranger's process. But all
//! descendants got their numbers after the launched process, and one whose parent has ended has an
//! ancestor of ours for its parent. If nobody fits that, there is none; if somebody does, there
//! may be one.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, child_subreaper, getpid, kill_process_group, pidfd_send_signal,
    test_kill_process_group,
};
use tokio::io::unix::AsyncFd;
use tokio::time::{Instant, timeout_at};

use super::stat::{Stat, last_number};

/// Beyond this many numbers it is cheaper to list all processes than to ask for each number.
const MANY: i32 = 512;
/// No chain of parents is longer than this; one that seems so has changed while it was read.
const MAX_DEPTH: u32 = 1000;

/// The leaders that this process has started and not done with, by their raw numbers: whoever is in
/// a session of another is no descendant of this one.
static LEADERS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

fn leaders() -> MutexGuard<'static, BTreeSet<i32>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A leader that was started and is not done with.
pub(crate) struct Registered(Pid);

impl Registered {
    pub(crate) fn new(leader: Pid) -> Self {
        leaders().insert(leader.as_raw_pid());
        Self(leader)
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        leaders().remove(&self.0.as_raw_pid());
    }
}

/// The descendants that are left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kin {
    /// These, at least one.
    Running(Vec<Pid>),
    /// None, but for processes that have ended.
    None,
    /// There are some, or may be, but which cannot be seen.
    Unseen,
}

/// Looks for descendants of a leader that was reaped.
pub(crate) fn kin(leader: Pid) -> Kin {
    let group_is_empty = test_kill_process_group(leader) == Err(Errno::SRCH);
    let Some(last) = last_number() else {
        return Kin::Unseen;
    };
    if group_is_empty && last == leader {
        // Nothing at all was started on this machine since the leader was.
        return Kin::None;
    }
    let span = Span { leader, last };
    let Some(found) = span.processes() else {
        return Kin::Unseen;
    };
    if found.iter().any(|process| process.pid == leader) {
        return Kin::None;
    }
    let ours: Vec<_> = found.iter().filter(|process| is_of(leader, process)).collect();
    let running: Vec<_> =
        ours.iter().filter(|process| process.is_alive()).map(|process| process.pid).collect();
    if !running.is_empty() {
        return Kin::Running(running);
    }
    let ancestors = Ancestors::default();
    let hidden =
        ours.is_empty() && !group_is_empty && test_kill_process_group(leader) != Err(Errno::SRCH);
    if hidden || found.iter().any(|process| may_have_left(process, span, &ancestors)) {
        return Kin::Unseen;
    }
    Kin::None
}

/// Kills what is known of the descendants of a leader that was reaped.
pub(crate) fn kill_kin(leader: Pid) {
    let found = kin(leader);
    if found == Kin::None {
        return;
    }
    if test_kill_process_group(leader).is_ok() {
        let _ = kill_process_group(leader, Signal::KILL);
    }
    let Kin::Running(pids) = found else {
        return;
    };
    for pid in pids {
        if let Some(process) = watch(leader, pid) {
            let _ = pidfd_send_signal(process.get_ref(), Signal::KILL);
        }
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

/// Waits until none of these descendants of `leader` is left, or until `end`.
pub(crate) async fn gone(leader: Pid, pids: &[Pid], end: Instant) -> Watched {
    // All are opened before any is awaited, while their numbers are most likely still theirs.
    let watched: Vec<_> = pids.iter().filter_map(|pid| watch(leader, *pid)).collect();
    let all = async {
        for process in &watched {
            // An error means that the runtime is shutting down; there is nothing to wait for.
            let _ = process.readable().await;
        }
    };
    let _ = timeout_at(end, all).await;
    if watched.is_empty() { Watched::None } else { Watched::Some }
}

/// Something that becomes readable when a descendant ends.
fn watch(leader: Pid, pid: Pid) -> Option<AsyncFd<OwnedFd>> {
    let watched = super::watch(pid).ok()?;
    // Read again: the number may have passed to another process before it was opened.
    let process = Stat::read(pid)?;
    (is_of(leader, &process) && process.is_alive()).then_some(watched)
}

fn is_of(leader: Pid, process: &Stat) -> bool {
    process.session == Some(leader) || process.group == Some(leader)
}

/// The numbers that were given away since a leader was started, its own included.
#[derive(Clone, Copy)]
struct Span {
    leader: Pid,
    last: Pid,
}

impl Span {
    fn contains(self, pid: Pid) -> bool {
        let [leader, last, pid] = [self.leader, self.last, pid].map(Pid::as_raw_pid);
        // The numbers begin again from below once they have reached their end.
        if leader <= last { (leader..=last).contains(&pid) } else { pid >= leader || pid <= last }
    }

    /// Whether it is a process of a session that began with the leader or after it, or of the
    /// leader's group.
    fn is_of_interest(self, process: &Stat) -> bool {
        let new = |number: Option<Pid>| number.is_some_and(|number| self.contains(number));
        (new(process.session) || process.group == Some(self.leader)) && process.is_process()
    }

    /// Those of interest among the processes that have these numbers. None if they cannot be
    /// listed.
    fn processes(self) -> Option<Vec<Stat>> {
        let [leader, last] = [self.leader, self.last].map(Pid::as_raw_pid);
        if (0..MANY).contains(&last.saturating_sub(leader)) {
            let numbers = (leader..=last).filter_map(Pid::from_raw);
            let numbered = numbers.filter_map(Stat::read);
            // Threads are asked for by their number like processes, but are none.
            return Some(numbered.filter(|process| self.is_of_interest(process)).collect());
        }
        Some(Stat::all()?.filter(|process| self.is_of_interest(process)).collect())
    }
}

/// Our ancestors: whoever takes over a process whose parent has ended is one of them.
#[derive(Default)]
struct Ancestors(OnceCell<Vec<Pid>>);

impl Ancestors {
    fn contain(&self, pid: Pid) -> bool {
        pid.is_init() || self.0.get_or_init(ancestors).contains(&pid)
    }
}

fn ancestors() -> Vec<Pid> {
    let mut found = Vec::new();
    let mut process = Stat::read(getpid());
    while let Some(parent) = process.and_then(|process| process.parent)
        && !found.contains(&parent)
    {
        found.push(parent);
        process = Stat::read(parent);
    }
    found
}

/// Whether a process may descend from the leader though it is in a session of its own.
fn may_have_left(process: &Stat, span: Span, ancestors: &Ancestors) -> bool {
    let mut process = *process;
    if !process.is_alive() {
        return false;
    }
    for _ in 0..MAX_DEPTH {
        // All between it and the leader began, or are in, a session that is not older than his.
        let may_descend = process.session.is_some_and(|session| {
            span.contains(session) && !leaders().contains(&session.as_raw_pid())
        });
        if !may_descend {
            return false;
        }
        match process.parent {
            None => return true,
            // Another child of ours has another leader, unless orphans come to us as well.
            Some(parent) if parent == getpid() => return takes_orphans(),
            Some(parent) if ancestors.contain(parent) => return true,
            Some(parent) if !span.contains(parent) => return false,
            Some(parent) => match Stat::read(parent) {
                Some(parent) => process = parent,
                None => return true,
            },
        }
    }
    true
}

fn takes_orphans() -> bool {
    getpid().is_init() || !matches!(child_subreaper(), Ok(None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_again_from_below() {
        let span = |leader, last| {
            let [leader, last] = [leader, last].map(|raw| Pid::from_raw(raw).unwrap());
            Span { leader, last }
        };
        let has = |span: Span, raw| span.contains(Pid::from_raw(raw).unwrap());
        assert!([5, 7, 9].into_iter().all(|pid| has(span(5, 9), pid)));
        assert!([4, 10].into_iter().all(|pid| !has(span(5, 9), pid)));
        assert!([9, 10, 1, 3].into_iter().all(|pid| has(span(9, 3), pid)));
        assert!([4, 8].into_iter().all(|pid| !has(span(9, 3), pid)));
    }

    #[test]
    fn a_group_that_a_process_leads_is_not_what_is_left_of_ours() {
        // Our own process stands for one that was given the number of a reaped leader.
        if Stat::read(getpid()).unwrap().group == Some(getpid()) {
            assert_eq!(kin(getpid()), Kin::None);
        }
    }

    #[test]
    fn a_process_that_was_there_before_has_not_left() {
        let us = Stat::read(getpid()).unwrap();
        let later = Pid::from_raw(getpid().as_raw_pid() + 1).unwrap();
        let span = Span { leader: later, last: later };
        assert!(!may_have_left(&us, span, &Ancestors::default()));
    }
}
