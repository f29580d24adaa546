//! Layer 4 against the official schemas: valid messages of every kind, and what becomes of each
//! when one value in it is taken away or replaced, judged by both.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use inspect::{Detector, Inspector, RuleSet, Setting};
use jsonschema::Validator;
use model::{
    Event, EventKind, KeepBody, Layer, Outcome, ProtocolVersion, RawId, RuleId, Sent, Seq,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Complaints;
use crate::workspace::read;

/// The fewest mutated messages of a revision that prove something.
const FEWEST: usize = 500;
/// As many disagreements are listed one by one; the rest are counted.
const LISTED: usize = 20;

/// A valid message of the kind that its definition describes.
#[derive(Deserialize)]
struct Sample {
    /// The method of the request that it answers; none for what a server sends by itself.
    request: Option<String>,
    since: Option<String>,
    until: Option<String>,
    /// The official definition: of the result, or of the whole message.
    official: String,
    message: Value,
}

impl Sample {
    /// Whether the revision has such a message.
    fn is_of(&self, version: ProtocolVersion) -> bool {
        let end = |name: &String| name.parse::<ProtocolVersion>().expect("a released revision");
        self.since.as_ref().map(end).is_none_or(|first| first <= version)
            && self.until.as_ref().map(end).is_none_or(|last| version <= last)
    }
}

/// A difference that is meant.
struct Gap {
    /// What the official definition is of; empty for all.
    official: &'static str,
    /// The start of the changed value's pointer.
    pointer: &'static str,
    /// Who rejects.
    rejects: Who,
    /// Why.
    why: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Ours,
    Official,
}

/// The kind of a result and how long it may be kept are no part of our schemas.
const KIND: &str =
    "the kind of a result and how long it may be kept are left to a rule of their own";

const GAPS: &[Gap] = &[
    Gap { official: "", pointer: "/result/resultType", rejects: Who::Official, why: KIND },
    Gap { official: "", pointer: "/result/ttlMs", rejects: Who::Official, why: KIND },
    Gap { official: "", pointer: "/result/cacheScope", rejects: Who::Official, why: KIND },
    Gap {
        official: "SubscriptionsListenResult",
        pointer: "/result",
        rejects: Who::Official,
        why: KIND,
    },
    Gap { official: "InputRequiredResult", pointer: "/result", rejects: Who::Official, why: KIND },
    Gap {
        official: "InputRequiredResult",
        pointer: "/result",
        rejects: Who::Ours,
        why: "the kind chooses the definition, so that a result without it needs its content",
    },
];

pub(super) fn run(directory: &Path, complaints: &mut Complaints) {
    let samples: Vec<Sample> = serde_json::from_str(include_str!("samples.json"))
        .expect("the samples are part of this program");
    for version in ProtocolVersion::ALL {
        let Some(text) = read(&directory.join(format!("{version}.json")), complaints) else {
            continue;
        };
        match serde_json::from_slice(&text) {
            Ok(official) => Comparison::new(version, official).run(&samples, complaints),
            Err(error) => complaints.push(format!("{version}.json: {error}")),
        }
    }
}

struct Comparison {
    version: ProtocolVersion,
    official: Value,
    validators: BTreeMap<String, Validator>,
}

impl Comparison {
    fn new(version: ProtocolVersion, official: Value) -> Self {
        Self { version, official, validators: BTreeMap::new() }
    }

    fn run(&mut self, samples: &[Sample], complaints: &mut Complaints) {
        let (mut valid, mut mutated, mut rejected) = (0, 0, 0);
        let mut meant: BTreeMap<&str, usize> = BTreeMap::new();
        let mut disagreements = Vec::new();
        let version = self.version;
        for sample in samples.iter().filter(|sample| sample.is_of(version)) {
            valid += 1;
            for (who, rejects) in [
                ("ours", self.ours(sample, &sample.message)),
                ("official", self.theirs(sample, &sample.message)),
            ] {
                if let Some(why) = rejects {
                    complaints.push(format!(
                        "{} {}: {who} rejects a valid message: {why}",
                        self.version, sample.official
                    ));
                }
            }
            for (pointer, message) in mutants(&sample.message) {
                mutated += 1;
                let ours = self.ours(sample, &message);
                let theirs = self.theirs(sample, &message);
                rejected += usize::from(theirs.is_some());
                if ours.is_some() == theirs.is_some() {
                    continue;
                }
                let gap = GAPS.iter().find(|gap| {
                    (gap.official.is_empty() || gap.official == sample.official)
                        && pointer.starts_with(gap.pointer)
                        && gap.rejects == if ours.is_some() { Who::Ours } else { Who::Official }
                });
                match gap {
                    Some(gap) => *meant.entry(gap.why).or_default() += 1,
                    None => disagreements.push(format!(
                        "{} {} at {pointer}: ours {ours:?}, official {theirs:?}: {message}",
                        self.version, sample.official
                    )),
                }
            }
        }
        if mutated < FEWEST || rejected == 0 || rejected == mutated {
            complaints.push(format!(
                "{}: {mutated} mutated messages, {rejected} rejected: too few to prove anything",
                self.version
            ));
        }
        println!(
            "mcp-schema {}: {valid} valid and {mutated} mutated messages, {rejected} rejected by \
             the official schema, {} differences that are not meant",
            self.version,
            disagreements.len()
        );
        for (why, count) in meant {
            println!("mcp-schema {}: {count} differences that are meant: {why}", self.version);
        }
        let more = disagreements.len().saturating_sub(LISTED);
        complaints.extend(disagreements.into_iter().take(LISTED));
        if more > 0 {
            complaints.push(format!("{}: {more} more disagreements", self.version));
        }
    }

    /// Why the official schema rejects a message, if it does.
    fn theirs(&mut self, sample: &Sample, message: &Value) -> Option<String> {
        let official = &self.official;
        let validator = self.validators.entry(sample.official.clone()).or_insert_with(|| {
            let key = if official.get("$defs").is_some() { "$defs" } else { "definitions" };
            let mut schema = official.clone();
            schema["$ref"] = json!(format!("#/{key}/{}", sample.official));
            jsonschema::options()
                .should_validate_formats(false)
                .build(&schema)
                .expect("the official file is a schema")
        });
        let whole;
        let instance = match (&sample.request, message.get("result")) {
            (Some(_), Some(result)) => result,
            (Some(_), None) => return Some("no result".to_owned()),
            (None, _) => {
                whole = enveloped(message);
                &whole
            }
        };
        validator.validate(instance).err().map(|error| error.masked().to_string())
    }

    /// Why the detector rejects a message, if it does: the layers above JSON, without the rules
    /// of a session.
    fn ours(&self, sample: &Sample, message: &Value) -> Option<String> {
        let mut rules = RuleSet::default();
        rules.schema = Some(schema::mcp());
        for rule in RuleId::ALL {
            if !is_of_schema(*rule) {
                rules.set(*rule, Setting::Off);
            }
        }
        let mut detector = Inspector::new(rules);
        let params =
            json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": self.version.name() } });
        let request = Sent::Request {
            id: RawId::integer(7),
            method: sample.request.as_deref().unwrap_or("ping").into(),
            params: Some(params.to_string().into()),
            keep_body: KeepBody::Drop,
        };
        let mut line = enveloped(message);
        if sample.request.is_some() {
            line["id"] = json!(7);
        }
        let line = format!("{line}\n");
        for kind in [EventKind::Sent(request), EventKind::Stdout(line.as_bytes().into())] {
            detector.push(&Event { seq: Seq(0), at: Duration::ZERO, kind });
        }
        match Box::new(detector).finish().outcome {
            Outcome::Violation(finding) => Some(format!("{}: {:?}", finding.rule, finding.detail)),
            _ => None,
        }
    }
}

/// Whether a rule is about the form of a message, as schemas are.
fn is_of_schema(rule: RuleId) -> bool {
    rule.rule().layer <= Layer::JsonRpc || rule == RuleId::SchemaMismatch
}

fn enveloped(message: &Value) -> Value {
    let mut whole = message.clone();
    whole["jsonrpc"] = json!("2.0");
    whole
}

/// The message with one value below `result` or `params`, or one of these themselves, taken away
/// or replaced; with the pointer of the value.
fn mutants(message: &Value) -> Vec<(String, Value)> {
    let mut pointers = Vec::new();
    for top in ["result", "params"] {
        if let Some(value) = message.get(top) {
            collect(value, format!("/{top}"), &mut pointers);
        }
    }
    let replacements = [
        json!(null),
        json!(true),
        json!(7),
        json!(-1.5),
        json!("x"),
        json!([]),
        json!({}),
        json!([{}]),
        json!({ "x": 1 }),
    ];
    let mut mutants = Vec::new();
    for pointer in pointers {
        mutants.push((pointer.clone(), without(message, &pointer)));
        for replacement in &replacements {
            let mut mutant = message.clone();
            *mutant.pointer_mut(&pointer).expect("it was found there") = replacement.clone();
            mutants.push((pointer.clone(), mutant));
        }
    }
    mutants
}

fn collect(value: &Value, pointer: String, pointers: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                collect(value, format!("{pointer}/{name}"), pointers);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                collect(value, format!("{pointer}/{index}"), pointers);
            }
        }
        _ => {}
    }
    pointers.push(pointer);
}

fn without(message: &Value, pointer: &str) -> Value {
    let mut mutant = message.clone();
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer has a slash");
    match mutant.pointer_mut(parent) {
        Some(Value::Object(members)) => {
            members.remove(&name.replace("~1", "/").replace("~0", "~"));
        }
        Some(Value::Array(items)) => {
            items.remove(name.parse().expect("an item has an index"));
        }
        _ => unreachable!("what holds a value is a container"),
    }
    mutant
}
