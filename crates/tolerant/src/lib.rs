//! Mutants of the detector: each wrong on purpose, in a way that real clients and hasty fixes
//! are tempted by.
//!
//! A mutant has the interface of the true detector and is mostly a transformation of what that
//! one is given or says. Every mutant must be killed by the corpus case that its row names,
//! with exactly the wrong answer that its row declares, and must agree with the true detector
//! wherever its temptation is not at work. What no case kills, no case guards.

mod answer;
mod blind;
mod complacent;
mod excuse;
mod json;
mod lenient;
mod matrix;
mod mutant;
mod order;
mod read;
mod strict;
mod trial;
mod wrap;

pub use answer::{Answer, Conclusion, Seen};
pub use blind::{Blind, blinds};
pub use excuse::Broken;
pub use matrix::{KillMatrix, Mark};
pub use mutant::{Death, DiesAs, Family, Mutant, mutants};
pub use trial::{AnyMutant, Judged, Trial, judge_all};
