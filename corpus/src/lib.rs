//! The corpus: recorded bytes, a script, and what a person says must be found.
//!
//! Owns the case format, its loader, the replay of a case through a detector, and the
//! comparison of a verdict with the oracle. It starts no process and writes no oracle.

mod embedded;
mod expand;
mod format;
mod load;
mod oracle;
mod replay;
mod script;

pub use embedded::embedded;
pub use expand::{ExpandError, Expansion, compact, expand};
pub use format::{
    AdviceExpectation, CaseFile, Clean, Expectation, OneOrMany, Oracle, Origin, RunSettings, Stuck,
    Todo, Violation,
};
pub use load::{Case, Family, LoadError, load_all, load_case, load_recording};
pub use oracle::{compare, expectation_for};
pub use replay::{Chunking, denied_rules, events, replay, rule_set};
pub use script::{ScriptError, ScriptStep, Send, SendReply, Take, Window};
