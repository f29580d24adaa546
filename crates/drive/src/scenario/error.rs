//! Why a text is no scenario.

use std::error::Error;
use std::fmt;

/// Why a text is no scenario, and in which line, counted from 1.
#[derive(Debug)]
pub struct ScenarioError {
    pub(super) line: usize,
    pub(super) fault: ScenarioFault,
}

/// What is wrong with a scenario.
#[derive(Debug)]
pub enum ScenarioFault {
    /// It is not JSON, or not of the form that a scenario has.
    Form(serde_json::Error),
    /// It is of a version of the format that is not known.
    Version(u32),
    /// It has no step, or a repetition has none.
    Empty,
    /// It has more steps than a scenario may have.
    TooLong,
    /// A step comes after stdin was closed.
    AfterTheEnd,
    /// A reply is awaited after our end of stdout was closed.
    NothingToRead,
    /// A step needs another one before it.
    Needs(&'static str),
    /// A step that a session has once comes again, or in the other era.
    Again(&'static str),
    /// An id is neither a string nor an integer.
    Id(String),
    /// An id was used before.
    IdUsed(String),
    /// A method is empty.
    Method,
    /// Params are not an object. Whatever else can be sent as raw bytes.
    Params,
    /// A number is out of its range.
    Range(&'static str, u64, u64),
    /// Bytes are not written as pairs of hexadecimal digits.
    Hex,
}

impl ScenarioError {
    /// The line, counted from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// What is wrong there.
    #[must_use]
    pub fn fault(&self) -> &ScenarioFault {
        &self.fault
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.fault)
    }
}

impl Error for ScenarioError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.fault {
            ScenarioFault::Form(error) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for ScenarioFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form(error) => {
                // Its line counts from the step, and ours is said already.
                let text = error.to_string();
                f.write_str(text.rsplit_once(" at line ").map_or(&*text, |(reason, _)| reason))
            }
            Self::Version(version) => {
                write!(f, "version {version} of the format is not known; this is version 1")
            }
            Self::Empty => f.write_str("there are no steps"),
            Self::TooLong => f.write_str("there are more than 10000 steps"),
            Self::AfterTheEnd => f.write_str("a step comes after stdin was closed"),
            Self::NothingToRead => {
                f.write_str("a reply is awaited after our end of stdout was closed")
            }
            Self::Needs(step) => write!(f, "the step needs `{step}` before it"),
            Self::Again(step) => write!(f, "`{step}` begins a session that has begun"),
            Self::Id(id) => write!(f, "the id {id} is neither a string nor an integer"),
            Self::IdUsed(id) => write!(f, "the id {id} is used before"),
            Self::Method => f.write_str("the method is empty"),
            Self::Params => {
                f.write_str("params are not an object; `send-raw` sends what is no message")
            }
            Self::Range(name, first, last) => {
                write!(f, "{name} is not between {first} and {last}")
            }
            Self::Hex => f.write_str("the bytes are not pairs of hexadecimal digits"),
        }
    }
}
