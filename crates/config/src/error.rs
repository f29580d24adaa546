//! Where something is written, and what is wrong with it.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;

/// A place in a text file. Both numbers count from 1; a column is one character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column in it.
    pub column: u32,
}

impl Place {
    /// The place of the byte at `offset` of `text`. An offset beyond the end is that of the end.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Self {
        let mut end = offset.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self {
            line: count(before.matches('\n').count() + 1),
            column: count(before[line_start..].chars().count() + 1),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// What is wrong with a file, and where. Its text is `FILE:LINE:COLUMN: reason`, on one line as
/// long as the file's name is; it holds no value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The file, as it was named.
    pub file: PathBuf,
    /// Where in it. None if the file as a whole is meant.
    pub place: Option<Place>,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It cannot be read.
    Unreadable(String),
    /// It is a bundle that is not unpacked, and why.
    Refused(String),
    /// It is not UTF-8.
    NotUtf8,
    /// It breaks the grammar of its format; what the parser says.
    Syntax(String),
    /// A member stands twice in one object: clients take the last one, people see the first.
    DuplicateMember(String),
    /// A member is of the wrong type.
    WrongType {
        /// The member.
        member: String,
        /// What it must be.
        wanted: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// A member is missing.
    Missing(String),
    /// A member must not be empty.
    Empty(String),
    /// A value that the format does not know.
    UnknownValue {
        /// The member.
        member: String,
        /// Its value.
        value: String,
    },
    /// No format is known that looks like this file.
    UnknownFormat,
    /// The file is right, but names no server.
    NoServers,
    /// No server of this name is in the file; the names that are.
    NoSuchServer {
        /// The name that was asked for.
        name: String,
        /// Those that are there.
        known: Vec<String>,
    },
    /// A reference that cannot be resolved, and why.
    Unresolved {
        /// The reference as it is written.
        reference: String,
        /// Why it cannot be resolved, and what to do.
        reason: String,
    },
    /// A value that the user must give was not given.
    InputMissing {
        /// Its id.
        id: String,
    },
    /// A given value is not one of those allowed.
    NotAChoice {
        /// The id of the input.
        id: String,
        /// The values allowed.
        choices: Vec<String>,
    },
    /// The version of a package is a range or a tag, not a version.
    InexactVersion(String),
    /// What it describes cannot be launched from a file alone.
    NotLaunchable(String),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(place) = self.place {
            write!(f, ":{place}")?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(why) => write!(f, "cannot be read: {why}"),
            Self::Refused(why) => write!(f, "the bundle is refused: {why}"),
            Self::NotUtf8 => f.write_str("not UTF-8"),
            Self::Syntax(what) => f.write_str(what),
            Self::DuplicateMember(name) => write!(f, "`{name}` stands twice in one object"),
            Self::WrongType { member, wanted, found } => {
                write!(f, "`{member}` must be {wanted}, and is {found}")
            }
            Self::Missing(member) => write!(f, "`{member}` is missing"),
            Self::Empty(member) => write!(f, "`{member}` is empty"),
            Self::UnknownValue { member, value } => {
                write!(f, "`{member}` cannot be `{value}`")
            }
            Self::UnknownFormat => f.write_str(
                "no client's format looks like this; name it with --config-format if it is one",
            ),
            Self::NoServers => f.write_str("names no server"),
            Self::NoSuchServer { name, known } => {
                write!(f, "no server `{name}`; it has: {}", known.join(", "))
            }
            Self::Unresolved { reference, reason } => {
                write!(f, "`{reference}` is not resolved: {reason}")
            }
            Self::InputMissing { id } => {
                write!(f, "a value is required: give it with --input {id}=VALUE")
            }
            Self::NotAChoice { id, choices } => {
                write!(f, "the value of `{id}` must be one of: {}", choices.join(", "))
            }
            Self::InexactVersion(version) => {
                write!(f, "`version` must be one exact version, and is `{version}`")
            }
            Self::NotLaunchable(why) => f.write_str(why),
        }
    }
}

impl Error for ConfigError {}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::Place;

    #[rstest]
    #[case::start("ab\ncd", 0, 1, 1)]
    #[case::newline("ab\ncd", 2, 1, 3)]
    #[case::second_line("ab\ncd", 3, 2, 1)]
    #[case::end("ab\ncd", 5, 2, 3)]
    #[case::beyond("ab", 9, 1, 3)]
    #[case::inside_a_character("\u{e9}x", 1, 1, 1)]
    #[case::columns_are_characters("\u{e9}x", 2, 1, 2)]
    #[case::empty("", 0, 1, 1)]
    fn a_place_counts_from_one(
        #[case] text: &str,
        #[case] offset: usize,
        #[case] line: u32,
        #[case] column: u32,
    ) {
        assert_eq!(Place::of(text, offset), Place { line, column });
    }
}
