//! The parent of one detector: a process of its own, so that whatever the detector leaves behind
//! comes to it and can be counted and ended.
//!
//! It is told what to run by its arguments and says on stdout, as one JSON object, what became of
//! it. When its stdin ends, whoever asked has gone: it ends everything and itself.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, pidfd_open, set_child_subreaper,
    wait,
};
use serde::{Deserialize, Serialize};

/// How much of each end of an output is kept.
const KEPT: usize = 32 * 1024;
/// How long what the detector left behind may take to end by itself.
const WINDOW: Duration = Duration::from_secs(2);
/// How long an output may still be read once every process has ended.
const LAST_READ: Duration = Duration::from_secs(2);

/// What is to be run.
#[derive(Clone, Debug)]
pub(crate) struct Supervised {
    pub(crate) command: Vec<OsString>,
    pub(crate) timeout: Duration,
    /// The detector's standard input; nothing if there is none.
    pub(crate) stdin: Option<PathBuf>,
}

/// What became of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Became {
    /// Why it could not be started.
    pub(crate) not_started: Option<String>,
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    /// Its time was up.
    pub(crate) hung: bool,
    pub(crate) elapsed_ms: u64,
    /// The command lines of the processes that outlived it.
    pub(crate) leaked: Vec<String>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs one detector and everything that it leaves behind to the end.
///
/// # Errors
///
/// If the kernel refuses what a parent of orphans needs.
pub(crate) fn supervise(order: &Supervised) -> io::Result<Became> {
    set_child_subreaper(Some(getpid()))?;
    let stdin = match &order.stdin {
        Some(path) => Stdio::from(fs::File::open(path)?),
        None => Stdio::null(),
    };
    let Some((program, arguments)) = order.command.split_first() else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    #[expect(clippy::disallowed_methods, reason = "a detector is launched, not a server")]
    let mut command = Command::new(program);
    command.args(arguments).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let began = now();
    let mut child = match command.process_group(0).spawn() {
        Ok(child) => child,
        Err(error) => {
            return Ok(Became { not_started: Some(error.to_string()), ..Became::default() });
        }
    };
    let stdout = child.stdout.take().map(drain);
    let stderr = child.stderr.take().map(drain);
    let mut became = Became::default();
    match ended(&mut child, began + order.timeout)? {
        Some(status) => {
            became.code = status.code();
            became.signal = status.signal();
        }
        None => became.hung = true,
    }
    became.elapsed_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    if !became.hung {
        orphans_end(now() + WINDOW)?;
    }
    let left = end_all()?;
    if !became.hung {
        became.leaked = left;
    }
    became.stdout = stdout.map(text).unwrap_or_default();
    became.stderr = stderr.map(text).unwrap_or_default();
    Ok(became)
}

/// Waits until the detector ends; None if its time is up, or nobody waits for the answer.
fn ended(child: &mut Child, end: Instant) -> io::Result<Option<ExitStatus>> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pidfd = pidfd_open(pid.ok_or(io::ErrorKind::NotFound)?, PidfdFlags::empty())?;
    let lifeline = io::stdin();
    loop {
        let mut fds = [PollFd::new(&pidfd, PollFlags::IN), PollFd::new(&lifeline, PollFlags::IN)];
        if poll(&mut fds, Some(&until(end)))? == 0 {
            return Ok(None);
        }
        if !fds[0].revents().is_empty() {
            return child.try_wait();
        }
        if !fds[1].revents().is_empty() {
            return Ok(None);
        }
    }
}

/// Waits until every orphan has ended by itself, or until `end`.
fn orphans_end(end: Instant) -> io::Result<()> {
    while reap()? == Left::Some && now() < end {
        let children = children();
        let watched: Vec<_> =
            children.iter().filter_map(|pid| pidfd_open(*pid, PidfdFlags::empty()).ok()).collect();
        let mut fds: Vec<_> =
            watched.iter().map(|pidfd| PollFd::new(pidfd, PollFlags::IN)).collect();
        poll(&mut fds, Some(&until(end)))?;
    }
    Ok(())
}

/// Kills every process that is left, and gives their command lines. What a killed process leaves
/// behind comes to us in turn. The numbers are safe to use: only we collect our children.
fn end_all() -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    while reap()? == Left::Some {
        let children = children();
        let mut watched = Vec::new();
        for pid in children {
            names.extend(command_line(pid));
            watched.extend(pidfd_open(pid, PidfdFlags::empty()).ok());
            // It may have ended in between; then there is nobody to kill.
            _ = kill_process(pid, Signal::KILL);
        }
        let mut fds: Vec<_> =
            watched.iter().map(|pidfd| PollFd::new(pidfd, PollFlags::IN)).collect();
        poll(&mut fds, Some(&until(now() + LAST_READ)))?;
    }
    names.sort();
    Ok(names)
}

/// Whether there are children that live.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    None,
    Some,
}

/// Collects every child that has ended.
fn reap() -> io::Result<Left> {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(Left::Some),
            Err(rustix::io::Errno::CHILD) => return Ok(Left::None),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Our children, those that have ended too.
fn children() -> Vec<Pid> {
    let own = getpid().as_raw_nonzero().get();
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| parent(*pid) == Some(own))
        .filter_map(Pid::from_raw)
        .collect()
}

/// The parent's number, which stands two fields behind the program's name in brackets. The name
/// may hold blanks and brackets itself.
fn parent(pid: i32) -> Option<i32> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let name_end = text.iter().rposition(|byte| *byte == b')')?;
    let rest = str::from_utf8(&text[name_end + 1..]).ok()?;
    rest.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// None for a process that has ended.
fn command_line(pid: Pid) -> Option<String> {
    let bytes = fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero())).ok()?;
    let words = bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    let line = words.map(lossy).collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then_some(line)
}

/// Reads a stream to its end and keeps its first and last bytes.
fn drain(mut stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let (mut head, mut tail) = (Vec::new(), Vec::new());
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            let bytes = &buffer[..count];
            let (first, rest) = bytes.split_at(count.min(KEPT - head.len()));
            head.extend_from_slice(first);
            tail.extend_from_slice(rest);
            if tail.len() > 2 * KEPT {
                tail.drain(..tail.len() - KEPT);
            }
        }
        head.extend_from_slice(&tail[tail.len().saturating_sub(KEPT)..]);
        // Nobody may wait for it any more.
        _ = send.send(head);
    });
    receive
}

fn text(receive: Receiver<Vec<u8>>) -> String {
    lossy(&receive.recv_timeout(LAST_READ).unwrap_or_default())
}

#[expect(
    clippy::disallowed_methods,
    reason = "patterns are looked for in text, and it is no evidence"
)]
fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[expect(clippy::disallowed_methods, reason = "a detector has a deadline")]
fn now() -> Instant {
    Instant::now()
}

fn until(end: Instant) -> Timespec {
    let left = end.saturating_duration_since(now());
    Timespec::try_from(left).unwrap_or(Timespec { tv_sec: i64::from(i32::MAX), tv_nsec: 0 })
}
