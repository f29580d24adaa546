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
#[cfg(feature = "json-schema")]
mod schema;
mod script;

pub use embedded::{embedded, embedded_case};
pub use expand::{ExpandError, Expansion, compact, expand};
pub use format::{
    AdviceExpectation, CaseFile, Clean, Expectation, Home, InconclusiveWord, OneOrMany, Oracle,
    Origin, Program, RunSettings, Runtime, Stuck, Todo, ValidStdout, Violation,
};
pub use load::{Case, Family, LoadError, Loaded, load_all, load_case, load_each, load_recording};
pub use oracle::{compare, expectation_for, revision_shown, spoken_revision};
pub use replay::{Chunking, denied_rules, events, replay, rule_set};
#[cfg(feature = "json-schema")]
pub use schema::case_schema;
pub use script::{
    ScriptError, ScriptStep, Send, SendMessage, SendRaw, SendReply, Take, Usage, Window,
};
