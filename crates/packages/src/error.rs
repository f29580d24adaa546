//! Why something could not be installed, told apart as far as the clients tell it.

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

/// Why something could not be installed. Its text is one line; the words of a client stand in it
/// as they came, so it is made safe before it is shown.
#[derive(Debug)]
pub enum InstallError {
    /// It is not clear what is to be installed.
    BadSpec {
        /// What was given.
        spec: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The ecosystem's client is not on this machine.
    NoClient {
        /// The client.
        client: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The registry does not answer: this says nothing about the package.
    Unreachable {
        /// The client's words.
        detail: String,
    },
    /// The registry has no such package, or no such version.
    NotFound {
        /// The client's words.
        detail: String,
    },
    /// The package needs another version of its runtime.
    WrongRuntime {
        /// The client's words.
        detail: String,
    },
    /// The package has no command.
    NoCommand {
        /// The package.
        package: String,
    },
    /// The package has several commands, and none has its name.
    SeveralCommands {
        /// Their names.
        names: Vec<String>,
    },
    /// The package has no command of that name.
    NoSuchCommand {
        /// The name asked for.
        name: String,
        /// The names it has.
        names: Vec<String>,
    },
    /// The client failed in another way.
    Failed {
        /// The client.
        client: &'static str,
        /// The end of what it said.
        detail: String,
    },
    /// It took too long.
    TimedOut {
        /// The client.
        client: &'static str,
        /// How long it was given.
        after: Duration,
    },
    /// Whoever asked for it asked for its end.
    Stopped,
    /// A file could not be read or written.
    Io {
        /// What was being done.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl InstallError {
    /// Whether the user must say something else, as opposed to a package, a machine or a network
    /// that is at fault.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::BadSpec { .. }
                | Self::NoCommand { .. }
                | Self::SeveralCommands { .. }
                | Self::NoSuchCommand { .. }
        )
    }
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadSpec { spec, why } => write!(f, "cannot install {spec:?}: {why}"),
            Self::NoClient { client, source } => {
                write!(f, "{client} is needed to install the package: {source}")
            }
            Self::Unreachable { detail } => {
                write!(
                    f,
                    "the registry cannot be reached, which says nothing of the package: {detail}"
                )
            }
            Self::NotFound { detail } => write!(f, "the registry has no such package: {detail}"),
            Self::WrongRuntime { detail } => {
                write!(f, "the package needs another version of its runtime: {detail}")
            }
            Self::NoCommand { package } => write!(f, "{package} has no command to launch"),
            Self::SeveralCommands { names } => write!(
                f,
                "the package has several commands; choose one with --bin: {}",
                names.join(", ")
            ),
            Self::NoSuchCommand { name, names } => {
                write!(f, "the package has no command {name:?}; it has: {}", names.join(", "))
            }
            Self::Failed { client, detail } => write!(f, "{client} failed: {detail}"),
            Self::TimedOut { client, after } => {
                write!(f, "{client} did not finish within {} s", after.as_secs_f64())
            }
            Self::Stopped => f.write_str("stopped before the package was installed"),
            Self::Io { action, source } => write!(f, "cannot {action}: {source}"),
        }
    }
}

impl Error for InstallError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NoClient { source, .. } | Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
