//! The detector: events in, findings and a verdict out.
//!
//! Pure: no IO, clock, thread or randomness. It never fails and never panics, whatever bytes
//! it is given, and its verdict does not depend on how those bytes were cut.

mod detector;
mod rule_set;

pub use detector::{Accepted, Detector, State, Step};
pub use rule_set::{Correlation, DEFAULT_MAX_FRAME_BYTES, RuleSet, Setting};
