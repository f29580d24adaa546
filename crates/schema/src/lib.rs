//! Layer 4: what each protocol revision says of the messages that a server sends.
//!
//! Owns the facts (`schemas/mcp.json`: names, types, required members, and from which revision
//! to which they hold), their expansion to JSON Schema, and the short reasons. The engine is the
//! `jsonschema` crate; schemas are part of the program and nothing is read at run time.

mod notation;
mod reason;
mod validators;

use inspect::{MessageSchema, Mismatch, SchemaAnswer, Subject};
use model::ProtocolVersion;
use serde::Deserialize as _;
use serde_json::Value;

pub use validators::{build_all, definitions};

use validators::Wanted;

/// The most mismatches of one message that are collected, of which the first is reported.
const MAX_MISMATCHES: usize = 256;

/// The schemas of every revision.
///
/// Validators are built when they are first needed, once in a process.
#[must_use]
pub fn mcp() -> &'static dyn MessageSchema {
    static MCP: Mcp = Mcp;
    &MCP
}

#[derive(Debug)]
struct Mcp;

impl MessageSchema for Mcp {
    fn check(
        &self,
        version: ProtocolVersion,
        subject: Subject<'_>,
        message: &[u8],
    ) -> SchemaAnswer {
        let validator = match validators::of(version, subject) {
            Wanted::Validator(validator) => validator,
            Wanted::UnknownMethod => return SchemaAnswer::UnknownMethod,
        };
        let Some(message) = read(message) else {
            return SchemaAnswer::Unreadable;
        };
        if validator.is_valid(&message) {
            return SchemaAnswer::Conforms;
        }
        let mismatches = validator
            .iter_errors(&message)
            .take(MAX_MISMATCHES)
            .map(|error| Mismatch {
                pointer: error.instance_path().as_str().into(),
                reason: reason::of(&error).into(),
            })
            .collect();
        SchemaAnswer::Mismatch(mismatches)
    }
}

/// The message as a value. The caller has seen to its depth.
fn read(message: &[u8]) -> Option<Value> {
    let mut reader = serde_json::Deserializer::from_slice(message);
    reader.disable_recursion_limit();
    Value::deserialize(&mut reader).ok()
}
