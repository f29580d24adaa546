//! The format `sarif`: SARIF 2.1.0, one run, a result for each violation and piece of advice.
//!
//! A frame is a line of stdout, so it is the line of the result's region. A run that proved
//! nothing has no result, but an execution that was not successful and a notification that says
//! why.

mod log;

use std::collections::BTreeMap;

use model::RuleId;
use sha2::{Digest, Sha256};

use super::{TOOL, VERSION, named};
use crate::evidence::{Evidence, FindingEvidence, Origin, VerdictName};
use crate::report::Report;
use crate::story::{self, Story};
use log::{
    ArtifactLocation, Descriptor, Driver, Fingerprints, Invocation, Level, Location, Log,
    LogicalLocation, Message, Notification, PhysicalLocation, Region, Run, RunResult, Tool,
};

/// Writes the report.
pub(crate) fn render(report: &Report) -> String {
    let sessions = named(report);
    let results = sessions.iter().flat_map(|(name, evidence)| results(name, evidence)).collect();
    let run = Run {
        tool: Tool {
            driver: Driver {
                name: TOOL,
                version: VERSION,
                rules: RuleId::ALL.iter().map(|rule| descriptor(*rule)).collect(),
            },
        },
        invocations: sessions.iter().map(|(name, evidence)| invocation(name, evidence)).collect(),
        results,
        column_kind: "unicodeCodePoints",
    };
    let log = Log { schema: log::SCHEMA, version: "2.1.0", runs: [run] };
    let mut out = serde_json::to_string_pretty(&log).expect("a log holds only strings and numbers");
    out.push('\n');
    out
}

fn descriptor(id: RuleId) -> Descriptor {
    let rule = id.rule();
    Descriptor {
        id: id.name(),
        short_description: Message::new(sentence(rule.summary)),
        full_description: Message::new(rule.explanation),
        help: Message::new(format!(
            "What to do: {}. What clients do: {} {}: \"{}\"",
            rule.mend, rule.clients, rule.spec.section, rule.spec.quote
        )),
        default_configuration: log::Configuration {
            level: match rule.level {
                model::Level::Must => Level::Error,
                model::Level::Advice => Level::Note,
                model::Level::Legal => Level::None,
            },
        },
    }
}

/// The catalogue's fragments as sentences.
fn sentence(fragment: &str) -> String {
    let mut characters = fragment.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), characters.as_str())
}

fn results<'a>(name: &'a str, evidence: &'a Evidence) -> Vec<RunResult> {
    let findings = evidence
        .first_violation
        .iter()
        .chain(evidence.advice.iter().map(|advice| &advice.finding))
        .collect::<Vec<_>>();
    // The stories of the findings come in the same order; that of a run without a violation
    // stands before those of its advice.
    let stories = story::of(evidence);
    let skipped = usize::from(evidence.first_violation.is_none());
    let stories = stories.into_iter().skip(skipped);
    findings
        .into_iter()
        .zip(stories)
        .map(|(finding, story)| result(name, evidence, finding, &story))
        .collect()
}

fn result(
    name: &str,
    evidence: &Evidence,
    finding: &FindingEvidence,
    story: &Story<'_>,
) -> RunResult {
    let index = RuleId::ALL.iter().position(|rule| *rule == finding.rule);
    RunResult {
        rule_id: finding.rule.name(),
        rule_index: index.unwrap_or(0),
        level: match finding.level {
            model::Level::Must => Level::Error,
            model::Level::Advice | model::Level::Legal => Level::Note,
        },
        message: Message::new(message(story)),
        locations: [Location {
            physical_location: PhysicalLocation {
                artifact_location: ArtifactLocation { uri: artifact(evidence) },
                region: region(evidence, finding),
            },
            logical_locations: [LogicalLocation { name: name.to_owned(), kind: "process" }],
        }],
        partial_fingerprints: Fingerprints { rule_and_text: fingerprint(name, finding) },
        properties: properties(finding),
    }
}

fn message(story: &Story<'_>) -> String {
    let mut out = sentence(&story.title);
    if let Some(location) = &story.location {
        out.push_str(&format!(" At {location}."));
    }
    if let Some(snippet) = &story.snippet {
        out.push_str(&format!(" The line: {}", snippet.excerpt.marked(crate::Charset::Unicode).0));
    }
    out
}

/// Where it is shown: the line of a configuration that names the server, since that is a file of
/// the repository; else the frame, as a line of stdout.
fn region(evidence: &Evidence, finding: &FindingEvidence) -> Option<Region> {
    if let Some(here) = &evidence.configuration {
        return Some(Region {
            start_line: here.line.into(),
            start_column: Some(here.column.into()),
            byte_offset: None,
            byte_length: None,
        });
    }
    finding.frame.map(|frame| Region {
        start_line: frame,
        start_column: None,
        byte_offset: Some(finding.byte_in_stream),
        byte_length: Some(0),
    })
}

/// What the result is about, as a relative reference: a configuration, a recording, or the stdout
/// of a server.
fn artifact(evidence: &Evidence) -> String {
    if let Some(here) = &evidence.configuration {
        return uri(here.file.as_str());
    }
    match &evidence.origin {
        Origin::Check { input } => uri(input.as_str()),
        Origin::Run | Origin::Replay => "stdout".to_owned(),
    }
}

/// A path as a reference: everything that is not plain is written as `%hh`.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.trim_start_matches("./").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The same for the same fault of the same server: numbers in its text do not count.
fn fingerprint(name: &str, finding: &FindingEvidence) -> String {
    let text = finding.excerpt.as_ref().map(|excerpt| excerpt.text.as_str()).unwrap_or_default();
    let normal: String = text.chars().filter(|character| !character.is_ascii_digit()).collect();
    let mut hash = Sha256::new();
    for part in [finding.rule.name(), name, &normal] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

fn properties(finding: &FindingEvidence) -> BTreeMap<&'static str, serde_json::Value> {
    let mut out = BTreeMap::new();
    out.insert("layer", finding.layer.into());
    out.insert("phase", finding.phase.name().into());
    out.insert("byteInStream", finding.byte_in_stream.into());
    if let Some(frame) = finding.frame {
        out.insert("frame", frame.into());
    }
    if let Some(byte) = finding.byte_in_frame {
        out.insert("byteInFrame", byte.into());
    }
    if let Some(hint) = finding.hint {
        out.insert("hint", hint.to_string().into());
    }
    out
}

fn invocation(name: &str, evidence: &Evidence) -> Invocation {
    let inconclusive = evidence.verdict == VerdictName::Inconclusive;
    let notifications = inconclusive.then(|| {
        let outcome = story::outcome(evidence);
        Notification {
            level: Level::Error,
            message: Message::new(format!("{name}: {}: {}", outcome.head(), outcome.title)),
        }
    });
    Invocation {
        execution_successful: !inconclusive,
        tool_execution_notifications: notifications.into_iter().collect(),
    }
}
