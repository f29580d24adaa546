//! The command line of the tasks.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool")]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::bench::{self, Floors, Group};
use xtask::check::{self, RuleTable};
use xtask::mutants::{self, Scope};
use xtask::regen::{self, Edits, Mode};
use xtask::scaffold::{NewFixture, NewIncident, NewRule};
use xtask::{
    Complaints, Workspace, clients, controls, costs, differential, export, formats, fuzz,
    html_check, kinds, poll_tap, programs, real, recipes, soak, stress,
};

/// Tasks of this workspace.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Name at once everything that is missing or out of place, with its mend.
    Check,
    /// Make recordings, tables, the case schema and reports anew.
    Regen {
        /// Write nothing; complain of what is not fresh.
        #[arg(long)]
        check: bool,
        /// Write over generated files with uncommitted edits too.
        #[arg(long, conflicts_with = "check")]
        force: bool,
    },
    /// Make a case of captured bytes.
    NewIncident(Box<NewIncident>),
    /// Make a fixture server and the case of its recording.
    NewFixture(NewFixture),
    /// Add a rule to the catalogue.
    NewRule(NewRule),
    /// Compare the detector with test data from elsewhere.
    Differential {
        /// A directory with `json-test-suite/` and `real-servers/`.
        #[arg(long)]
        data: PathBuf,
    },
    /// Install the clients of SDKs, and tabulate what each makes of each mistake.
    Clients,
    /// Write the corpus as one archive for any language.
    Export {
        /// The directory to write it to.
        #[arg(long, default_value = "target/export")]
        out: PathBuf,
        /// Write nothing; run the archive's examples.
        #[arg(long, conflicts_with = "out")]
        examples: bool,
    },
    /// Probe each negative control, and its sane twin, with the installed command.
    Controls,
    /// Have every report of every case read by parsers from the npm registry.
    Formats,
    /// Open hostile reports in headless Chromium, and photograph some.
    HtmlCheck,
    /// Play the full profile with a server of each known kind of mistake
    Kinds {
        /// One kind alone, such as `E8`
        #[arg(long, value_name = "KIND")]
        only: Option<String>,
    },
    /// Launch many servers with every fault, cut short by chance: nothing may be left.
    Soak {
        /// How many.
        #[arg(long, default_value_t = 1000)]
        launches: u32,
        /// What chance begins with.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Probe every fixture many times on a busy machine: no verdict may change.
    Stress {
        /// How many times each.
        #[arg(long, default_value_t = 50)]
        rounds: u32,
    },
    /// Measure what a probe costs beside a bare spawn. To be run in a release build.
    Costs,
    /// Measure speed, memory and growth as ratios. To be run in a release build.
    Bench {
        /// Complain of figures that miss their floors in `xtask/bench/floors.json`.
        #[arg(long)]
        check: bool,
        /// Measure only these.
        #[arg(long, value_name = "NAME")]
        only: Option<Group>,
    },
    /// Be the smallest tap there can be, for `bench` and `real`.
    #[command(hide = true)]
    PollTap {
        /// The directory in which what passes is written down.
        #[arg(long)]
        record: Option<PathBuf>,
        /// What it stands before.
        #[arg(last = true)]
        command: Vec<String>,
    },
    /// Run the programs beside cases, and their repaired twins.
    Programs,
    /// Run machine-made mutants of the detector, the corpus and the operators; each must die.
    Mutants {
        /// Only mutants on lines that differ between BASE and HEAD: a sample that HEAD's hash
        /// decides, as large as six minutes allow. Without BASE: what is not on origin/main yet,
        /// or if there is nothing, the latest commits.
        #[arg(long, value_name = "BASE", num_args = 0..=1)]
        in_diff: Option<Option<String>>,
    },
    /// Fuzz the detector, beginning with the bytes of the corpus; needs a nightly toolchain.
    Fuzz {
        /// How long.
        #[arg(long, default_value_t = 300)]
        seconds: u32,
    },
    /// All of `programs`; then probe published servers from npm and PyPI, and a small server of
    /// each SDK, with the installed command.
    Real,
    /// Check the recipes for CI: the action, the hooks, their scripts.
    Recipes,
}

fn main() -> ExitCode {
    let here = Workspace::here();
    let complaints = match Arguments::parse().task {
        Task::Check => complete(&here),
        Task::Regen { check, force } => {
            let mode = match (check, force) {
                (true, _) => Mode::Check,
                (false, false) => Mode::Write(Edits::Protect),
                (false, true) => Mode::Write(Edits::Overwrite),
            };
            regen::run(&here, mode, regen::inspector)
        }
        Task::NewIncident(task) => task.run(&here),
        Task::NewFixture(task) => task.run(&here),
        Task::NewRule(task) => task.run(&here),
        Task::Clients => clients::run(),
        Task::Export { examples: true, .. } => export::try_examples(),
        Task::Export { out, examples: false } => export::run(&out),
        Task::Controls => controls::run(),
        Task::Kinds { only } => kinds::run(only.as_deref()),
        Task::Formats => formats::run(),
        Task::HtmlCheck => html_check::run(),
        Task::Soak { launches, seed } => soak::run(launches, seed),
        Task::Stress { rounds } => stress::run(rounds),
        Task::Costs => costs::run(),
        Task::Bench { check, only } => {
            bench::run(only, if check { Floors::Demanded } else { Floors::Shown })
        }
        Task::PollTap { record, command } => poll_tap::run(&command, record.as_deref()),
        Task::Programs => programs::run(),
        Task::Mutants { in_diff: None } => mutants::run(&Scope::Whole),
        Task::Mutants { in_diff: Some(base) } => mutants::run(&Scope::InDiff { base }),
        Task::Fuzz { seconds } => fuzz::run(seconds),
        Task::Real => [programs::run(), real::run()].concat(),
        Task::Recipes => recipes::run(),
        Task::Differential { data } => differential::run(&data),
    };
    for complaint in &complaints {
        eprintln!("{complaint}");
    }
    if complaints.is_empty() {
        ExitCode::SUCCESS
    } else {
        eprintln!("{} complaints", complaints.len());
        ExitCode::FAILURE
    }
}

fn complete(workspace: &Workspace) -> Complaints {
    let complaints = check::run(workspace, &RuleTable::of_the_catalogue());
    if complaints.is_empty() {
        println!("check: nothing is missing");
    }
    complaints.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::Arguments;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn an_oracle_is_stated_whole_or_not_at_all() {
        let parse = |options: &[&str]| {
            let task = ["xtask", "new-incident", "try-me", "--stdout", "x", "--source", "y"];
            Arguments::try_parse_from(task.iter().chain(options)).is_ok()
        };
        assert!(parse(&[]));
        assert!(parse(&["--rule", "invalid-json", "--frame", "1", "--byte", "0"]));
        assert!(parse(&["--clean", "--advice", "carriage-return@1:163*4"]));
        assert!(!parse(&["--rule", "no-such-rule", "--frame", "1", "--byte", "0"]));
        assert!(!parse(&["--frame", "1"]));
        assert!(!parse(&["--clean", "--rule", "invalid-json"]));
        assert!(!parse(&["--clean", "--protocol", "2020-01-01"]));
    }
}
