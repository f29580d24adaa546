//! What a person runs twice: each task, as a function that gives its complaints.
#![expect(clippy::print_stdout, reason = "tasks report on the terminal")]

pub mod bench;
pub mod check;
pub mod clients;
mod command;
pub mod controls;
pub mod costs;
pub mod differential;
pub mod export;
pub mod formats;
mod frames;
pub mod fuzz;
mod generated;
pub mod html_check;
pub mod kinds;
pub mod mutants;
mod names;
pub mod poll_tap;
pub mod programs;
pub mod real;
pub mod recipes;
pub mod regen;
pub mod scaffold;
pub mod scrub;
pub mod soak;
pub mod stress;
mod tool;
mod verdict;
mod workspace;

pub use workspace::Workspace;

/// What a task found wrong, line by line. Empty: all is well.
pub type Complaints = Vec<String>;
