//! A launch through the installed command, which is signalled or killed from outside.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::chance::Chance;
use super::fault::Fault;
use super::marked::{Mark, ends};
use super::{Cut, Launched};
use crate::command::program;

/// The latest moment at which a run is cut short.
const LATEST: Duration = Duration::from_millis(250);
/// A command that takes longer to end hangs.
const PATIENCE: Duration = Duration::from_secs(60);
/// What the command's end may take at the longest for what is left: nothing but what the kernel
/// needs, on a busy machine.
const AFTER: Duration = Duration::from_secs(5);

/// What is done to the command, and what a moment later.
const ENDS: [&[Signal]; 7] = [
    &[],
    &[Signal::INT],
    &[Signal::TERM],
    &[Signal::HUP],
    &[Signal::TERM, Signal::TERM],
    &[Signal::KILL],
    &[Signal::TERM, Signal::KILL],
];

pub(super) fn launch(fault: &Fault, installed: &Path, chance: &mut Chance) -> Launched {
    let mark = Mark::new();
    let (name, value) = mark.variable();
    let mut command = program(installed);
    command.args(["run", "--format", "json", "--startup-timeout", "0.4", "--reply-timeout", "0.4"]);
    command.args(["--shutdown-timeout", "0.2", "--env", &format!("{name}={value}")]);
    command.args(chance.one_of::<&[&str]>(&[&[], &[], &["--isolate"]])).arg("--");
    command.args(&fault.command).stdout(Stdio::null()).stderr(Stdio::null());
    let signals = chance.one_of(&ENDS);
    let cut = match signals.last() {
        None => Cut::Not,
        Some(signal) if *signal == Signal::KILL => Cut::Kill,
        Some(_) => Cut::Signal,
    };
    let failed =
        |complaint: String| Launched { cut, gone_ms: 0, left: 0, complaint: Some(complaint) };
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return failed(format!("cannot be started: {error}")),
    };
    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else {
        return failed("has no number".to_owned());
    };
    for signal in signals {
        if ends(pid, chance.up_to(LATEST)) {
            break;
        }
        // It is not reaped, so its number is its own.
        let _ = kill_process(pid, *signal);
    }
    let ended = ends(pid, PATIENCE);
    let since = now();
    if !ended {
        let _ = kill_process(pid, Signal::KILL);
    }
    let status = child.wait();
    let left = mark.await_none(AFTER);
    let gone_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
    let code = status.ok().and_then(|status| status.code());
    let complaint = if !ended {
        Some("the command did not end".to_owned())
    } else if !left.is_empty() {
        Some(format!("processes are left: {left:?}"))
    } else if matches!(code, Some(2 | 3 | 70..)) {
        Some(format!("the command ended with {code:?}"))
    } else {
        None
    };
    Launched { cut, gone_ms, left: left.len(), complaint }
}

#[expect(clippy::disallowed_methods, reason = "how long a kill takes is a figure of this task")]
fn now() -> Instant {
    Instant::now()
}
