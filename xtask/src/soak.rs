//! `soak`: many launches of every fault, each cut short at a moment that chance chooses, or not at
//! all. Nothing may be left of any of them, and nothing may grow.
//!
//! Half of the launches go through the installed command, which is signalled or killed; half
//! through the library in this process, whose runs are stopped or dropped.

mod chance;
mod command;
mod fault;
mod library;
mod marked;

use std::env;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use crate::Complaints;
use crate::command::{build_fixtures, install, program};
use crate::workspace::Workspace;
use chance::Chance;
use fault::faults;

/// Launches at the same time: most of their time is waiting.
const AT_ONCE: u32 = 6;
/// By how many bytes this process may have grown at the end: buffers that are kept, and what
/// threads leave in the allocator.
const GROWTH: u64 = 8 * 1024 * 1024;
/// How glibc is told to give every large buffer a mapping of its own, which it returns when the
/// buffer is freed. Otherwise the sizes that it has seen make it keep ever larger holes in the
/// arena of each thread, and what was freed would look like what is held.
const RETURN_WHAT_IS_FREED: (&str, &str) = ("MALLOC_MMAP_THRESHOLD_", "65536");

/// Launches so many servers; the same seed chooses the same faults and moments.
#[must_use]
pub fn run(launches: u32, seed: u64) -> Complaints {
    let (name, value) = RETURN_WHAT_IS_FREED;
    if env::var_os(name).is_none() {
        // The allocator reads its environment once, when a process begins.
        let myself = env::current_exe().unwrap_or_else(|_| "/proc/self/exe".into());
        let error = program(myself).args(env::args_os().skip(1)).env(name, value).exec();
        return vec![format!("soak cannot begin again with {name}: {error}")];
    }
    let here = Workspace::here();
    let (installed, fixtures) = match install().and_then(|path| Ok((path, build_fixtures(&here)?)))
    {
        Ok(paths) => paths,
        Err(failure) => return vec![failure.to_string()],
    };
    let faults = match faults(&here, &fixtures) {
        Ok(faults) if !faults.is_empty() => faults,
        Ok(_) => return vec!["no fault was found".to_owned()],
        Err(error) => return vec![format!("{}: {error}", fixtures.display())],
    };
    let mut tally = Tally::default();
    // What the first runs set up for good is no growth.
    for launch in 0..AT_ONCE {
        library::launch(
            &faults[0],
            &installed,
            &mut Chance::new(seed, u64::MAX - u64::from(launch)),
        );
    }
    let before = Footprint::of_this_process();
    let next = AtomicU32::new(0);
    let found = Mutex::new((Complaints::new(), &mut tally));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= launches {
                        break;
                    }
                    let chance = &mut Chance::new(seed, u64::from(number));
                    let fault = &faults[(number / 2) as usize % faults.len()];
                    let launched = match number % 2 {
                        0 => command::launch(fault, &installed, chance),
                        _ => library::launch(fault, &installed, chance),
                    };
                    let mut found = found.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    let (complaints, tally) = &mut *found;
                    tally.add(&launched);
                    complaints.extend(
                        launched
                            .complaint
                            .map(|text| format!("launch {number}, {}: {text}", fault.name)),
                    );
                }
            });
        }
    });
    let after = Footprint::of_this_process();
    let mut complaints = found.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).0;
    if after.descriptors > before.descriptors {
        complaints.push(format!("{} descriptors became {}", before.descriptors, after.descriptors));
    }
    let grown = after.memory.saturating_sub(before.memory);
    if grown > GROWTH {
        complaints.push(format!("the process grew by {grown} bytes"));
    }
    println!(
        "soak: {} launches of {} faults (seed {seed}): {} ran to their end, {} signalled, {} dropped, \
         {} probes killed; {} processes left, everything gone {} ms after a kill at the latest; \
         descriptors {} -> {}, memory {} -> {} KiB",
        tally.launches,
        faults.len(),
        tally.whole,
        tally.signalled,
        tally.dropped,
        tally.killed,
        tally.left,
        tally.slowest_ms,
        before.descriptors,
        after.descriptors,
        before.memory / 1024,
        after.memory / 1024,
    );
    if tally.killed == 0 || tally.whole == 0 || tally.dropped == 0 {
        complaints.push("too few launches to try every way of ending one".to_owned());
    }
    complaints
}

/// How a launch was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    Not,
    Signal,
    Drop,
    Kill,
}

/// What a launch led to.
struct Launched {
    cut: Cut,
    /// From a kill of the probe to the end of everything, in milliseconds.
    gone_ms: u64,
    /// How many processes were left.
    left: usize,
    complaint: Option<String>,
}

#[derive(Default)]
struct Tally {
    launches: u32,
    whole: u32,
    signalled: u32,
    dropped: u32,
    killed: u32,
    left: usize,
    slowest_ms: u64,
}

impl Tally {
    fn add(&mut self, launched: &Launched) {
        self.launches += 1;
        match launched.cut {
            Cut::Not => self.whole += 1,
            Cut::Signal => self.signalled += 1,
            Cut::Drop => self.dropped += 1,
            Cut::Kill => self.killed += 1,
        }
        self.left += launched.left;
        self.slowest_ms = self.slowest_ms.max(launched.gone_ms);
    }
}

/// What this process holds.
struct Footprint {
    descriptors: usize,
    /// In bytes.
    memory: u64,
}

impl Footprint {
    fn of_this_process() -> Self {
        let descriptors = fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = resident.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
        Self { descriptors, memory: kib.unwrap_or(0) * 1024 }
    }
}
