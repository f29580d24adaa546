//! Machine-made mutants of the detector and of what proves it: every one, or those of a change.
//!
//! Owns which packages are mutated in which order and by whose tests a mutant may die; what a
//! survivor is, and that nothing run is never green. `.cargo/mutants.toml` says the rest.

mod diff;
mod exclusions;
mod results;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::Complaints;
use crate::command::{Failure, program, status, target_directory};
use crate::tool::{MUTANTS, Tool};
use crate::workspace::{self, Workspace};

use diff::{Base, Listed};
use results::Results;

/// How long mutants of a change are run, the building of their tests included. What has begun is
/// finished, and something is always run.
const BUDGET: Duration = Duration::from_secs(6 * 60);

/// So many mutants of a change are run at most: the same ones wherever the commit is judged, but
/// for those for which a slow machine has no time.
const SAMPLE: usize = 40;

/// So many mutants are run between two looks at the clock.
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
    let tool = match Tool::find_or_install(MUTANTS) {
        Ok(tool) => tool,
        Err(failure) => return vec![failure.to_string()],
    };
    let outcome = match scope {
        Scope::Whole => whole(&tool),
        Scope::InDiff { base } => in_diff(&tool, base.as_deref()),
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

fn in_diff(tool: &Tool, base: Option<&str>) -> Result<Complaints, Failure> {
    let began = now();
    let repository = workspace::root();
    let base = match Base::find(&repository, base)? {
        Ok(base) => base,
        Err(complaint) => return Ok(vec![complaint]),
    };
    let head = diff::head(&repository)?;
    let tree = diff::export(&repository, &directory())?;
    let patch = diff::patch(&repository, &base, &directory())?;
    let mut list = mutants(tool, &tree, &directory().join("list"));
    let listed = diff::list(list.arg("--workspace").arg("--in-diff").arg(&patch))?;
    if listed.is_empty() {
        println!("mutants: none, as the change since {base} touches no line that has any");
        return Ok(Complaints::new());
    }
    let sample = diff::in_order_of(&head, listed);
    let mut counts = Results::default();
    let mut begun = 0;
    for batch in sample[..sample.len().min(SAMPLE)].chunks(BATCH) {
        if begun > 0 && began.elapsed() > BUDGET {
            break;
        }
        counts.add(run_batch(tool, &tree, batch)?);
        begun += batch.len();
    }
    let (all, skipped) = (sample.len(), sample.len() - begun);
    println!("mutants: {all} since {base}, {begun} run, {skipped} skipped: {counts}");
    let mut complaints = counts.survivors();
    if counts.run() == 0 {
        complaints.push("the change has mutants, and not one was run".to_owned());
    }
    Ok(complaints)
}

/// Runs some mutants of a tree, first by the tests that stand nearest, then by all that may kill.
fn run_batch(tool: &Tool, tree: &Path, batch: &[Listed]) -> Result<Results, Failure> {
    let mut counts = Results::default();
    for nearest in &NEAREST {
        let own = batch.iter().filter(|mutant| nearest.mutated.contains(&mutant.package.as_str()));
        let own: Vec<&str> = own.map(|mutant| mutant.name.as_str()).collect();
        if own.is_empty() {
            continue;
        }
        let output = directory().join("in-diff");
        let mut first = in_place(tool, tree, &output, &own);
        judge(first.args(["--test-package", nearest.killers]))?;
        let mut found = results::read(&output)?;
        let alive: Vec<String> = std::mem::take(&mut found.missed);
        if !alive.is_empty() {
            let alive: Vec<&str> = alive.iter().map(String::as_str).collect();
            judge(&mut in_place(tool, tree, &output, &alive))?;
            found.add(results::read(&output)?);
        }
        counts.add(found);
    }
    Ok(counts)
}

/// The tool on a tree, its output in a directory.
fn mutants(tool: &Tool, tree: &Path, output: &Path) -> std::process::Command {
    let mut command = program(tool.path());
    command.arg("mutants").arg("--dir").arg(tree).arg("--output").arg(output);
    command.args(["--no-times", "--colors", "never"]);
    command
}

/// The same, for these mutants of a copy of the workspace that nobody else reads. What is built
/// there is kept, so that the next run builds only what changed.
fn in_place(tool: &Tool, tree: &Path, output: &Path, names: &[&str]) -> std::process::Command {
    let mut command = mutants(tool, tree, output);
    command.args(["--workspace", "--in-place"]);
    command.args(["--timeout", &TIMEOUT_SECONDS.to_string()]);
    command.env("CARGO_TARGET_DIR", directory().join("build"));
    for name in names {
        command.arg("--re").arg(exactly(name));
    }
    command
}

/// The regular expression of a name.
fn exactly(name: &str) -> String {
    let mut expression = "^".to_owned();
    for character in name.chars() {
        if r"\.+*?()|[]{}^$#&-~/".contains(character) {
            expression.push('\\');
        }
        expression.push(character);
    }
    expression.push('$');
    expression
}

/// Runs the tool. That mutants live, or hang, is for its lists to say.
fn judge(command: &mut std::process::Command) -> Result<(), Failure> {
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

#[cfg(test)]
mod tests {
    use super::exactly;

    #[test]
    fn a_name_is_matched_by_its_characters_alone() {
        let name = "src/a.rs:1:2: replace f -> Option<&str> with Some(\"x\") in <impl A for B>::f";
        let expression = exactly(name);
        assert!(
            expression.starts_with(r"^src\/a\.rs:1:2: replace f \-> Option<\&str> with Some\(")
        );
        assert!(expression.ends_with(r"in <impl A for B>::f$"));
    }
}
