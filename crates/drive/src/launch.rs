//! What is launched, and how: program, arguments, environment and working directory.
//!
//! No shell takes part. The program is looked for as the child itself would look for it: along
//! the child's own PATH, relative to the child's own working directory.

mod environment;
mod error;
mod resolve;
mod spawn;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

pub(crate) use environment::Environment;
pub use environment::{Origin, Variable};
pub use error::{LaunchError, NulIn};
pub(crate) use spawn::Prepared;

/// A command to launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchSpec {
    /// The program: a name to look for along PATH, or, if it holds a slash, a path.
    pub program: OsString,
    /// The arguments after the program's name.
    pub args: Vec<OsString>,
    /// Which variables of our own environment are passed on.
    pub env: EnvPolicy,
    /// Variables set on top of those. Of two with one name the later one counts.
    pub set: Vec<(OsString, OsString)>,
    /// Variables that are not passed on, whatever the policy says. What is set is not touched.
    pub unset: Vec<OsString>,
    /// The working directory.
    pub cwd: Cwd,
}

impl LaunchSpec {
    /// A command as a client would launch it: without arguments, in our own working directory.
    #[must_use]
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: EnvPolicy::ClientDefault,
            set: Vec::new(),
            unset: Vec::new(),
            cwd: Cwd::Current,
        }
    }

    /// The same command with these arguments after those it has.
    #[must_use]
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }
}

/// Which variables of our own environment a server is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EnvPolicy {
    /// What the client SDKs pass on: HOME, LOGNAME, PATH, SHELL, TERM and USER, but no exported
    /// shell function (a value that begins with `()`).
    #[default]
    ClientDefault,
    /// PATH alone.
    Minimal,
    /// All of them.
    Inherit,
}

/// The working directory of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Cwd {
    /// Our own.
    #[default]
    Current,
    /// This one; a relative path starts from our own.
    Dir(PathBuf),
}

/// How a server's processes are to be held together. Where a level cannot be had, the next lower
/// one takes its place, and the telemetry says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ContainmentSpec {
    /// By a session and a process group: needs nothing, and does not see a descendant that leaves
    /// them.
    #[default]
    Group,
    /// By a supervisor, which is this program, called with
    /// [`SUPERVISE`](crate::SUPERVISE) for its first argument.
    Supervised(PathBuf),
    /// By such a supervisor in a namespace of users, processes and mounts.
    Isolated(PathBuf),
}
