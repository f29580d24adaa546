//! `bench`: the speed of the detector and of the command as ratios, each measured side by side
//! in one run, and compared with the floors kept in `xtask/bench/floors.json`. Repetitions of
//! both sides take turns, so that a busy machine is busy for both; medians are compared.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use rustix::time::{ClockId, clock_gettime};
use serde::Deserialize;

use crate::Complaints;
use crate::command::{install, target_directory};
use crate::workspace;

mod corpora;
mod process;
mod scanner;
mod tap;

/// What is measured together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Group {
    /// The detector in memory beside simdutf8 and serde_json.
    Scanner,
    /// By which factor time grows when input doubles.
    Growth,
    /// `check -` beside a bare read loop.
    Pipe,
    /// `check -` beside harnesses in Python and Node.
    Check,
    /// What `check -` holds.
    Memory,
    /// What `tap` adds.
    Tap,
}

/// Whether figures are compared with the floors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Floors {
    /// They are shown beside them.
    Shown,
    /// A figure that misses its floor is a complaint.
    Demanded,
}

/// Measures one group, or all, and writes a table to stdout and `bench.md` in the target
/// directory.
#[must_use]
pub fn run(only: Option<Group>, floors: Floors) -> Complaints {
    if cfg!(debug_assertions) {
        return vec![
            "a debug build tells nothing of speed: `cargo run --release -p xtask -- bench`"
                .to_owned(),
        ];
    }
    let goals = match goals(&workspace::root().join("xtask/bench/floors.json")) {
        Ok(goals) => goals,
        Err(complaint) => return vec![complaint],
    };
    let groups = only.map_or_else(|| Group::value_variants().to_vec(), |group| vec![group]);
    let in_memory = [Group::Scanner, Group::Growth];
    let mut rows = Vec::new();
    for group in groups.iter().filter(|group| in_memory.contains(group)) {
        rows.extend(match group {
            Group::Scanner => scanner::rows(),
            _ => scanner::growth(),
        });
    }
    if groups.iter().any(|group| !in_memory.contains(group)) {
        let installed = match install() {
            Ok(installed) => installed,
            Err(failure) => return vec![failure.to_string()],
        };
        for group in groups {
            rows.extend(match group {
                Group::Scanner | Group::Growth => Vec::new(),
                Group::Pipe => process::pipe(&installed),
                Group::Check => process::check(&installed),
                Group::Memory => process::memory(&installed),
                Group::Tap => tap::tap(&installed),
            });
        }
    }
    let table = table(&rows, &goals);
    print!("{table}");
    let mut complaints = Complaints::new();
    let path = target_directory().join("bench.md");
    if let Err(error) = fs::write(&path, table) {
        complaints.push(format!("{}: {error}", path.display()));
    }
    if floors == Floors::Demanded {
        complaints.extend(missed(&rows, &goals));
    }
    complaints
}

/// A figure: the median of its repetitions, and the least and the most.
#[derive(Debug)]
struct Row {
    name: String,
    median: f64,
    least: f64,
    most: f64,
}

impl Row {
    fn of(name: &str, figures: impl IntoIterator<Item = f64>) -> Self {
        let mut figures: Vec<f64> = figures.into_iter().collect();
        figures.sort_by(f64::total_cmp);
        let at = |index: usize| figures.get(index).copied().unwrap_or(f64::NAN);
        Self {
            name: name.to_owned(),
            median: at(figures.len() / 2),
            least: at(0),
            most: at(figures.len().saturating_sub(1)),
        }
    }
}

/// Which way is better, with what must hold and what is aimed at.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Goal {
    AtLeast { floor: f64, aim: f64 },
    AtMost { floor: f64, aim: f64 },
}

impl Goal {
    fn bounds(self) -> (char, f64, f64) {
        match self {
            Self::AtLeast { floor, aim } => ('≥', floor, aim),
            Self::AtMost { floor, aim } => ('≤', floor, aim),
        }
    }

    /// A figure that could not be taken meets nothing.
    fn is_met(self, figure: f64) -> bool {
        match self {
            Self::AtLeast { floor, .. } => figure >= floor,
            Self::AtMost { floor, .. } => figure <= floor,
        }
    }
}

type Goals = BTreeMap<String, Goal>;

fn goals(path: &Path) -> Result<Goals, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn table(rows: &[Row], goals: &Goals) -> String {
    let mut table = String::from(
        "| figure | median | least | most | floor | aim |\n|---|---:|---:|---:|---:|---:|\n",
    );
    for Row { name, median, least, most } in rows {
        let bounds = goals.get(name).map_or_else(
            || " | ".to_owned(),
            |goal| {
                let (sign, floor, aim) = goal.bounds();
                format!("{sign} {floor} | {sign} {aim}")
            },
        );
        let _ = writeln!(table, "| {name} | {median:.2} | {least:.2} | {most:.2} | {bounds} |");
    }
    table
}

/// What misses its floor, and what has none.
fn missed(rows: &[Row], goals: &Goals) -> Complaints {
    let complaint = |row: &Row| match goals.get(&row.name) {
        None => Some(format!("{} has no floor in xtask/bench/floors.json", row.name)),
        Some(goal) if goal.is_met(row.median) => None,
        Some(goal) => {
            let (sign, floor, _) = goal.bounds();
            Some(format!("{} is {:.2}, and must be {sign} {floor}", row.name, row.median))
        }
    };
    rows.iter().filter_map(complaint).collect()
}

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Processor time of the children that were reaped.
fn children_time() -> Duration {
    let time = |time: TimeVal| {
        Duration::from_secs(time.tv_sec().unsigned_abs())
            + Duration::from_micros(time.tv_usec().unsigned_abs())
    };
    getrusage(UsageWho::RUSAGE_CHILDREN)
        .map(|usage| time(usage.user_time()) + time(usage.system_time()))
        .unwrap_or_default()
}

/// Processor time of this thread. What getrusage(2) says of a thread that runs is told in ticks.
fn thread_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "time is what this task measures")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_the_median_with_its_spread() {
        let row = Row::of("x", [9.0, 1.0, 5.0]);
        assert_eq!((row.least, row.median, row.most), (1.0, 5.0, 9.0));
    }

    #[test]
    fn a_figure_that_misses_its_floor_or_has_none_is_named() {
        let goals = Goals::from([
            ("fast".to_owned(), Goal::AtLeast { floor: 2.0, aim: 3.0 }),
            ("small".to_owned(), Goal::AtMost { floor: 2.0, aim: 1.0 }),
        ]);
        let missed = |name: &str, figure: f64| missed(&[Row::of(name, [figure])], &goals).len();
        assert_eq!([missed("fast", 1.9), missed("fast", 2.0), missed("fast", 3.1)], [1, 0, 0]);
        assert_eq!([missed("small", 2.1), missed("small", 2.0), missed("small", 0.1)], [1, 0, 0]);
        assert_eq!([missed("fast", f64::NAN), missed("small", f64::NAN)], [1, 1]);
        assert_eq!(missed("unknown", 1.0), 1);
    }

    #[test]
    fn every_goal_is_of_a_group_and_aims_beyond_its_floor() {
        let goals = goals(&workspace::root().join("xtask/bench/floors.json"));
        let goals = goals.unwrap_or_else(|complaint| panic!("{complaint}"));
        assert!(!goals.is_empty());
        for (name, goal) in goals {
            let group = name.split('/').next().unwrap_or_default();
            assert!(Group::from_str(group, false).is_ok(), "{name}");
            let aims = match goal {
                Goal::AtLeast { floor, aim } => aim >= floor,
                Goal::AtMost { floor, aim } => aim <= floor,
            };
            assert!(aims, "{name}");
        }
    }
}
