//! A verdict and the facts of its run: redacted, safe to print, capped. All that reports are
//! made of.
//!
//! [`Evidence`] is also the JSON report: its fields, in order, are the members of the object.

mod events;
mod facts;
mod finding;
mod source;
mod stderr;
mod truncated;
mod wire;

#[cfg(test)]
mod planted;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;

use model::{
    Cut, ExitStatus, Inconclusive, Layer, NotChecked, Outcome, Phase, ProtocolVersion, RuleId,
    Untested, Verdict,
};
use serde::Serialize;

use crate::caps;
use crate::facts::{Mode, RunFacts, Secret};
use crate::redact::{Edge, Redaction, Redactor};
use crate::safe::{SafeText, Untrusted};
use crate::shell::CommandLine;

pub use events::{EventEvidence, FrameEvidence, What};
pub use facts::{CleanupEvidence, DeadlineEvidence, LadderStepEvidence, Variable, names_a_secret};
use finding::Lens;
pub(crate) use finding::Particular;
pub use finding::{AdviceEvidence, FindingEvidence};
pub use source::{
    ConfigurationEvidence, PackageEvidence, SdkEvidence, SoftwareEvidence, VersionEvidence,
};
pub use stderr::StderrEvidence;
pub use truncated::Truncation;

/// The version of the JSON report. Raised when a member changes its meaning or goes; new members
/// do not raise it.
pub const SCHEMA_VERSION: u32 = 1;

/// A verdict and the facts of its run: redacted, safe to print, capped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The corpus case that was replayed, or that the run belongs to; null if none.
    pub case: Option<SafeText>,
    /// The arguments of the server's command, program first; null if no server was launched.
    pub command: Option<Vec<SafeText>>,
    /// The id of the rule that was violated, `valid-stdout` or `inconclusive`.
    #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
    pub classification: Classification,
    /// `valid-stdout`, `violation` or `inconclusive`.
    pub verdict: VerdictName,
    /// The first `must` finding; null without one.
    pub first_violation: Option<FindingEvidence>,
    /// The first finding of each rule that gave advice, in the order of findings.
    pub advice: Vec<AdviceEvidence>,
    /// The numbers of the layers that at least one frame or event reached, lowest first.
    #[serde(serialize_with = "wire::layers")]
    #[cfg_attr(feature = "json-schema", schemars(with = "Vec<u8>"))]
    pub layers_reached: Vec<Layer>,
    /// The names of what was left out.
    #[serde(serialize_with = "wire::not_checked")]
    #[cfg_attr(feature = "json-schema", schemars(with = "Vec<String>"))]
    pub not_checked: Vec<NotChecked>,
    /// The protocol revision in force at the end; null if none was negotiated or asked for.
    #[serde(serialize_with = "wire::optional_name")]
    #[cfg_attr(feature = "json-schema", schemars(with = "Option<String>"))]
    pub protocol: Option<ProtocolVersion>,
    /// The phase in which a deadline expired and ended the session; null if none did.
    #[serde(serialize_with = "wire::optional_name")]
    #[cfg_attr(feature = "json-schema", schemars(with = "Option<String>"))]
    pub timeout_phase: Option<Phase>,
    /// The deadlines that were set, in order.
    pub deadlines: Vec<DeadlineEvidence>,
    /// What the server wrote to stderr.
    pub stderr: StderrEvidence,
    /// How the launched process ended: `{"code": n}`, `{"signal": n}`, or null if unknown.
    #[serde(serialize_with = "wire::exit_status")]
    #[cfg_attr(feature = "json-schema", schemars(with = "Option<wire::ExitStatusShape>"))]
    pub exit_status: Option<ExitStatus>,
    /// Whether the exit status of the launched process was collected; null without a process.
    pub child_reaped: Option<bool>,
    /// How the run was cleaned up; null without a process.
    pub cleanup: Option<CleanupEvidence>,
    /// Whether the probe cut the stream, so that its end proves nothing.
    #[serde(serialize_with = "wire::cut")]
    #[cfg_attr(feature = "json-schema", schemars(with = "bool"))]
    pub cut_by_us: Cut,
    /// Why the run is inconclusive; null if it is not.
    pub reason: Option<&'static str>,
    /// What the reason's name does not say; null if there is nothing to add.
    pub reason_detail: Option<SafeText>,
    /// Messages accepted before the outcome was fixed.
    pub accepted: u64,
    /// Complete frames read before the outcome was fixed, the violating one included.
    pub frames: u64,
    /// Bytes of stdout read before the outcome was fixed.
    pub stdout_bytes: u64,
    /// The program's file, as it was found; null if unknown.
    pub executable: Option<SafeText>,
    /// The server's working directory; null if unknown.
    pub cwd: Option<SafeText>,
    /// The names of the variables that the server's environment held, and where their values
    /// came from. Values are never part of the evidence.
    pub environment: Vec<Variable>,
    /// Where the server is written down; left out unless a configuration file named it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configuration: Option<ConfigurationEvidence>,
    /// The package that was launched; left out unless one was installed for the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<PackageEvidence>,
    /// The package that the command belongs to, as the nearest `package.json`, `pyproject.toml`,
    /// metadata of an installed Python package or `Cargo.toml` says; left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub software: Option<SoftwareEvidence>,
    /// What the command of `--version-cmd` printed; left out without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<VersionEvidence>,
    /// The numbers of the layers that nothing reached, lowest first.
    #[serde(serialize_with = "wire::layers")]
    #[cfg_attr(feature = "json-schema", schemars(with = "Vec<u8>"))]
    pub layers_not_reached: Vec<Layer>,
    /// What happened, in order, without the bytes. Empty if only the verdict is known.
    pub events: Vec<EventEvidence>,
    /// What caps left out of this report.
    pub truncated: Vec<Truncation>,
    /// Whether secrets are replaced: `on`, or `off` if the user asked for that.
    pub redaction: Redaction,
    /// The names of the secrets that were found and replaced, in their order.
    pub redacted: Vec<SafeText>,
    /// The names of values that are too short to be replaced: they stand everywhere by chance.
    pub too_short_to_redact: Vec<SafeText>,
    /// What was judged. Not serialised.
    #[serde(skip)]
    pub origin: Origin,
    /// Why the run is inconclusive, as a type. Not serialised.
    #[serde(skip)]
    pub inconclusive: Option<Inconclusive>,
    /// The command that leads to the same finding again. Not serialised.
    #[serde(skip)]
    pub reproduce: Option<CommandLine>,
}

/// What was judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A live server.
    Run,
    /// A recorded stdout.
    Check {
        /// The name of the input.
        input: SafeText,
    },
    /// A case of the corpus.
    Replay,
}

/// The one word for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Classification {
    /// stdout carried nothing but valid messages.
    ValidStdout,
    /// The rule was violated first.
    Rule(RuleId),
    /// The run did not test what it was to test.
    Inconclusive,
}

/// The kind of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub enum VerdictName {
    /// stdout carried nothing but valid messages, as far as the layers reached.
    ValidStdout,
    /// A `must` finding was made.
    Violation,
    /// The run did not test what it was to test.
    Inconclusive,
}

impl Classification {
    /// The name used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ValidStdout => "valid-stdout",
            Self::Rule(rule) => rule.name(),
            Self::Inconclusive => "inconclusive",
        }
    }
}

impl Evidence {
    /// Takes a verdict and the facts of its run, redacts all that came from outside, then makes
    /// it safe and caps it.
    #[must_use]
    pub fn new(verdict: &Verdict, mut facts: RunFacts) -> Self {
        let (secrets, redactor) = redactor(&mut facts);
        let lens = Lens { redactor: &redactor, calls: &facts.calls, window: facts.window.as_ref() };
        let end = match verdict.cut_by_us {
            Cut::Not => Edge::Whole,
            // A server that was killed may have been writing a secret.
            Cut::ByUs => Edge::Cut,
        };
        let (classification, name, violation, inconclusive) = match &verdict.outcome {
            Outcome::ValidStdout => {
                (Classification::ValidStdout, VerdictName::ValidStdout, None, None)
            }
            Outcome::Violation(finding) => {
                (Classification::Rule(finding.rule), VerdictName::Violation, Some(finding), None)
            }
            Outcome::Inconclusive(reason) => {
                (Classification::Inconclusive, VerdictName::Inconclusive, None, Some(reason))
            }
        };
        let command = facts::CommandEvidence::new(&facts.mode, &facts.places, &redactor);
        let stderr = StderrEvidence::new(&facts.stderr, end, &redactor);
        let truncated = truncated::all(&facts, stderr.excerpt.len());
        let mut evidence = Self {
            schema_version: SCHEMA_VERSION,
            case: facts::case(&facts, &redactor),
            command: command.arguments,
            classification,
            verdict: name,
            first_violation: violation.map(|finding| FindingEvidence::new(finding, &lens)),
            advice: verdict
                .advice
                .iter()
                .map(|advice| AdviceEvidence::new(advice, &lens))
                .collect(),
            layers_reached: verdict.layers_reached.clone(),
            not_checked: verdict.not_checked.clone(),
            protocol: verdict.protocol,
            timeout_phase: facts.timeout_phase,
            deadlines: facts.deadlines.iter().map(DeadlineEvidence::new).collect(),
            stderr,
            exit_status: facts.exit_status,
            child_reaped: facts.cleanup.as_ref().and_then(facts::child_reaped),
            cleanup: facts.cleanup.as_ref().map(|cleanup| CleanupEvidence::new(cleanup, &redactor)),
            cut_by_us: verdict.cut_by_us,
            reason: inconclusive.map(Inconclusive::name),
            reason_detail: inconclusive.and_then(|reason| reason_detail(reason, &facts, &redactor)),
            accepted: verdict.accepted,
            frames: verdict.frames,
            stdout_bytes: verdict.stdout_bytes,
            executable: command.executable,
            cwd: command.cwd,
            environment: command.environment,
            configuration: facts
                .configuration
                .as_ref()
                .map(|fact| ConfigurationEvidence::new(fact, &redactor)),
            package: facts.package.as_ref().map(|fact| PackageEvidence::new(fact, &redactor)),
            software: facts.software.as_ref().map(|fact| SoftwareEvidence::new(fact, &redactor)),
            version: facts.version.as_ref().map(|fact| VersionEvidence::new(fact, &redactor)),
            layers_not_reached: Layer::ALL
                .iter()
                .copied()
                .filter(|layer| !verdict.layers_reached.contains(layer))
                .collect(),
            events: EventEvidence::all(&facts.timeline, &redactor),
            truncated,
            redaction: facts.redaction,
            too_short_to_redact: facts::short_secrets(&secrets, &redactor),
            redacted: Vec::new(),
            origin: facts::origin(&facts.mode, &redactor),
            inconclusive: inconclusive.cloned(),
            reproduce: CommandLine::new(&facts.reproduce, &redactor),
        };
        // Only now is it known what was found.
        let names = redactor.names_replaced();
        evidence.redacted =
            names.iter().map(|name| Untrusted::new(name.as_bytes()).text(caps::WORD)).collect();
        evidence
    }
}

/// The values that no report of the run may show, and what replaces them. The values are taken
/// out of the facts.
pub(crate) fn redactor(facts: &mut RunFacts) -> (Vec<Secret>, Redactor) {
    let mut secrets = std::mem::take(&mut facts.secrets);
    if let Mode::Run(command) = &facts.mode {
        secrets.extend(facts::argument_secrets(&command.argv));
    }
    secrets.extend(facts::call_secrets(&facts.calls));
    let redactor = Redactor::with_places(&secrets, &facts.places, facts.redaction);
    (secrets, redactor)
}

/// The arguments of the command that is to be launched.
pub(crate) fn arguments(facts: &RunFacts, redactor: &Redactor) -> Option<Vec<SafeText>> {
    facts::CommandEvidence::new(&facts.mode, &facts.places, redactor).arguments
}

/// What the name of a reason does not say.
fn reason_detail(reason: &Inconclusive, facts: &RunFacts, redactor: &Redactor) -> Option<SafeText> {
    match reason {
        Inconclusive::Launch(failure) => Some(match &facts.launch_failure {
            Some(text) => phrase(text.as_bytes(), redactor),
            None => phrase(failure.name().as_bytes(), redactor),
        }),
        Inconclusive::Untested(Untested::ToolNotListed { tool }) => {
            Some(word(tool.as_bytes(), redactor))
        }
        Inconclusive::Untested(
            Untested::ReplyNotReadable { method } | Untested::ListNotFinished { method },
        ) => Some(word(method.as_bytes(), redactor)),
        Inconclusive::Untested(Untested::NoTool)
        | Inconclusive::TotalTimeout
        | Inconclusive::StdoutCap
        | Inconclusive::NotInitialized
        | Inconclusive::NotDiscovered
        | Inconclusive::NothingToJudge
        | Inconclusive::Interrupted
        | Inconclusive::Incomplete => None,
    }
}

/// A method, an id or a name from outside.
fn word(bytes: &[u8], redactor: &Redactor) -> SafeText {
    Untrusted::new(&redactor.redact_whole(bytes).bytes).text(caps::WORD)
}

/// A path, an argument or the text of an error from outside.
fn phrase(bytes: &[u8], redactor: &Redactor) -> SafeText {
    Untrusted::new(&redactor.redact_whole(bytes).bytes).text(caps::PHRASE)
}

fn os_phrase(text: &OsStr, redactor: &Redactor) -> SafeText {
    phrase(text.as_encoded_bytes(), redactor)
}
