//! What `tap` adds to a round trip, and how a long answer fares in it, beside no tap at all and
//! beside the smallest one.
//!
//! Round trips are measured with everything on one processor: a wake-up on another one that sleeps
//! costs several times the rest, comes and goes with the machine's mood, and is no tap's doing.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

use super::corpora::Corpus;
use super::process::{REPETITIONS, WRITE, start};
use super::{Row, now};
use crate::command::program;

/// Round trips in one measure.
const TRIPS: usize = 2000;
const MIB: usize = 1024 * 1024;

/// What either side says in a round trip. An echo answers no request, so it is none.
const MESSAGE: &str = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":41,"progress":0.5}}"#;

/// What is said first, so that nothing that follows is judged: a verdict is final.
const NO_MESSAGE: &str = "no message";

/// What `tap` adds to the median round trip of a small message, in microseconds, and what the
/// smallest tap adds; the whole round trip in parts of that through the same tap when it no longer
/// judges; the rate of a long answer in parts of that through `cat`.
pub(super) fn tap(installed: &Path) -> Vec<Row> {
    let usual = to_one_processor();
    let direct = || program("cat");
    let tapped = || {
        let mut tap = program(installed);
        tap.args(["tap", "--", "cat"]);
        tap
    };
    let smallest = || {
        let mut tap = program(std::env::current_exe().expect("this program has a path"));
        tap.args(["poll-tap", "--", "cat"]);
        tap
    };
    let (mut added, mut least, mut judging) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..REPETITIONS {
        let trip = |echo, first| round_trip(echo, first).as_secs_f64();
        let (direct, smallest) = (trip(direct(), MESSAGE), trip(smallest(), MESSAGE));
        let (judged, passed) = (trip(tapped(), MESSAGE), trip(tapped(), NO_MESSAGE));
        added.push((judged - direct) * 1e6);
        least.push((smallest - direct) * 1e6);
        judging.push(judged / passed);
    }
    let _ = sched_setaffinity(Pid::from_raw(0), &usual);
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(file.path(), Corpus::Tools.stream(64 * MIB)).expect("a temporary file");
    let path = file.path().display().to_string();
    let rates = (0..REPETITIONS).map(|_| {
        let mut cat = program("sh");
        cat.args(["-c", "cat \"$0\" | cat", &path]);
        let mut tap = program(installed);
        tap.args(["tap", "--", "cat", &path]);
        flow(cat).as_secs_f64() / flow(tap).as_secs_f64()
    });
    vec![
        Row::of("tap/round-trip", added),
        Row::of("tap/round-trip-of-the-smallest", least),
        Row::of("tap/judging", judging),
        Row::of("tap/bulk", rates),
    ]
}

/// Confines this thread, and what it starts, to one processor. Gives those that it had.
fn to_one_processor() -> CpuSet {
    let this = Pid::from_raw(0);
    let usual = sched_getaffinity(this).expect("a thread knows its processors");
    let first = (0..CpuSet::count()).find(|cpu| usual.is_set(*cpu).unwrap_or(false));
    let mut one = CpuSet::new();
    one.set(first.expect("a thread has a processor")).expect("it is one of those that it has");
    sched_setaffinity(this, &one).expect("a thread may stay on a processor that it has");
    usual
}

/// The median of round trips of one small message, after that of another.
fn round_trip(mut echo: Command, first: &str) -> Duration {
    echo.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = start(&mut echo);
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    let mut stdout = child.stdout.take().expect("stdout is a pipe");
    let mut trip = |message: &str| {
        let message = format!("{message}\n").into_bytes();
        let mut answer = vec![0; message.len()];
        let began: Instant = now();
        stdin.write_all(&message).expect("the echo reads");
        stdout.read_exact(&mut answer).expect("the echo answers");
        let elapsed = began.elapsed();
        assert_eq!(answer, message, "an echo is what was sent");
        elapsed
    };
    trip(first);
    let times: Vec<Duration> = (0..TRIPS).map(|_| trip(MESSAGE)).collect();
    drop(stdin);
    let _ = child.wait();
    super::median(&times)
}

/// How long it takes to read all that a command writes.
fn flow(mut command: Command) -> Duration {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = start(&mut command);
    let stdin = child.stdin.take();
    let mut stdout = child.stdout.take().expect("stdout is a pipe");
    let mut buffer = vec![0; WRITE];
    let began = now();
    while stdout.read(&mut buffer).expect("the pipe is written") > 0 {}
    let elapsed = began.elapsed();
    drop(stdin);
    let _ = child.wait();
    elapsed
}
