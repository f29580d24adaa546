//! The library face: probe one server from a test.

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use drive::{ArgumentsError, Cwd, LaunchSpec, Session, ToolCall, Transcript};
use inspect::{Inspector, RuleSet};
use model::{Outcome, Verdict};
use report::{Evidence, Format, Style};

use crate::facts;

/// One server to probe.
///
/// ```no_run
/// let probed = probe::Probe::new("node").arg("dist/index.js").call("echo", "{}")?.run();
/// probed.assert_valid();
/// # Ok::<(), probe::ProbeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Probe {
    session: Session,
    rules: RuleSet,
}

/// What a probe found.
#[derive(Debug)]
pub struct Probed {
    /// The verdict.
    pub verdict: Verdict,
    /// What happened, as far as it was kept.
    pub transcript: Transcript,
    /// The evidence, safe to print.
    pub evidence: Evidence,
}

/// Why a probe cannot be set up.
#[derive(Debug)]
pub enum ProbeError {
    /// A tool's arguments are not a JSON object.
    Arguments(ArgumentsError),
}

impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arguments(error) => error.fmt(f),
        }
    }
}

impl Error for ProbeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Arguments(error) => Some(error),
        }
    }
}

impl Probe {
    /// A server, launched as a client would launch it.
    #[must_use]
    pub fn new(program: impl Into<OsString>) -> Self {
        Self { session: Session::new(LaunchSpec::new(program)), rules: RuleSet::default() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.session.launch.args.push(arg.into());
        self
    }

    /// Sets a variable of the server's environment. Its value is redacted in the evidence.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.session.launch.set.push((name.into(), value.into()));
        self
    }

    /// Sets the server's working directory.
    #[must_use]
    pub fn current_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.session.launch.cwd = Cwd::Dir(directory.into());
        self
    }

    /// Calls a tool with the text of a JSON object.
    ///
    /// # Errors
    ///
    /// If the text is not that of a JSON object.
    pub fn call(mut self, tool: &str, arguments: &str) -> Result<Self, ProbeError> {
        let call = ToolCall::new(tool, arguments).map_err(ProbeError::Arguments)?;
        self.session.plan.calls.push(call);
        Ok(self)
    }

    /// Judges by other rules than the usual ones.
    #[must_use]
    pub fn rules(mut self, rules: RuleSet) -> Self {
        self.rules = rules;
        self
    }

    /// Launches the server, plays the session, and reaps it.
    #[must_use]
    pub fn run(&self) -> Probed {
        let detector = Box::new(Inspector::new(self.rules.clone()));
        let run = drive::run_blocking(&self.session, detector, &mut (), std::future::pending());
        let facts = facts::of_run(&self.session.launch, &run, Vec::new());
        let evidence = Evidence::new(&run.verdict, facts);
        Probed { verdict: run.verdict, transcript: run.transcript, evidence }
    }
}

impl Probed {
    /// Panics with the report unless stdout was valid.
    ///
    /// # Panics
    ///
    /// On a violation, and on a run that proved nothing.
    #[track_caller]
    pub fn assert_valid(&self) {
        assert!(
            matches!(self.verdict.outcome, Outcome::ValidStdout),
            "{}",
            report::render(&self.evidence.clone().into(), Format::Human, &Style::default())
        );
    }
}
