//! What stands in a file, before anything is expanded.

use std::path::PathBuf;
use std::time::Duration;

use crate::error::{ConfigError, Place, Problem};
use crate::format::Format;
use crate::tree::{Fault, Text};

/// A file, read: what it would launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The file, as it was named.
    pub path: PathBuf,
    /// The client that reads such files.
    pub format: Format,
    /// Its servers, in the order of the file.
    pub entries: Vec<Entry>,
}

/// One server of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Where it begins.
    pub place: Place,
    /// What it is.
    pub kind: Kind,
    /// How it is launched, or why it cannot be.
    pub(crate) template: Result<Template, Problem>,
}

/// What a server of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The client launches it and speaks through its stdin and stdout.
    Stdio,
    /// As `Stdio`, but it is switched off in the file.
    Disabled,
    /// The client connects to it; nothing is launched.
    Remote,
}

/// A command whose parts are not expanded yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    pub(crate) program: Term,
    pub(crate) args: Vec<Argument>,
    pub(crate) env: Vec<(Text, Setting)>,
    /// Variables passed on from the client's own environment, if they are set there.
    pub(crate) forwarded: Vec<Text>,
    pub(crate) env_file: Option<Term>,
    pub(crate) cwd: Option<Term>,
    pub(crate) timeouts: Timeouts,
    /// The values that the user is asked for, wherever they are used.
    pub(crate) inputs: Vec<Input>,
    /// Where the bundle is, for what refers to it.
    pub(crate) bundle: Option<PathBuf>,
}

/// An argument, or a flag and the argument after it. Both are left out if the value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Argument {
    pub(crate) flag: Option<Text>,
    pub(crate) value: Term,
}

/// What a variable is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    Value(Term),
    /// It is taken away, even if the client would pass it on.
    Removed,
}

/// A text with references, and what they can refer to beside what the whole file knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) text: Text,
    /// Inputs that only this text knows.
    pub(crate) inputs: Vec<Input>,
    pub(crate) secrecy: Secrecy,
    pub(crate) source: Source,
}

/// Where a text comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// It is written in the file.
    Written,
    /// It is what the user gives for this input. If nothing is given and the input has no
    /// default, an argument is left out.
    Asked(Input),
}

/// Whether a value may be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Secrecy {
    Public,
    Secret,
}

impl Secrecy {
    pub(crate) fn new(secret: bool) -> Self {
        if secret { Self::Secret } else { Self::Public }
    }
}

/// A value that the user is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    pub(crate) id: String,
    pub(crate) place: Place,
    /// What is taken when nothing is given.
    pub(crate) default: Option<Vec<String>>,
    pub(crate) choices: Vec<String>,
    pub(crate) need: Need,
    pub(crate) arity: Arity,
    pub(crate) secrecy: Secrecy,
}

/// Whether a client launches a server for which a value was not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Optional,
    Required,
}

/// How many values an input takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arity {
    One,
    Several,
}

/// How long a client waits, where the file says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timeouts {
    /// For the server to answer for the first time.
    pub startup: Option<Duration>,
    /// For an answer.
    pub reply: Option<Duration>,
}

impl From<Text> for Term {
    fn from(text: Text) -> Self {
        Self { text, inputs: Vec::new(), secrecy: Secrecy::Public, source: Source::Written }
    }
}

impl From<Text> for Argument {
    fn from(text: Text) -> Self {
        Self { flag: None, value: text.into() }
    }
}

impl File {
    /// The servers that are to be launched: those named, or all that the client would launch.
    ///
    /// # Errors
    ///
    /// If a name is not in the file.
    pub fn select(&self, names: &[String]) -> Result<Vec<&Entry>, ConfigError> {
        if names.is_empty() {
            return Ok(self.entries.iter().filter(|entry| entry.kind == Kind::Stdio).collect());
        }
        names
            .iter()
            .map(|name| {
                let found = self.entries.iter().find(|entry| entry.name == *name);
                found.ok_or_else(|| ConfigError {
                    file: self.path.clone(),
                    place: None,
                    problem: Problem::NoSuchServer {
                        name: name.clone(),
                        known: self.entries.iter().map(|entry| entry.name.clone()).collect(),
                    },
                })
            })
            .collect()
    }
}

/// A command must not be empty.
pub(crate) fn program(text: Text) -> Result<Text, Fault> {
    match text.value.trim().is_empty() {
        true => Err((text.place, Problem::Empty("command".to_owned()))),
        false => Ok(text),
    }
}
