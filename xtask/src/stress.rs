//! `stress`: every fixture, with its mistake and without, again and again while the processors are
//! kept busy. What is found must not depend on how much time a process gets.
//!
//! Only a deadline that must pass is short; all others are as in the tests.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use corpus::{Case, Expectation, Family, compare, expectation_for, load_all, revision_shown};
use drive::LaunchSpec;
use model::Outcome;

use crate::Complaints;
use crate::command::build_fixtures;
use crate::workspace::Workspace;

/// Threads that do nothing but keep a processor busy.
const BUSY: usize = 8;
/// Servers at the same time.
const AT_ONCE: usize = 4;

/// Probes every fixture so many times.
#[must_use]
pub fn run(rounds: u32) -> Complaints {
    let here = Workspace::here();
    let fixtures = match build_fixtures(&here) {
        Ok(fixtures) => fixtures,
        Err(failure) => return vec![failure.to_string()],
    };
    let cases = match load_all(&here.corpus()) {
        Ok(cases) => cases,
        Err(errors) => return errors.iter().map(ToString::to_string).collect(),
    };
    let fixed: Vec<(&Case, &Expectation)> = cases
        .iter()
        .filter(|case| case.family == Some(Family::Recordings))
        .filter_map(|case| Some((case, expectation_for(&case.file, revision_shown(&case.file))?)))
        .collect();
    if fixed.is_empty() {
        return vec!["no fixture was found".to_owned()];
    }
    let turns = fixed.len() * 2 * rounds as usize;
    let (next, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let complaints = Mutex::new(Complaints::new());
    thread::scope(|scope| {
        for _ in 0..BUSY {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let probing: Vec<_> = (0..AT_ONCE)
            .map(|_| {
                scope.spawn(|| {
                    loop {
                        let turn = next.fetch_add(1, Ordering::Relaxed);
                        if turn >= turns {
                            break;
                        }
                        let (case, expected) = fixed[turn / 2 % fixed.len()];
                        let changed = match turn % 2 {
                            0 => with_mistake(case, expected, &fixtures),
                            _ => without_mistake(case, &fixtures),
                        };
                        let mut complaints =
                            complaints.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                        complaints.extend(changed);
                    }
                })
            })
            .collect();
        for thread in probing {
            // A panic in it is raised again when the scope ends.
            let _ = thread.join();
        }
        over.store(true, Ordering::Relaxed);
    });
    let complaints = complaints.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    println!(
        "stress: {} fixtures and their sane twins {rounds} times beside {BUSY} busy loops: {turns} \
         verdicts, {} changed",
        fixed.len(),
        complaints.len()
    );
    complaints
}

fn with_mistake(case: &Case, expected: &Expectation, fixtures: &Path) -> Complaints {
    match probe::rehearse(case, LaunchSpec::new(fixtures.join(&case.file.id))) {
        Ok(run) => compare(expected, &run.verdict)
            .into_iter()
            .map(|difference| format!("{}: {difference}", case.file.id))
            .collect(),
        Err(error) => vec![format!("{}: {error}", case.file.id)],
    }
}

fn without_mistake(case: &Case, fixtures: &Path) -> Complaints {
    let launch = LaunchSpec::new(fixtures.join(&case.file.id)).args(["--sane"]);
    match probe::rehearse(case, launch) {
        Ok(run) if run.verdict.outcome == Outcome::ValidStdout => Complaints::new(),
        Ok(run) => vec![format!("{} --sane: {:?}", case.file.id, run.verdict.outcome)],
        Err(error) => vec![format!("{}: {error}", case.file.id)],
    }
}
