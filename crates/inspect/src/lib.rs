//! The detector: events in, findings and a verdict out.
//!
//! Pure: no IO, clock, thread or randomness. It never fails and never panics, whatever bytes
//! it is given, and its verdict does not depend on how those bytes were cut.

mod canary;
mod detector;
mod envelope;
mod find;
mod frame;
mod grammar;
mod inspector;
mod json_text;
mod judge;
mod keys;
mod lifecycle;
mod mcp;
mod methods;
mod number;
mod passing;
mod pick;
mod plain;
mod readable;
mod requests;
mod rule_set;
mod schema;
mod shape;
mod stderr;
mod string;
mod utf8;

pub use detector::{Accepted, Detector, State, Step};
pub use inspector::Inspector;
pub use json_text::check_json_text;
pub use rule_set::{Correlation, DEFAULT_MAX_FRAME_BYTES, Messages, RuleSet, Setting};
pub use schema::{MessageSchema, Mismatch, SchemaAnswer, Subject};
