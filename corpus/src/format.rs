//! `case.json`: the types on disk. Unknown fields are errors.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::expand::Expansion;
use crate::script::ScriptStep;

/// A case as it stands in `case.json`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CaseFile {
    /// The version of the format: 1.
    pub schema: u32,
    /// The permanent id: the name of the directory.
    pub id: String,
    /// One sentence: what happens.
    pub title: String,
    /// Which sentence of the specification is broken or kept, and why at that byte.
    pub why: String,
    /// Where the bytes come from.
    pub origin: Origin,
    /// Words to find the case by, kebab-case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// How a live run differs from the ordinary session.
    #[serde(default, skip_serializing_if = "RunSettings::is_default")]
    pub run: RunSettings,
    /// Runs of one byte that `stdout.raw` leaves out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expand: Vec<Expansion>,
    /// A program that makes the mistake live.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Program>,
    /// What happened, in order. Without it: all of stdout, its end, and no client side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<Vec<ScriptStep>>,
    /// The oracle.
    pub expect: Oracle,
}

impl CaseFile {
    /// A case of which a person has still to say everything but where its bytes come from.
    #[must_use]
    pub fn begun(id: impl Into<String>, origin: Origin) -> Self {
        Self {
            schema: 1,
            id: id.into(),
            title: "TODO: one sentence: what happens".to_owned(),
            why: "TODO: which sentence of the specification, and why at that byte".to_owned(),
            origin,
            tags: Vec::new(),
            run: RunSettings::default(),
            expand: Vec::new(),
            program: None,
            script: None,
            expect: Oracle::Open(Todo::Todo),
        }
    }
}

/// What must be found, or that nobody has said so yet.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Oracle {
    /// The word `TODO`: a person still has to say.
    Open(Todo),
    /// By protocol revision or range of revisions.
    ByRevision(BTreeMap<String, Expectation>),
}

/// The word `TODO`.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub enum Todo {
    /// The word.
    #[serde(rename = "TODO")]
    Todo,
}

/// Where a case comes from.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Origin {
    /// A fixture server of the same name wrote the bytes.
    Fixture,
    /// Made up to pin a corner of the detector.
    Synthetic,
    /// Made up to show what must stay clean.
    Control,
    /// Recorded by `run --record`; no case of the corpus yet.
    Capture,
    /// Seen in public; the bytes are our own and look alike.
    Incident {
        /// The public report.
        url: String,
        /// When it was seen, as YYYY-MM-DD.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seen: Option<String>,
        /// What was replaced in the bytes, as many bytes for as many, before they came here.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        redacted: Vec<String>,
    },
}

/// How a live run differs from the ordinary session.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RunSettings {
    /// Tool calls, each `TOOL=JSON`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
    /// The scenario that the client side plays, by its name. Without it, the ordinary session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// A text that the server logs. A live server gets it as the variable `CANARY`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary: Option<String>,
    /// The largest frame, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_frame_bytes: Option<u64>,
    /// Variables of a live server.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The HOME of a live server. Without it, that of whoever runs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<Home>,
}

/// The home directory of a live server.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Home {
    /// An empty directory.
    Fresh,
    /// A directory in which the server has run once before.
    Again,
}

impl RunSettings {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A server in its own language that makes the mistake of its case live, and the same server
/// repaired: the regression test that its author would keep. Both lie in the case's directory and
/// are run there.
///
/// In the session of the case the first must come to what the oracle says, write exactly
/// `stdout.raw` (and `stderr.raw`, if there is one), and end as the script says; the second must
/// be valid without advice. Both use nothing but what comes with their runtime, write the same
/// bytes on every machine, and differ by the mend alone.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// What runs it, and must be installed.
    pub runtime: Runtime,
    /// The command: the runtime, a file of the case's directory, arguments.
    pub command: Vec<String>,
    /// The command of the repaired server.
    pub fixed: Vec<String>,
    /// Variables that both get, on top of those that every server gets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// What else of the case's directory they need.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
}

impl Program {
    /// The files of the case's directory that belong to it.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let servers = [&self.command, &self.fixed].into_iter().filter_map(|command| command.get(1));
        servers.chain(&self.beside).map(String::as_str)
    }
}

/// What runs a program.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Runtime {
    /// Node, 20 or later.
    Node,
    /// Python, 3.9 or later.
    Python3,
}

impl Runtime {
    /// The name of the command.
    #[must_use]
    pub fn command(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Python3 => "python3",
        }
    }
}

/// What a person says must be found.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Expectation {
    /// The first `must` finding.
    Violation(Violation),
    /// No `must` finding.
    Clean(Clean),
    /// Nothing was proven.
    Stuck(Stuck),
}

/// The first `must` finding.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Violation {
    /// The rule.
    pub rule: String,
    /// The frame, from 1; null for a finding that no frame shows.
    pub frame: Option<u64>,
    /// The byte in the frame, from 0.
    pub byte: Option<u64>,
    /// The byte in the whole of stdout, from 0.
    pub byte_in_stream: u64,
    /// Messages accepted before.
    pub clean_before: u64,
    /// The phase, or the phases that the order of events leaves open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<OneOrMany>,
    /// The method of the oldest request without a reply.
    #[serde(default)]
    pub pending: Option<String>,
    /// What ended the output inside the frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// The length of the tail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial_bytes: Option<u64>,
    /// Advice beside it.
    #[serde(default)]
    pub advice: Vec<AdviceExpectation>,
}

/// One value or several.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum OneOrMany {
    /// One.
    One(String),
    /// Any of these.
    Many(Vec<String>),
}

impl OneOrMany {
    /// The values.
    #[must_use]
    pub fn values(&self) -> &[String] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Many(values) => values,
        }
    }
}

/// No `must` finding.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Clean {
    /// The word `valid-stdout`.
    pub verdict: ValidStdout,
    /// The advice, in the order of findings.
    #[serde(default)]
    pub advice: Vec<AdviceExpectation>,
}

/// The word `valid-stdout`.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ValidStdout {
    /// The word.
    ValidStdout,
}

/// Nothing was proven.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Stuck {
    /// The word `inconclusive`.
    pub verdict: InconclusiveWord,
    /// Why.
    pub reason: String,
    /// Advice beside it.
    #[serde(default)]
    pub advice: Vec<AdviceExpectation>,
}

/// The word `inconclusive`.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum InconclusiveWord {
    /// The word.
    Inconclusive,
}

/// The first finding of an advice rule.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AdviceExpectation {
    /// The rule.
    pub rule: String,
    /// The frame, from 1.
    pub frame: Option<u64>,
    /// The byte in the frame.
    pub byte: Option<u64>,
    /// How many frames or events meet the rule.
    #[serde(default = "one")]
    pub count: u64,
}

fn one() -> u64 {
    1
}

impl Expectation {
    /// The advice beside the outcome.
    #[must_use]
    pub fn advice(&self) -> &[AdviceExpectation] {
        match self {
            Self::Violation(violation) => &violation.advice,
            Self::Clean(clean) => &clean.advice,
            Self::Stuck(stuck) => &stuck.advice,
        }
    }
}
