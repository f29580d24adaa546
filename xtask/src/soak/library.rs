//! A launch through the library in this process, whose run is stopped or dropped.

use std::path::Path;
use std::time::Duration;

use drive::{ContainmentSpec, LaunchSpec, Session, Stop, run_until};
use inspect::{Inspector, RuleSet};
use model::ReapState;
use rustix::process::{Signal, kill_process};

use super::chance::Chance;
use super::fault::Fault;
use super::marked::{Mark, ends};
use super::{Cut, Launched};

/// The latest moment at which a run is cut short.
const LATEST: Duration = Duration::from_millis(250);
/// For ever, as far as one run goes.
const NEVER: Duration = Duration::from_secs(3600);
/// What the end of a run may take at the longest for what is left.
const AFTER: Duration = Duration::from_secs(5);
/// How often it is looked for daemons that nobody holds.
const ROUNDS: u32 = 3;

pub(super) fn launch(fault: &Fault, installed: &Path, chance: &mut Chance) -> Launched {
    let mark = Mark::new();
    let (name, value) = mark.variable();
    let (first, args) = fault.command.split_first().expect("every fault has a command");
    let mut launch = LaunchSpec::new(first).args(args);
    launch.set.push((name.into(), value.into()));
    let mut session = Session::new(launch);
    let supervised = ContainmentSpec::Supervised(installed.to_owned());
    let held = chance.one_of(&[false, true]);
    session.containment = if held { supervised } else { ContainmentSpec::Group };
    session.budgets.startup = Duration::from_millis(400);
    session.budgets.reply = Duration::from_millis(400);
    session.budgets.shutdown = Duration::from_millis(200);
    session.budgets.exit_grace = Duration::from_millis(200);
    session.budgets.leak_window = Duration::from_millis(100);
    let moment = chance.up_to(LATEST);
    let (cut, gently, at_once, dropped) = chance.one_of(&[
        (Cut::Not, NEVER, NEVER, NEVER),
        (Cut::Signal, moment, NEVER, NEVER),
        (Cut::Signal, moment, moment * 2, NEVER),
        (Cut::Drop, NEVER, NEVER, moment),
    ]);
    let failed = |complaint: String, left: usize| Launched {
        cut,
        gone_ms: 0,
        left,
        complaint: Some(complaint),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(format!("no event loop: {error}"), 0),
    };
    let run = runtime.block_on(async {
        let stop =
            Stop { gently: tokio::time::sleep(gently), at_once: tokio::time::sleep(at_once) };
        let detector = Box::new(Inspector::new(RuleSet::default()));
        let mut nobody = ();
        let run = run_until(&session, detector, &mut nobody, stop);
        tokio::time::timeout(dropped, run).await.ok()
    });
    drop(runtime);
    if !held {
        // A session and a group do not hold a daemon; that it goes unseen is what is known of
        // them. Here nothing may outlive the task. A kill may come before its last fork.
        for _ in 0..ROUNDS {
            for pid in mark.alive() {
                let _ = kill_process(pid, Signal::KILL);
                ends(pid, AFTER);
            }
        }
    }
    let left = mark.await_none(AFTER);
    if !left.is_empty() {
        return failed(format!("processes are left: {left:?}"), left.len());
    }
    let unreaped = run.is_some_and(|run| {
        run.telemetry.launch_error.is_some()
            || run.telemetry.cleanup.child_reaped != ReapState::Reaped
    });
    let complaint = unreaped.then(|| "the server was not reaped".to_owned());
    Launched { cut, gone_ms: 0, left: 0, complaint }
}
