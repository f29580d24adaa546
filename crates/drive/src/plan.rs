//! What the client side is to do in one session: a scenario, the revision, the calls. The ids of
//! named steps are [`model::PlanStep`]'s.

mod client;
mod lists;
mod message;
mod reply;
mod tools;

use std::error::Error;
use std::fmt;

use model::ProtocolVersion;
use serde_json::value::RawValue;

use crate::scenario::Scenario;

pub(crate) use client::{Action, Client};
pub(crate) use message::{Outgoing, answer};

/// What the client side is to do in one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The revision that is asked for, or spoken.
    pub protocol: ProtocolVersion,
    /// The steps.
    pub scenario: Scenario,
    /// The tools to call, where the scenario calls any.
    pub calls: Vec<ToolCall>,
    /// Which other tools are called too.
    pub more_calls: MoreCalls,
}

/// Which tools are called that nobody named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MoreCalls {
    /// None.
    #[default]
    None,
    /// Those that say that they only read, and whose arguments can be made from their schema.
    Safe,
}

impl Plan {
    /// The ordinary session of a revision, without calls.
    #[must_use]
    pub fn ordinary(protocol: ProtocolVersion) -> Self {
        Self {
            protocol,
            scenario: Scenario::ordinary(protocol),
            calls: Vec::new(),
            more_calls: MoreCalls::None,
        }
    }
}

impl Default for Plan {
    fn default() -> Self {
        Self::ordinary(ProtocolVersion::NEWEST_WITH_HANDSHAKE)
    }
}

/// A tool to call, and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    tool: Box<str>,
    arguments: Box<str>,
}

impl ToolCall {
    /// A call of `tool` with `arguments`, the text of one JSON object. The text is sent as it is,
    /// but for line breaks between its tokens, which become spaces.
    ///
    /// # Errors
    ///
    /// If `arguments` is not JSON, or not an object.
    pub fn new(tool: impl Into<Box<str>>, arguments: &str) -> Result<Self, ArgumentsError> {
        let raw: &RawValue = serde_json::from_str(arguments).map_err(ArgumentsError::NotJson)?;
        if !raw.get().starts_with('{') {
            return Err(ArgumentsError::NotAnObject);
        }
        Ok(Self {
            tool: tool.into(),
            // JSON has no line break inside a string, so these all stand between tokens.
            arguments: raw.get().replace(['\n', '\r'], " ").into(),
        })
    }

    /// The tool's name.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The text of the arguments, on one line.
    #[must_use]
    pub fn arguments(&self) -> &str {
        &self.arguments
    }
}

/// Why a text cannot be the arguments of a tool.
#[derive(Debug)]
pub enum ArgumentsError {
    /// It is not JSON.
    NotJson(serde_json::Error),
    /// It is JSON, but not an object.
    NotAnObject,
}

impl fmt::Display for ArgumentsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson(error) => write!(f, "the arguments are not JSON: {error}"),
            Self::NotAnObject => f.write_str("the arguments are not a JSON object"),
        }
    }
}

impl Error for ArgumentsError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NotJson(error) => Some(error),
            Self::NotAnObject => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_kept_as_written_on_one_line() {
        let call = ToolCall::new("t", " {\"a\":\r\n 1e400,\n\"b\": \"\\ud800\\n\"} ").unwrap();
        assert_eq!(call.arguments(), "{\"a\":   1e400, \"b\": \"\\ud800\\n\"}");
    }

    #[test]
    fn arguments_are_an_object() {
        for text in ["[]", "1", "null", "\"{}\""] {
            assert!(matches!(ToolCall::new("t", text), Err(ArgumentsError::NotAnObject)));
        }
        for text in ["", "{", "{}{}", "{a:1}", "{\"a\":\"\n\"}"] {
            assert!(matches!(ToolCall::new("t", text), Err(ArgumentsError::NotJson(_))));
        }
    }
}
