//! What is known of a run beside its verdict. Nothing here decides one.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use model::{CapName, Cleanup, DeadlineName, ExitStatus, Phase};

use crate::launch::{LaunchError, Variable};

/// What is known of a run beside its verdict.
#[derive(Debug)]
pub struct Telemetry {
    /// The program's file. None if the launch failed before it was found.
    pub executable: Option<PathBuf>,
    /// The working directory. None if the launch failed before it was known.
    pub directory: Option<PathBuf>,
    /// The variables that the server was given, in the order of their names.
    pub environment: Vec<Variable>,
    /// Why the server could not be launched.
    pub launch_error: Option<LaunchError>,
    /// What ended the session. None if it never began.
    pub ending: Option<Ending>,
    /// How the launched process ended. None if that is not known.
    pub exit_status: Option<ExitStatus>,
    /// How well everything was cleaned up.
    pub cleanup: Cleanup,
    /// Every deadline that was set, in the order in which they ended.
    pub deadlines: Vec<DeadlineRecord>,
    /// The phase in which a deadline of the session passed. The steps of the shutdown ladder do
    /// not count: they only say how a session was ended.
    pub timeout_phase: Option<Phase>,
    /// What came on stderr.
    pub stderr: StderrSummary,
    /// From the beginning of the launch to the end of the cleanup.
    pub elapsed: Duration,
}

/// What ended a session, and began its shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Every step of the plan that could be carried out was.
    PlanCompleted,
    /// The detector said that nothing can change its verdict.
    VerdictFinal,
    /// The launched process ended.
    Exited,
    /// A deadline passed.
    Deadline(DeadlineName),
    /// A cap was reached.
    Cap(CapName),
    /// Whoever ran the session asked for its end.
    Stopped,
    /// A pipe failed in a way that no server can cause.
    PipeFailed,
}

/// A deadline that was set, and how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadlineRecord {
    /// Which one.
    pub name: DeadlineName,
    /// The phase in which it was set.
    pub phase: Phase,
    /// Its budget.
    pub budget: Duration,
    /// How much of it was used.
    pub elapsed: Duration,
    /// How it ended.
    pub expiry: Expiry,
}

/// How a deadline ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expiry {
    /// It passed.
    Expired,
    /// What it was for happened, or could no longer happen, before it passed.
    NotExpired,
}

/// What came on stderr: counts, the beginning and the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StderrSummary {
    /// How many bytes came.
    pub bytes: u64,
    /// How many lines, one that was not ended included.
    pub lines: u64,
    /// The first bytes, up to a cap.
    pub head: Vec<u8>,
    /// The last bytes that are not in `head`, up to a cap.
    pub tail: Vec<u8>,
    /// Bytes between `head` and `tail` that were dropped.
    pub dropped: u64,
}

/// Keeps the beginning and the end of stderr while it comes.
pub(crate) struct StderrKeeper {
    head: Vec<u8>,
    head_cap: usize,
    tail: VecDeque<u8>,
    tail_cap: usize,
    bytes: u64,
    newlines: u64,
    last: Option<u8>,
}

impl StderrKeeper {
    pub(crate) fn new(head_cap: usize, tail_cap: usize) -> Self {
        Self {
            head: Vec::new(),
            head_cap,
            tail: VecDeque::new(),
            tail_cap,
            bytes: 0,
            newlines: 0,
            last: None,
        }
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.newlines += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.last = bytes.last().copied().or(self.last);
        let room = (self.head_cap - self.head.len()).min(bytes.len());
        let (head, rest) = bytes.split_at(room);
        self.head.extend_from_slice(head);
        let rest = &rest[rest.len().saturating_sub(self.tail_cap)..];
        let surplus = (self.tail.len() + rest.len()).saturating_sub(self.tail_cap);
        self.tail.drain(..surplus);
        self.tail.extend(rest);
    }

    pub(crate) fn finish(self) -> StderrSummary {
        let kept = self.head.len() + self.tail.len();
        let unended = self.last.is_some_and(|byte| byte != b'\n');
        StderrSummary {
            bytes: self.bytes,
            lines: self.newlines + u64::from(unended),
            head: self.head,
            tail: self.tail.into(),
            dropped: self.bytes - kept as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(chunks: &[&[u8]]) -> StderrSummary {
        let mut keeper = StderrKeeper::new(4, 3);
        for chunk in chunks {
            keeper.add(chunk);
        }
        keeper.finish()
    }

    #[test]
    fn the_beginning_and_the_end_are_kept_however_they_are_cut() {
        let text = b"abcd\nfgh\nj";
        let expected = StderrSummary {
            bytes: 10,
            lines: 3,
            head: b"abcd".to_vec(),
            tail: b"h\nj".to_vec(),
            dropped: 3,
        };
        assert_eq!(kept(&[text]), expected);
        assert_eq!(kept(&text.chunks(1).collect::<Vec<_>>()), expected);
        assert_eq!(kept(&text.chunks(3).collect::<Vec<_>>()), expected);
    }

    #[test]
    fn a_short_text_is_kept_whole() {
        let summary = kept(&[b"ab\n", b"cd\n"]);
        assert_eq!([summary.head, summary.tail].concat(), b"ab\ncd\n");
        assert_eq!((summary.lines, summary.dropped), (2, 0));
        assert_eq!(kept(&[]), StderrSummary::default());
    }
}
