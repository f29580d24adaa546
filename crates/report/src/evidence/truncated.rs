//! What a cap cut, as a field.

use serde::Serialize;

use crate::caps;
use crate::facts::{Mode, RunFacts};
use crate::timeline::{FRAMES, OTHERS};

/// Something of which only a part is in the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Truncation {
    /// What: `stderr-bytes`, `stderr-lines`, `frames`, `events`, `arguments` or `environment`.
    pub what: &'static str,
    /// How much of it is in the report.
    pub kept: u64,
    /// How much there was.
    pub seen: u64,
}

/// Every cap that cut something, in a fixed order.
pub(super) fn all(facts: &RunFacts, stderr_lines_kept: usize) -> Vec<Truncation> {
    let stderr = &facts.stderr;
    let (arguments, variables) = match &facts.mode {
        Mode::Run(command) => (command.argv.len(), command.environment.len()),
        Mode::Check { .. } | Mode::Replay { .. } => (0, 0),
    };
    let ends = |ends: crate::timeline::Ends| ends.head + ends.tail;
    let capped =
        |what, cap: usize, seen: u64| Truncation { what, kept: seen.min(cap as u64), seen };
    let all = [
        Truncation {
            what: "stderr-bytes",
            kept: stderr.bytes - stderr.dropped.min(stderr.bytes),
            seen: stderr.bytes,
        },
        Truncation { what: "stderr-lines", kept: stderr_lines_kept as u64, seen: stderr.lines },
        capped("frames", ends(FRAMES), facts.timeline.frames_seen()),
        capped("events", ends(OTHERS), facts.timeline.others_seen()),
        capped("arguments", caps::ARGUMENTS, arguments as u64),
        capped("environment", caps::VARIABLES, variables as u64),
    ];
    all.into_iter().filter(|cut| cut.kept < cut.seen).collect()
}
