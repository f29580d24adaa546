//! JSON-RPC ids: compared exactly, never through a number type.

use std::fmt;

/// The JSON text of an id exactly as it stood on the wire, without blanks round it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RawId(Box<str>);

/// The JSON type of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdKind {
    /// A string.
    String,
    /// A number without fraction and exponent.
    Integer,
    /// A number with a fraction or an exponent whose value is an integer (`1.0`, `1e2`).
    IntegralFloat,
    /// A number whose value is not an integer.
    Fraction,
    /// `null`.
    Null,
    /// A boolean, an array or an object.
    Other,
}

/// An id in the form in which two ids are compared: number ids as raw text, string ids after
/// their escapes are decoded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdValue {
    /// A number, as raw text. `1` and `1.0` differ.
    Number(Box<str>),
    /// A string, decoded. Unpaired surrogates are kept as their three-byte form.
    String(Box<[u8]>),
}

impl RawId {
    /// Wraps JSON text that a caller vouches to be one id.
    #[must_use]
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The id of an integer.
    #[must_use]
    pub fn integer(number: i64) -> Self {
        Self(number.to_string().into())
    }

    /// The JSON text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RawId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A request of ours that has no reply yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PendingRequest {
    /// Its id as we sent it.
    pub id: RawId,
    /// Its method.
    pub method: Box<str>,
}
