//! The library face: probe one server from a test.

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use drive::{ArgumentsError, ContainmentSpec, Cwd, LaunchSpec, Run, Session, ToolCall, Transcript};
use inspect::{Inspector, RuleSet};
use model::{FrameNo, Outcome, RuleId, Verdict};
use report::{Evidence, Format, Style};

use crate::{facts, layer4};

/// One server to probe.
///
/// The test that every server should have. A failure prints the report for people, and the
/// server is gone when it returns:
///
/// ```no_run
/// # use probe::Probe;
/// // In `tests/` of the server's own crate: env!("CARGO_BIN_EXE_my-server").
/// Probe::new("target/debug/my-server").run().assert_valid();
/// ```
///
/// And the test of the test, a server that must fail:
///
/// ```
/// use probe::{Probe, RuleId};
///
/// let banner = Probe::new("sh").args(["-c", "echo ready; cat >&2"]);
/// banner.run().assert_violates(RuleId::InvalidJson, 1);
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
        Self { session: Session::new(LaunchSpec::new(program)), rules: layer4::rules() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.session.launch.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.session.launch.args.extend(args.into_iter().map(Into::into));
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

    /// Has the server supervised by this program, which is the command `mcp-stdio-probe` or one
    /// that calls [`drive::supervise`] for it. Without that a descendant that leaves the server's
    /// session is not seen, and outlives a test that is killed.
    #[must_use]
    pub fn supervisor(mut self, program: impl Into<PathBuf>) -> Self {
        self.session.containment = ContainmentSpec::Supervised(program.into());
        self
    }

    /// Calls a tool with the text of a JSON object.
    ///
    /// What a tool writes is seen only if it is called.
    ///
    /// ```
    /// # use probe::Probe;
    /// let probe = Probe::new("my-server").call("echo", r#"{"text":"hi"}"#)?;
    /// assert!(Probe::new("my-server").call("echo", "[]").is_err());
    /// # Ok::<(), probe::ProbeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the text is not that of a JSON object.
    pub fn call(mut self, tool: &str, arguments: &str) -> Result<Self, ProbeError> {
        let call = ToolCall::new(tool, arguments).map_err(ProbeError::Arguments)?;
        self.session.plan.calls.push(call);
        Ok(self)
    }

    /// From the launch to the first reply; 30 s if it is not said.
    ///
    /// ```
    /// # use probe::{Probe, RuleId};
    /// # use std::time::Duration;
    /// let silent = Probe::new("sh").args(["-c", "cat >&2"]);
    /// let probed = silent.startup_timeout(Duration::from_millis(300)).run();
    /// probed.assert_violates(RuleId::NoResponse, None);
    /// ```
    #[must_use]
    pub fn startup_timeout(mut self, timeout: Duration) -> Self {
        self.session.budgets.startup = timeout;
        self
    }

    /// From a request to its reply; 10 s if it is not said.
    #[must_use]
    pub fn reply_timeout(mut self, timeout: Duration) -> Self {
        self.session.budgets.reply = timeout;
        self
    }

    /// Judges by other rules than the usual ones.
    ///
    /// ```
    /// # use probe::{Probe, RuleId, RuleSet};
    /// let mut rules = RuleSet::default();
    /// rules.deny_advice();
    /// let strict = Probe::new("my-server").rules(rules);
    /// ```
    #[must_use]
    pub fn rules(mut self, rules: RuleSet) -> Self {
        self.rules = rules;
        self
    }

    /// Launches the server, plays the session, and reaps it. It blocks, on a runtime of its own.
    #[must_use]
    pub fn run(&self) -> Probed {
        let mut rules = self.rules.clone();
        rules.schema = rules.schema.or_else(layer4::schema);
        let detector = Box::new(Inspector::new(rules));
        let run = drive::run_blocking(&self.session, detector, &mut (), std::future::pending());
        self.probed(run)
    }

    /// The same within a tokio runtime that has its IO and time drivers enabled. Dropping the
    /// future kills the server and what it has started in its process group.
    ///
    /// ```
    /// # use probe::{Probe, RuleId};
    /// let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    /// let banner = Probe::new("sh").args(["-c", "echo ready; cat >&2"]);
    /// runtime.block_on(banner.run_async()).assert_violates(RuleId::InvalidJson, 1);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub async fn run_async(&self) -> Probed {
        let detector = Box::new(Inspector::new(self.rules.clone()));
        let run = drive::run(&self.session, detector, &mut (), std::future::pending()).await;
        self.probed(run)
    }

    fn probed(&self, run: Run) -> Probed {
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
    pub fn assert_valid(&self) -> &Self {
        assert!(matches!(self.verdict.outcome, Outcome::ValidStdout), "\n{self}");
        self
    }

    /// Panics with the report unless the first violation is of this rule, and at this frame,
    /// counted from 1. `None` stands for what no frame shows, such as silence.
    ///
    /// # Panics
    ///
    /// On valid stdout, on another violation, and on a run that proved nothing.
    #[track_caller]
    pub fn assert_violates(&self, rule: RuleId, frame: impl Into<Option<u64>>) -> &Self {
        let frame = frame.into().map(FrameNo);
        let found = match &self.verdict.outcome {
            Outcome::Violation(finding) => Some((finding.rule, finding.position.frame())),
            Outcome::ValidStdout | Outcome::Inconclusive(_) => None,
        };
        let place =
            frame.map_or_else(|| "without a frame".to_owned(), |no| format!("frame {}", no.0));
        assert!(found == Some((rule, frame)), "\nexpected {rule}, {place}\n{self}");
        self
    }

    /// The report as data, as `--format json` writes it.
    #[must_use]
    pub fn json(&self) -> String {
        self.render(Format::Json)
    }

    fn render(&self, format: Format) -> String {
        report::render(&self.evidence.clone().into(), format, &Style::default())
    }
}

impl fmt::Display for Probed {
    /// The report for people. Server text in it is escaped, capped, and stripped of secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(Format::Human))
    }
}
