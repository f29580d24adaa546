//! `costs`: what a probe costs beside a bare spawn and reap of the same server, and beside the same
//! conversation by blocking reads and writes that watch and judge nothing; what its supervisor adds. Single operations take turns, so that a busy machine is busy for all of them
//! alike; medians are compared.

use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use drive::{ContainmentSpec, LaunchSpec, Session};
use inspect::{Inspector, RuleSet};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

use crate::Complaints;
use crate::command::{build_released_fixture, install, program};

/// Operations of each kind.
const OPERATIONS: usize = 300;
/// Processor time of a whole probe may be this many times that of a bare spawn.
const PROBE_RATIO: f64 = 1.15;
/// The supervisor may add this much wall time.
const SUPERVISOR: Duration = Duration::from_millis(3);
/// What this process holds to see whether its own size matters.
const BALLAST: usize = 1024 * 1024 * 1024;
/// Processor time of a probe by a large process may be this many times that by a small one.
const SIZE_RATIO: f64 = 1.10;

/// Measures, and complains of what costs more than it may.
#[must_use]
pub fn run() -> Complaints {
    if cfg!(debug_assertions) {
        return vec![
            "a debug build tells nothing of costs: `cargo run --release -p xtask -- costs`"
                .to_owned(),
        ];
    }
    let (installed, server) =
        match install().and_then(|path| Ok((path, build_released_fixture("ok-plain")?))) {
            Ok(paths) => paths,
            Err(failure) => return vec![failure.to_string()],
        };
    let grouped = Session::new(LaunchSpec::new(&server));
    let supervised = Session {
        containment: ContainmentSpec::Supervised(installed),
        ..Session::new(LaunchSpec::new(&server))
    };
    let [mut bare, mut conversed, mut probed, mut held] = [(); 4].map(|()| Costs::default());
    for _ in 0..OPERATIONS {
        bare.measure(|| spawn(&server));
        conversed.measure(|| converse(&server));
        probed.measure(|| probe(&grouped));
        held.measure(|| probe(&supervised));
    }
    let ballast = black_box(vec![1_u8; BALLAST]);
    let mut large = Costs::default();
    for _ in 0..OPERATIONS {
        large.measure(|| probe(&grouped));
    }
    drop(black_box(ballast));
    let ratio = probed.cpu().as_secs_f64() / bare.cpu().as_secs_f64();
    let own = probed.cpu().as_secs_f64() / conversed.cpu().as_secs_f64();
    let size = large.cpu().as_secs_f64() / probed.cpu().as_secs_f64();
    let added = held.wall().saturating_sub(probed.wall());
    println!(
        "costs (medians of {OPERATIONS}): bare spawn {:?} processor time, {:?} wall; the conversation by \
         blocking pipes {:?}, {:?}; probe {:?}, {:?}: {ratio:.3} times the spawn, {own:.3} times the \
         conversation; by a process of 1 GiB {size:.3} times that; with a supervisor {:?}, {:?}: \
         {added:?} wall added",
        bare.cpu(),
        bare.wall(),
        conversed.cpu(),
        conversed.wall(),
        probed.cpu(),
        probed.wall(),
        held.cpu(),
        held.wall(),
    );
    let mut complaints = Complaints::new();
    let mut demand = |holds: bool, what: String| complaints.extend((!holds).then_some(what));
    demand(ratio <= PROBE_RATIO, format!("a probe costs {ratio:.3} times a bare spawn"));
    demand(size <= SIZE_RATIO, format!("a large process pays {size:.3} times as much"));
    demand(added <= SUPERVISOR, format!("the supervisor adds {added:?}"));
    complaints
}

/// Starts a server with three pipes, ends its stdin, and reaps it.
fn spawn(server: &Path) {
    let mut command: Command = program(server);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Ok(mut child) = command.spawn() {
        drop(child.stdin.take());
        let _ = child.wait();
    }
}

/// The probe's conversation with a server, in lockstep, by blocking pipes. Its messages are those
/// of a probe by length and kind.
fn converse(server: &Path) {
    const STEPS: [&[&str]; 3] = [
        &[concat!(
            r#"{"jsonrpc":"2.0","id":31,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
            r#""capabilities":{},"clientInfo":{"name":"mcp-stdio-probe","version":"0.1.0"}}}"#,
            "\n"
        )],
        &[
            concat!(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, "\n"),
            concat!(r#"{"jsonrpc":"2.0","id":"list-3","method":"tools/list"}"#, "\n"),
        ],
        &[concat!(r#"{"jsonrpc":"2.0","id":71,"method":"no/such-method"}"#, "\n")],
    ];
    let mut command = program(server);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else { return };
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    if let (Some(mut stdin), Some(stdout), Some(mut stderr)) = pipes {
        let mut stdout = BufReader::new(stdout);
        let mut line = Vec::new();
        for step in STEPS {
            for message in step {
                let _ = stdin.write_all(message.as_bytes());
            }
            line.clear();
            let _ = stdout.read_until(b'\n', &mut line);
        }
        drop(stdin);
        let _ = stdout.read_to_end(&mut line);
        let _ = stderr.read_to_end(&mut line);
    }
    let _ = child.wait();
}

fn probe(session: &Session) {
    let detector = Box::new(Inspector::new(RuleSet::default()));
    black_box(drive::run_blocking(session, detector, &mut (), std::future::pending()));
}

/// What operations of one kind took.
#[derive(Default)]
struct Costs {
    cpu: Vec<Duration>,
    wall: Vec<Duration>,
}

impl Costs {
    fn measure(&mut self, operation: impl FnOnce()) {
        let (began, before) = (now(), cpu());
        operation();
        self.wall.push(began.elapsed());
        self.cpu.push(cpu().saturating_sub(before));
    }

    fn cpu(&self) -> Duration {
        median(&self.cpu)
    }

    fn wall(&self) -> Duration {
        median(&self.wall)
    }
}

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Processor time of this process and of its children that were reaped.
fn cpu() -> Duration {
    let time = |time: TimeVal| {
        Duration::from_secs(time.tv_sec().unsigned_abs())
            + Duration::from_micros(time.tv_usec().unsigned_abs())
    };
    [UsageWho::RUSAGE_SELF, UsageWho::RUSAGE_CHILDREN]
        .into_iter()
        .filter_map(|who| getrusage(who).ok())
        .map(|usage| time(usage.user_time()) + time(usage.system_time()))
        .sum()
}

#[expect(clippy::disallowed_methods, reason = "time is what this task measures")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_one_in_the_middle() {
        let times = |millis: &[u64]| millis.iter().map(|ms| Duration::from_millis(*ms)).collect();
        let median = |millis: &[u64]| median(&Vec::<Duration>::from_iter::<Vec<_>>(times(millis)));
        assert_eq!(median(&[9, 1, 5]), Duration::from_millis(5));
        assert_eq!(median(&[]), Duration::ZERO);
    }
}
