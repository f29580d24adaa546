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
    #[cfg(feature = "html")]
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
        #[cfg(feature = "html")]
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
            #[cfg(feature = "html")]
            Self::Html => HTML,
            Self::Trace => "trace",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name of the format that a build can leave out.
const HTML: &str = "html";

/// Why a name stands for no format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownFormat {
    /// No format has it.
    NoName,
    /// It was left out when this program was built.
    LeftOut,
}

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoName => "no format has this name",
            Self::LeftOut => "this build has left the format out (feature `html`)",
        })
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    /// Parses the name on the command line.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let format = Self::ALL.iter().copied().find(|format| format.name() == text);
        format.ok_or(if text == HTML { UnknownFormat::LeftOut } else { UnknownFormat::NoName })
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
