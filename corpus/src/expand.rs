//! Long runs of one byte, left out of the stored bytes.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A run of one byte that the stored bytes leave out.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Expansion {
    /// The offset in the stored bytes at which the run belongs.
    pub at: usize,
    /// The byte, as a string of one ASCII character.
    pub byte: char,
    /// How many of it.
    pub count: usize,
}

/// The most bytes that a case may stand for.
const MAX_BYTES: usize = 256 * 1024 * 1024;

/// Why stored and whole bytes do not fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpandError {
    /// An offset lies beyond the bytes, or before the offset of an earlier run.
    Offset,
    /// The byte is not ASCII.
    NotAscii,
    /// The whole bytes would be more than a case may stand for.
    TooLarge,
    /// The whole bytes do not hold the run where it is said to be.
    RunNotThere,
}

impl fmt::Display for ExpandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Offset => "an expansion lies out of range or out of order",
            Self::NotAscii => "an expansion's byte is not ASCII",
            Self::TooLarge => "the expansions stand for more bytes than a case may hold",
            Self::RunNotThere => "the bytes do not hold the run that an expansion describes",
        })
    }
}

impl std::error::Error for ExpandError {}

/// The whole bytes from the stored ones.
///
/// # Errors
///
/// An expansion that does not fit the stored bytes.
pub fn expand(stored: &[u8], expansions: &[Expansion]) -> Result<Vec<u8>, ExpandError> {
    let mut whole = Vec::new();
    let mut from = 0;
    for expansion in expansions {
        let between = stored.get(from..expansion.at).ok_or(ExpandError::Offset)?;
        whole.extend_from_slice(between);
        let byte = u8::try_from(expansion.byte).ok().filter(u8::is_ascii);
        let byte = byte.ok_or(ExpandError::NotAscii)?;
        let len = whole.len().checked_add(expansion.count).filter(|len| *len <= MAX_BYTES);
        whole.resize(len.ok_or(ExpandError::TooLarge)?, byte);
        from = expansion.at;
    }
    whole.extend_from_slice(&stored[from..]);
    Ok(whole)
}

/// The bytes to store from the whole ones.
///
/// # Errors
///
/// A run that the whole bytes do not hold.
pub fn compact(whole: &[u8], expansions: &[Expansion]) -> Result<Vec<u8>, ExpandError> {
    let mut stored = Vec::new();
    let mut rest = whole;
    for expansion in expansions {
        let between = expansion.at.checked_sub(stored.len()).ok_or(ExpandError::Offset)?;
        let (head, tail) = rest.split_at_checked(between).ok_or(ExpandError::Offset)?;
        stored.extend_from_slice(head);
        let (run, tail) = tail.split_at_checked(expansion.count).ok_or(ExpandError::RunNotThere)?;
        if run.iter().any(|byte| char::from(*byte) != expansion.byte) {
            return Err(ExpandError::RunNotThere);
        }
        rest = tail;
    }
    stored.extend_from_slice(rest);
    Ok(stored)
}

#[cfg(test)]
mod tests {
    use super::{ExpandError, Expansion, compact, expand};

    fn run(at: usize, byte: char, count: usize) -> Expansion {
        Expansion { at, byte, count }
    }

    #[test]
    fn compact_and_expand_are_inverse() {
        let runs = [run(2, 'a', 3), run(3, 'b', 2)];
        let whole = expand(b"xyzw", &runs).unwrap();
        assert_eq!(whole, b"xyaaazbbw");
        assert_eq!(compact(&whole, &runs).unwrap(), b"xyzw");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(expand(b"x", &[run(2, 'a', 1)]), Err(ExpandError::Offset));
        assert_eq!(expand(b"xy", &[run(1, 'é', 1)]), Err(ExpandError::NotAscii));
        assert_eq!(expand(b"xy", &[run(1, 'a', usize::MAX)]), Err(ExpandError::TooLarge));
        assert_eq!(compact(b"xab", &[run(1, 'a', 2)]), Err(ExpandError::RunNotThere));
    }
}
