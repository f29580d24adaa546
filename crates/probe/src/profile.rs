//! The full profile: many sessions with one server, each with its own verdict.
//!
//! Owns which sessions there are (`rows`), what each changes (`arrange`), and their order:
//! sessions that share no state run at the same time, as many as there are cores.

mod arrange;
mod rows;

use std::collections::VecDeque;
use std::sync::Mutex;
use std::{io, thread};

use drive::{Run, Session};
use inspect::{Inspector, RuleSet};
use model::{Inconclusive, Outcome, Untested};

pub(crate) use arrange::{Arranged, Group};
pub(crate) use rows::{Change, Malformed, Row, Tolerance, Wishes, rows};

use crate::cli::live::{Audience, Both};
use crate::cli::stop::Stopped;

/// A session that was run.
pub(crate) struct Done {
    pub(crate) row: Row,
    pub(crate) session: Session,
    pub(crate) run: Run,
    pub(crate) stopped_by: Option<u8>,
}

impl Done {
    /// Why the session says nothing of the server, where that is nobody's fault. None if it says
    /// something.
    pub(crate) fn says_nothing(&self) -> Option<&'static str> {
        let Outcome::Inconclusive(reason) = &self.run.verdict.outcome else { return None };
        match reason {
            Inconclusive::NotDiscovered => Some("the server does not know server/discover"),
            Inconclusive::Untested(Untested::NoTool) => {
                Some("no tool with a text among its arguments may be called")
            }
            Inconclusive::Launch(_) | Inconclusive::Incomplete | Inconclusive::NotInitialized
                if self.row.tolerance == Tolerance::MayFail =>
            {
                Some("the server does not run so")
            }
            _ => None,
        }
    }
}

/// Runs groups of sessions, each group in order and at most `workers` of them at a time. What
/// comes back is in the order of the rows.
pub(crate) fn run_all(
    groups: Vec<Group>,
    rules: &RuleSet,
    audience: Option<&Audience<'_, Done>>,
    workers: usize,
) -> Vec<Done> {
    let queue: Mutex<VecDeque<Group>> = Mutex::new(groups.into());
    let next = || queue.lock().expect("no worker panics with the queue in hand").pop_front();
    let mut done: Vec<(usize, Done)> = thread::scope(|scope| {
        let worker = || {
            let mut done = Vec::new();
            while let Some(group) = next() {
                let (sessions, _directories) = group.into_sessions();
                for (place, arranged) in sessions {
                    let ended = run_one(arranged, rules, audience);
                    let stopped = ended.stopped_by.is_some();
                    done.push((place, ended));
                    if stopped {
                        return done;
                    }
                }
            }
            done
        };
        let workers: Vec<_> = (0..workers.max(1)).map(|_| scope.spawn(worker)).collect();
        let ended = workers.into_iter().map(|worker| worker.join().expect("a session never fails"));
        ended.flatten().collect()
    });
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, done)| done).collect()
}

/// Runs one session, and tells the audience of it under the row's name.
pub(crate) fn run_one(
    arranged: Arranged,
    rules: &RuleSet,
    audience: Option<&Audience<'_, Done>>,
) -> Done {
    let Arranged { row, session } = arranged;
    let mut rules = rules.clone();
    row.tolerance.apply(&mut rules);
    let detector = Box::new(Inspector::new(rules));
    let mut listener = audience
        .map(|audience| audience.live.session((audience.before)(&session), Some(&row.name)));
    let mut observer = Both(&mut (), listener.as_mut());
    let run = drive::run_blocking_until(&session, detector, &mut observer, Stopped.stop());
    let done = Done { row, session, run, stopped_by: Stopped.by() };
    if let (Some(listener), Some(audience)) = (listener, audience) {
        listener.end(&(audience.found)(&done));
    }
    done
}

/// As many sessions as are run at a time.
pub(crate) fn workers() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The groups of the rows, made from the plain session.
///
/// # Errors
///
/// If a temporary directory cannot be made.
pub(crate) fn arrange(rows: Vec<Row>, plain: &Session) -> io::Result<Vec<Group>> {
    arrange::groups(rows, plain)
}
