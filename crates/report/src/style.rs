//! How a report is to look: its format, colours, width and characters.

use std::fmt;
use std::str::FromStr;

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Text for a person.
    Human,
    /// One JSON object.
    Json,
    /// JSON objects, one a line: events, then the verdict.
    Jsonl,
    /// XML of the form that JUnit gave its name.
    Junit,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Annotations of GitHub Actions.
    Github,
    /// The Test Anything Protocol, version 14.
    Tap,
    /// GitHub's Markdown.
    Markdown,
    /// One page that needs nothing but a browser.
    Html,
    /// The trace format of Chrome and Perfetto.
    Trace,
}

impl Format {
    /// Every format.
    pub const ALL: &'static [Self] = &[
        Self::Human,
        Self::Json,
        Self::Jsonl,
        Self::Junit,
        Self::Sarif,
        Self::Github,
        Self::Tap,
        Self::Markdown,
        Self::Html,
        Self::Trace,
    ];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Junit => "junit",
            Self::Sarif => "sarif",
            Self::Github => "github",
            Self::Tap => "tap",
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Trace => "trace",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no format's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFormat;

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no format has this name")
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    /// Parses the name on the command line.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.iter().copied().find(|format| format.name() == text).ok_or(UnknownFormat)
    }
}

/// Whether a report for a person is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Color {
    /// It holds no escape sequence.
    #[default]
    Never,
    /// It holds ANSI escape sequences, all of them our own.
    Ansi,
}

/// The characters that a report for a person may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Charset {
    /// Printable characters of Unicode.
    #[default]
    Unicode,
    /// Printable characters of ASCII; others are shown as `\u{e9}`.
    Ascii,
}

/// How a report for a person looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Colours.
    pub color: Color,
    /// The columns to wrap at. Values below 40 count as 40. Excerpts are cut to fit; command
    /// lines and single words longer than the width are not broken.
    pub width: usize,
    /// Characters.
    pub charset: Charset,
}

impl Default for Style {
    fn default() -> Self {
        Self { color: Color::default(), width: 100, charset: Charset::default() }
    }
}

impl Style {
    /// The width that is really used, in columns.
    pub(crate) fn columns(&self) -> usize {
        self.width.max(40)
    }
}
