//! What a person runs twice.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool")]

mod differential;
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
    /// Compare the detector with test data from elsewhere.
    Differential {
        /// A directory with `json-test-suite/` and `real-servers/`.
        #[arg(long)]
        data: PathBuf,
    },
}

/// What a task found wrong, line by line. Empty: all is well.
type Complaints = Vec<String>;

fn main() -> ExitCode {
    let complaints = match Arguments::parse().task {
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
