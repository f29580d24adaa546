//! Machine-made mutants of the detector and of what proves it: every one, or those of a change.
//!
//! Owns which packages are mutated in which order and by whose tests a mutant may die; what a
//! survivor is, and that nothing run is never green. `.cargo/mutants.toml` says the rest.

mod diff;
mod exclusions;
mod results;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::Complaints;
use crate::command::{Failure, program, status, target_directory};
use crate::tool::{MUTANTS, Tool};
use crate::workspace::{self, Workspace};

use diff::{Base, Batch};
use results::Results;

/// How long mutants of a change are run, the installing of the tool and the building of their tests
/// included. What has begun is finished, and something is always run.
const BUDGET: Duration = Duration::from_secs(4 * 60);

/// So many mutants of a change are run at most: the same ones wherever the commit is judged, but
/// for those for which a slow machine has no time.
const SAMPLE: usize = 40;

/// So many mutants, at most, are run between two looks at the clock.
const BATCH: usize = 8;

/// How long a mutant's tests may take before they count as hanging, where nothing was measured.
const TIMEOUT_SECONDS: u32 = 120;

/// Which mutants are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every one.
    Whole,
    /// Those of the lines that a change touches.
    InDiff {
        /// The revision before the change. None: what is not on `origin/main` yet, or if there is
        /// nothing, the latest commits.
        base: Option<String>,
    },
}

/// The tests that are tried first: those that stand nearest.
struct Nearest {
    mutated: &'static [&'static str],
    killers: &'static str,
}

const NEAREST: [Nearest; 2] = [
    Nearest {
        mutated: &["mcp-stdio-probe-model", "mcp-stdio-probe-inspect", "mcp-stdio-probe-corpus"],
        killers: "mcp-stdio-probe-model,mcp-stdio-probe-inspect,mcp-stdio-probe-corpus",
    },
    Nearest { mutated: &["mcp-stdio-probe-mutate"], killers: "mcp-stdio-probe-mutate" },
];

/// Runs mutants.
#[must_use]
pub fn run(scope: &Scope) -> Complaints {
    let began = now();
    let tool = match Tool::find_or_install(MUTANTS) {
        Ok(tool) => tool,
        Err(failure) => return vec![failure.to_string()],
    };
    let outcome = match scope {
        Scope::Whole => whole(&tool),
        Scope::InDiff { base } => in_diff(&tool, base.as_deref(), began),
    };
    outcome.unwrap_or_else(|failure| vec![failure.to_string()])
}

/// Where everything about mutants is put.
fn directory() -> PathBuf {
    target_directory().join("machine-mutants")
}

fn whole(tool: &Tool) -> Result<Complaints, Failure> {
    let here = Workspace::here();
    let mut complaints = exclusions::check(tool, here.root())?;
    let mut counts = Results::default();
    for nearest in &NEAREST {
        let output = directory().join(nearest.mutated[0]);
        let mut first = mutants(tool, here.root(), &output);
        for package in nearest.mutated {
            first.args(["--package", package]);
        }
        judge(first.args(["--test-package", nearest.killers]))?;
        if !results::read(&output)?.missed.is_empty() {
            // Only what is alive is run again, by the tests of every package that may kill.
            let mut second = mutants(tool, here.root(), &output);
            for package in nearest.mutated {
                second.args(["--package", package]);
            }
            judge(second.arg("--iterate"))?;
        }
        counts.add(results::all(&output)?);
    }
    println!("mutants: {counts}");
    complaints.extend(counts.survivors());
    if counts.run() == 0 {
        complaints.push("not one mutant was run: nothing run is never green".to_owned());
    }
    Ok(complaints)
}

fn in_diff(tool: &Tool, base: Option<&str>, began: Instant) -> Result<Complaints, Failure> {
    let repository = workspace::root();
    let base = match Base::find(&repository, base)? {
        Ok(Some(base)) => base,
        Ok(None) => {
            println!("mutants: none, as a shallow clone does not show what changed");
            return Ok(Complaints::new());
        }
        Err(complaint) => return Ok(vec![complaint]),
    };
    let head = diff::head(&repository)?;
    let change = Change {
        tree: diff::export(&repository, &directory())?,
        patch: diff::patch(&repository, &base, &directory())?,
    };
    let mut batches = Vec::new();
    for nearest in &NEAREST {
        let mut command = mutants(tool, &change.tree, &directory().join("list"));
        let listed = diff::list(change.narrow(&mut command, nearest))?;
        batches.extend(diff::batches(listed, BATCH).into_iter().map(|batch| (nearest, batch)));
    }
    let all: usize = batches.iter().map(|(_, batch)| batch.names.len()).sum();
    if all == 0 {
        println!("mutants: none, as the change since {base} touches no line that has any");
        return Ok(Complaints::new());
    }
    diff::in_order_of(&head, &mut batches, |(_, batch)| &batch.names[0]);
    let mut counts = Results::default();
    let mut begun = 0;
    for (nearest, batch) in &batches {
        if begun > 0 && (begun + batch.names.len() > SAMPLE || began.elapsed() > BUDGET) {
            break;
        }
        counts.add(run_batch(tool, &change, nearest, batch)?);
        begun += batch.names.len();
    }
    let skipped = all - begun;
    println!("mutants: {all} since {base}, {begun} run, {skipped} skipped: {counts}");
    let mut complaints = counts.survivors();
    if let Base::Latest(_) = base {
        // They are on `origin/main` already; `cargo xtask mutants` is what they have to answer to.
        for survivor in complaints.drain(..) {
            println!("{survivor}");
        }
    }
    if counts.run() == 0 {
        complaints.push("the change has mutants, and not one was run".to_owned());
    } else if counts.run() != begun {
        complaints.push(format!("{begun} mutants were chosen, and {} were run", counts.run()));
    }
    Ok(complaints)
}

/// A change, laid out for the tool.
struct Change {
    /// The files after it, in a directory that nobody else reads.
    tree: PathBuf,
    patch: PathBuf,
}

impl Change {
    /// Lets the tool see only the mutants of the change in these packages. They are chosen by
    /// number and not by name: the tool's filter by name lets some kinds of mutant pass whatever
    /// they are called.
    fn narrow<'c>(&self, command: &'c mut Command, nearest: &Nearest) -> &'c mut Command {
        for package in nearest.mutated {
            command.args(["--package", package]);
        }
        command.arg("--in-diff").arg(&self.patch)
    }
}

/// Runs some mutants of a change, first by the tests that stand nearest; if any lives, once more by
/// all that may kill.
fn run_batch(
    tool: &Tool,
    change: &Change,
    nearest: &Nearest,
    batch: &Batch,
) -> Result<Results, Failure> {
    let output = directory().join("in-diff");
    let mut first = in_place(tool, change, &output, nearest, batch);
    judge(first.args(["--test-package", nearest.killers]))?;
    let found = results::read(&output)?;
    if found.missed.is_empty() {
        return Ok(found);
    }
    judge(&mut in_place(tool, change, &output, nearest, batch))?;
    results::read(&output)
}

/// The tool on a tree, its output in a directory.
fn mutants(tool: &Tool, tree: &Path, output: &Path) -> Command {
    let mut command = program(tool.path());
    command.arg("mutants").arg("--dir").arg(tree).arg("--output").arg(output);
    command.args(["--no-times", "--colors", "never"]);
    command
}

/// The same, for some mutants of a change, in its own tree. What is built there is kept, so that
/// the next run builds only what changed. That the tests pass without a mutant is for others to
/// show.
fn in_place(
    tool: &Tool,
    change: &Change,
    output: &Path,
    nearest: &Nearest,
    batch: &Batch,
) -> Command {
    let mut command = mutants(tool, &change.tree, output);
    change.narrow(&mut command, nearest);
    command.args(["--shard", &batch.shard, "--sharding", "round-robin"]);
    command.args(["--in-place", "--baseline", "skip"]);
    command.args(["--timeout", &TIMEOUT_SECONDS.to_string()]);
    command.env("CARGO_TARGET_DIR", directory().join("build"));
    command
}

/// Runs the tool. That mutants live, or hang, is for its lists to say.
fn judge(command: &mut Command) -> Result<(), Failure> {
    const MISSED: i32 = 2;
    const TIMED_OUT: i32 = 3;
    let program = command.get_program().display().to_string();
    match status(command)?.code() {
        Some(0 | MISSED | TIMED_OUT) => Ok(()),
        code => {
            let tail = format!("exit status {code:?}: see above");
            Err(Failure::Status { program, tail })
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the budget of a task, not of a verdict")]
fn now() -> Instant {
    Instant::now()
}
