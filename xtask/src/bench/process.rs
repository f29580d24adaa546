//! The installed command: beside the raw pipe, beside what a person would write, and what it holds
//! in memory.

use std::fs;
use std::io::{self, Read, Write};
use std::iter;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use super::corpora::Corpus;
use super::{Row, children_time, now};
use crate::command::program;
use crate::workspace;

pub(super) const REPETITIONS: usize = 9;
const MIB: usize = 1024 * 1024;
/// A write of the flood.
pub(super) const WRITE: usize = 64 * 1024;

/// A command that reads the whole of its stdin.
fn reader(name: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Command {
    let mut command = program(name);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

pub(super) fn start(command: &mut Command) -> Child {
    command.spawn().unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}"))
}

/// Writes a stream so many times into a process and waits for its end, which must be success.
fn fill(command: &mut Command, stream: &[u8], times: usize) {
    let mut child = start(command);
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    for _ in 0..times {
        for piece in stream.chunks(WRITE) {
            stdin.write_all(piece).expect("the reader reads to the end");
        }
    }
    drop(stdin);
    let status = child.wait().expect("a child of ours");
    assert!(status.success(), "{command:?} ended with {status}");
}

/// How long a bare read loop takes with the same stream, in a pipe of this process.
fn drain(stream: &[u8], times: usize) -> Duration {
    let (mut reader, mut writer) = io::pipe().expect("a pipe");
    let began = now();
    thread::scope(|scope| {
        scope.spawn(move || {
            for piece in (0..times).flat_map(|_| stream.chunks(WRITE)) {
                writer.write_all(piece).expect("the pipe is read");
            }
        });
        let mut buffer = vec![0; WRITE];
        while reader.read(&mut buffer).expect("the pipe is written") > 0 {}
    });
    began.elapsed()
}

fn elapsed(operation: impl FnOnce()) -> Duration {
    let began = now();
    operation();
    began.elapsed()
}

/// Processor time of the children that an operation reaped.
fn spent(operation: impl FnOnce()) -> Duration {
    let before = children_time();
    operation();
    children_time().saturating_sub(before)
}

/// The rate of `check -`, its start left out, in parts of the rate of the bare pipe.
pub(super) fn pipe(installed: &Path) -> Vec<Row> {
    // The start is measured with one frame: no frame at all is no success.
    let one = Corpus::Small.stream(1);
    let corpora = [Corpus::Small, Corpus::Tools, Corpus::Base64, Corpus::Escaped];
    corpora
        .into_iter()
        .map(|corpus| {
            let stream = corpus.stream(64 * MIB);
            let ratios = (0..REPETITIONS).map(|_| {
                let bare = drain(&stream, 1);
                let idle = elapsed(|| fill(&mut reader(installed, &["check", "-"]), &one, 1));
                let judged = elapsed(|| fill(&mut reader(installed, &["check", "-"]), &stream, 1));
                bare.as_secs_f64() / judged.saturating_sub(idle).as_secs_f64()
            });
            Row::of(&format!("pipe/{}", corpus.name()), ratios)
        })
        .collect()
}

/// How many times the processor time of `check -` a person's own harness takes; starts left out.
pub(super) fn check(installed: &Path) -> Vec<Row> {
    // The start is measured with one frame: no frame at all is no success.
    let one = Corpus::Small.stream(1);
    let script =
        |name: &str| workspace::root().join("xtask/bench").join(name).display().to_string();
    let (python, node) = (script("baseline.py"), script("baseline.mjs"));
    let mut rows = Vec::new();
    for corpus in Corpus::ALL {
        let stream = corpus.stream(16 * MIB);
        let mut ratios = [Vec::new(), Vec::new()];
        for _ in 0..5 {
            let beyond_start = |name: &std::ffi::OsStr, arguments: &[&str]| {
                let idle = spent(|| fill(&mut reader(name, arguments), &one, 1));
                let whole = spent(|| fill(&mut reader(name, arguments), &stream, 1));
                whole.saturating_sub(idle).as_secs_f64()
            };
            let ours = beyond_start(installed.as_os_str(), &["check", "-"]);
            let theirs = [("python3", &python), ("node", &node)];
            for (ratios, (name, script)) in ratios.iter_mut().zip(theirs) {
                ratios.push(beyond_start(name.as_ref(), &[script]) / ours);
            }
        }
        for (name, ratios) in ["python", "node"].into_iter().zip(ratios) {
            rows.push(Row::of(&format!("check/{name}/{}", corpus.name()), ratios));
        }
    }
    rows
}

/// When `check -` may end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// With the input, which is without fault.
    All,
    /// As soon as it has seen enough.
    Enough,
}

/// The most that `check -` held, in MiB, while it read these pieces. What the process of a child
/// held before it became another program is no part of this.
fn held<'a>(installed: &Path, pieces: impl IntoIterator<Item = &'a [u8]>, reads: Reads) -> f64 {
    let mut child = start(&mut reader(installed, &["check", "-"]));
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    let path = format!("/proc/{}/status", child.id());
    let mut most = f64::NAN;
    for piece in pieces {
        match stdin.write_all(piece) {
            // A process that has ended tells no more of its memory: what it told last stands.
            Ok(()) => most = high_water(&path).unwrap_or(most),
            Err(error) if reads == Reads::All => panic!("check does not read to the end: {error}"),
            Err(_) => break,
        }
    }
    drop(stdin);
    let status = child.wait().expect("a child of ours");
    assert!(reads == Reads::Enough || status.success(), "check ended with {status}");
    most
}

/// The most that a process has held so far, in MiB.
fn high_water(status: &str) -> Option<f64> {
    let status = fs::read_to_string(status).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024.0)
}

/// Memory in MiB: of a long stream, with one large frame, of a line without end.
pub(super) fn memory(installed: &Path) -> Vec<Row> {
    let small = Corpus::Small.stream(4 * MIB);
    let filler = vec![b'x'; MIB];
    let flat = held(installed, iter::repeat_n(small.as_slice(), 250), Reads::All);
    let head =
        br#"{"jsonrpc":"2.0","id":0,"result":{"content":[{"type":"text","text":""#.as_slice();
    let large = iter::once(head)
        .chain(iter::repeat_n(filler.as_slice(), 20))
        .chain([b"\"}]}}\n".as_slice(), &small]);
    let large = held(installed, large, Reads::All);
    let endless = held(installed, iter::repeat_n(filler.as_slice(), 1024), Reads::Enough);
    vec![
        Row::of("memory/stream-of-1-gb", [flat]),
        Row::of("memory/frame-of-20-mb", [large]),
        Row::of("memory/line-without-end", [endless]),
    ]
}
