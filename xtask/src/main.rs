//! What a person runs twice.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool")]

mod check;
mod command;
mod controls;
mod differential;
mod real;
mod regen;
mod verdict;
mod workspace;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

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
    /// Make recordings, tables and snapshots anew.
    Regen {
        /// Write nothing; complain of what is not fresh.
        #[arg(long)]
        check: bool,
    },
    /// Compare the detector with test data from elsewhere.
    Differential {
        /// A directory with `json-test-suite/` and `real-servers/`.
        #[arg(long)]
        data: PathBuf,
    },
    /// Probe each negative control, and its sane twin, with the installed command.
    Controls,
    /// Probe published servers from the npm registry with the installed command.
    Real,
}

/// What a task found wrong, line by line. Empty: all is well.
type Complaints = Vec<String>;

fn main() -> ExitCode {
    let complaints = match Arguments::parse().task {
        Task::Check => check::run(&workspace::root()),
        Task::Regen { check: false } => regen::run(regen::Mode::Write),
        Task::Regen { check: true } => regen::run(regen::Mode::Check),
        Task::Controls => controls::run(),
        Task::Real => real::run(),
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
