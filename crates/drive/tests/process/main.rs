//! The process layer against real processes: shell scripts that each do one thing wrong.
//!
//! Budgets are generous, because reaching one is a failure, except where the deadline itself is
//! what a test is about. After every run no process of it may be left.

mod guard;
mod ladder;
mod launching;
mod leaks;
mod pipes;
mod plan;
mod support;
