//! `corpus.json`: the types of the export.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use corpus::{
    Case, Expansion, Expectation, Family, Oracle, Origin, RunSettings, ScriptStep, compact,
    expectation_for, spoken_revision,
};
use model::ProtocolVersion;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The version of the format.
pub(super) const FORMAT: u32 = 1;

/// The corpus.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Export {
    /// The version of the format: 1.
    pub(super) format: u32,
    /// The version of the corpus.
    pub(super) version: String,
    /// The rules, in the order of the catalogue.
    pub(super) rules: Vec<ExportedRule>,
    /// The cases, by family and id.
    pub(super) cases: Vec<ExportedCase>,
}

/// A rule.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportedRule {
    /// Its permanent id.
    id: String,
    /// Its layer, from 1: framing, JSON, JSON-RPC, MCP, correlation and lifecycle.
    layer: u8,
    /// The layer's name.
    layer_name: String,
    /// What was seen.
    summary: String,
    /// The section of the specification.
    section: String,
}

/// A case.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportedCase {
    /// Its permanent id.
    pub(super) id: String,
    /// Where it came from, never what it means.
    family: String,
    /// One sentence: what happens.
    title: String,
    /// Which sentence of the specification is broken or kept, and why at that byte.
    why: String,
    /// Words to find it by.
    tags: Vec<String>,
    /// Where the bytes come from.
    origin: Origin,
    /// How its session differs from the ordinary one.
    run: RunSettings,
    /// The bytes of stdout in base64, without the runs in `expand`.
    pub(super) stdout: String,
    /// Runs of one byte that `stdout` leaves out.
    pub(super) expand: Vec<Expansion>,
    /// The length of the whole stdout.
    stdout_bytes: usize,
    /// Its SHA-256, in hexadecimal digits.
    stdout_sha256: String,
    /// The bytes of stderr in base64.
    stderr: String,
    /// What happened, in order. Null for a bare recording.
    script: Option<Vec<ScriptStep>>,
    /// Whether the client had signalled the server before its last bytes came.
    cut_by_client: bool,
    /// Whether `play` can be its server.
    playable: bool,
    /// The protocol revision that its server speaks.
    revision: String,
    /// What must be found under that revision.
    expected: Expected,
    /// What must be found, by revision or range of revisions.
    expect: BTreeMap<String, Expectation>,
}

/// What must be found.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Expected {
    /// `violation`, `valid-stdout` or `inconclusive`.
    verdict: String,
    /// The members that the expectation has in `expect`.
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

impl Export {
    /// Of these cases, still without its version.
    pub(super) fn new(cases: &[Case]) -> Self {
        let rules = model::catalogue().rules().map(|rule| ExportedRule {
            id: rule.id.name().to_owned(),
            layer: rule.layer.number(),
            layer_name: rule.layer.name().to_owned(),
            summary: rule.summary.to_owned(),
            section: rule.spec.section.to_owned(),
        });
        Self {
            format: FORMAT,
            version: String::new(),
            rules: rules.collect(),
            cases: cases.iter().map(ExportedCase::new).collect(),
        }
    }

    /// It ends with exactly one newline.
    pub(super) fn to_json(&self) -> String {
        let json = serde_json::to_string_pretty(self).expect("its maps have strings as keys");
        format!("{json}\n")
    }
}

impl ExportedCase {
    fn new(case: &Case) -> Self {
        let revision = spoken_revision(case);
        let expect = match &case.file.expect {
            Oracle::ByRevision(expect) => expect.clone(),
            Oracle::Open(_) => BTreeMap::new(),
        };
        let script = case.file.script.clone();
        let signals = |step: &ScriptStep| matches!(step, ScriptStep::Signal(_));
        let stored = compact(&case.stdout, &case.file.expand).expect("it was expanded from them");
        Self {
            id: case.file.id.clone(),
            family: case.family.map(Family::directory).unwrap_or_default().to_owned(),
            title: case.file.title.clone(),
            why: case.file.why.clone(),
            tags: case.file.tags.clone(),
            origin: case.file.origin.clone(),
            run: case.file.run.clone(),
            stdout: BASE64_STANDARD.encode(stored),
            expand: case.file.expand.clone(),
            stdout_bytes: case.stdout.len(),
            stdout_sha256: super::hex(&Sha256::digest(&case.stdout)),
            stderr: BASE64_STANDARD.encode(&case.stderr),
            cut_by_client: script.iter().flatten().any(signals),
            playable: probe::not_playable(case).is_none(),
            revision: revision.name().to_owned(),
            expected: Expected::of(case, revision),
            script,
            expect,
        }
    }
}

impl Expected {
    fn of(case: &Case, revision: ProtocolVersion) -> Self {
        let Some(expectation) = expectation_for(&case.file, revision) else {
            return Self { verdict: "inconclusive".to_owned(), rest: BTreeMap::new() };
        };
        let verdict = match expectation {
            Expectation::Violation(_) => "violation",
            Expectation::Clean(_) => "valid-stdout",
            Expectation::Stuck(_) => "inconclusive",
        };
        let value = serde_json::to_value(expectation).expect("its maps have strings as keys");
        let mut rest: BTreeMap<_, _> = match value {
            serde_json::Value::Object(members) => members.into_iter().collect(),
            _ => BTreeMap::new(),
        };
        rest.remove("verdict");
        Self { verdict: verdict.to_owned(), rest }
    }
}

/// The JSON Schema of `corpus.json`. It ends with exactly one newline.
pub(super) fn schema() -> String {
    let schema = schemars::schema_for!(Export);
    let json = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    format!("{json}\n")
}
