//! What a caller knows of a run beside the verdict.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use model::{Cleanup, DeadlineName, ExitStatus, Phase};

use crate::redact::{Edge, Redaction};
use crate::timeline::Timeline;

/// The shortest value, in bytes, that is redacted. Shorter ones stand everywhere by chance.
pub const MIN_SECRET_BYTES: usize = 6;

/// What a caller knows of a run beside the verdict: unredacted, uncapped, unsafe to print.
///
/// It has no `Debug`, so that it cannot be logged by accident.
#[derive(Clone)]
pub struct RunFacts {
    /// What was judged.
    pub mode: Mode,
    /// The name of the corpus case that the run belongs to, if any.
    pub case: Option<String>,
    /// What the server wrote to stderr.
    pub stderr: StderrFacts,
    /// The deadlines that were set, in order.
    pub deadlines: Vec<DeadlineFact>,
    /// The phase in which a deadline expired and ended the session.
    pub timeout_phase: Option<Phase>,
    /// How the launched process ended, as far as it is known.
    pub exit_status: Option<ExitStatus>,
    /// How the run was cleaned up. None if there was no process.
    pub cleanup: Option<Cleanup>,
    /// Why the server could not be launched, in the words of the system.
    pub launch_failure: Option<String>,
    /// The arguments, program first, that lead to the same finding again. Empty if unknown.
    pub reproduce: Vec<OsString>,
    /// Values that no report may show.
    pub secrets: Vec<Secret>,
    /// Whether secrets are replaced.
    pub redaction: Redaction,
    /// Paths and names of this machine.
    pub places: Vec<Place>,
    /// The tool calls of the session, each as `TOOL=JSON`. They are a user's, and so is what the
    /// tools write.
    pub calls: Vec<String>,
    /// The bytes of stdout round the violation, for one that lies beyond what is kept of a frame.
    pub window: Option<StdoutWindow>,
    /// What happened and when. Empty if only the verdict is known.
    pub timeline: Timeline,
    /// Where the server is written down, if a configuration file named it.
    pub configuration: Option<ConfigurationFact>,
    /// The package that was launched, if one was installed for the run.
    pub package: Option<PackageFact>,
    /// The package that the command belongs to, as the files beside its program say.
    pub software: Option<SoftwareFact>,
    /// What the command said that the user gave to be asked for a version.
    pub version: Option<VersionFact>,
}

impl RunFacts {
    /// Facts of which only the mode is known.
    #[must_use]
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            case: None,
            stderr: StderrFacts::default(),
            deadlines: Vec::new(),
            timeout_phase: None,
            exit_status: None,
            cleanup: None,
            launch_failure: None,
            reproduce: Vec::new(),
            secrets: Vec::new(),
            redaction: Redaction::default(),
            places: Vec::new(),
            calls: Vec::new(),
            window: None,
            timeline: Timeline::default(),
            configuration: None,
            package: None,
            software: None,
            version: None,
        }
    }
}

/// Where a server is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigurationFact {
    /// The file, as the user named it.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The name of the format.
    pub format: &'static str,
    /// The server's name there.
    pub server: String,
}

/// A package that was installed for a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageFact {
    /// Whose package it is: `npm`, `pypi` or `cargo`.
    pub ecosystem: &'static str,
    /// Its name.
    pub name: String,
    /// The version that was installed.
    pub version: String,
    /// A hash of what was installed, as far as it is known.
    pub integrity: Option<String>,
    /// The runtime and its version.
    pub runtime: String,
    /// The name of the command that was launched.
    pub entry: String,
    /// Name and version of each SDK that was installed with it.
    pub sdks: Vec<(String, String)>,
}

/// The package that a command belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoftwareFact {
    /// Whose package it is: `npm`, `pypi` or `cargo`.
    pub ecosystem: &'static str,
    /// Its name.
    pub name: String,
    /// Its version, if the file says one.
    pub version: Option<String>,
    /// The file that says so.
    pub manifest: PathBuf,
}

/// What a command printed that was asked for a version. It was run once, before the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionFact {
    /// The arguments, program first.
    pub command: Vec<OsString>,
    /// How it ended by itself. None if it was not launched, or had to be ended.
    pub exit_status: Option<ExitStatus>,
    /// What it printed: on stdout, or on stderr if stdout held nothing.
    pub output: Vec<u8>,
    /// Whether it was ended, or something of its output was not read.
    pub cut: Edge,
}

/// What was judged.
#[derive(Clone)]
pub enum Mode {
    /// A live server.
    Run(Command),
    /// A recorded stdout.
    Check {
        /// The name of the input: a path, or `-`.
        input: OsString,
    },
    /// A case of the corpus.
    Replay {
        /// The case's id.
        case: String,
    },
}

/// The command that was launched.
#[derive(Clone, Default)]
pub struct Command {
    /// The arguments as the user gave them, program first.
    pub argv: Vec<OsString>,
    /// The program's file, as it was found.
    pub executable: Option<PathBuf>,
    /// The working directory.
    pub cwd: Option<PathBuf>,
    /// The environment that the server saw: names only.
    pub environment: Vec<EnvironmentVariable>,
}

/// A variable of the server's environment, without its value.
#[derive(Clone)]
pub struct EnvironmentVariable {
    /// The name.
    pub name: OsString,
    /// Where the value came from.
    pub source: VariableSource,
}

/// Where the value of an environment variable came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableSource {
    /// The user set it for this run.
    Set,
    /// It was passed on from our own environment.
    Inherited,
}

impl VariableSource {
    /// The name used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Inherited => "inherited",
        }
    }
}

/// What a server wrote to stderr, as far as it was kept.
#[derive(Clone, Default)]
pub struct StderrFacts {
    /// All bytes written.
    pub bytes: u64,
    /// All lines written, an unfinished last one included.
    pub lines: u64,
    /// The first bytes.
    pub head: Vec<u8>,
    /// The last bytes. They follow `head` at once when nothing was dropped.
    pub tail: Vec<u8>,
    /// How many bytes between `head` and `tail` were dropped.
    pub dropped: u64,
}

/// A deadline that was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadlineFact {
    /// Which one.
    pub name: DeadlineName,
    /// The time allowed.
    pub budget: Duration,
    /// The time taken.
    pub elapsed: Duration,
    /// Whether it passed.
    pub expiry: Expiry,
}

/// Whether a deadline passed before what it waited for had happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expiry {
    /// It did not.
    InTime,
    /// It did.
    Expired,
}

/// Bytes of stdout from some place on.
#[derive(Clone, PartialEq, Eq)]
pub struct StdoutWindow {
    /// Where they begin in the stream.
    pub start: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// A path or a name of this machine, and what is shown instead.
#[derive(Clone, PartialEq, Eq)]
pub struct Place {
    /// Which of the two it is.
    pub kind: PlaceKind,
    /// The path, absolute and without a slash at its end, or the name.
    pub text: Vec<u8>,
    /// What is shown instead.
    pub shown: &'static str,
}

/// What a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlaceKind {
    /// A directory.
    Path,
    /// The name of a user or of a host.
    Name,
}

/// A value that no report may show, with the name that is shown instead.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    /// The name, usually that of an environment variable.
    pub name: String,
    /// The value. One shorter than [`MIN_SECRET_BYTES`] is not redacted.
    pub value: Vec<u8>,
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret").field("name", &self.name).finish_non_exhaustive()
    }
}
