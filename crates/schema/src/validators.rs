//! The validators, each built when it is first needed.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use inspect::Subject;
use jsonschema::Validator;
use model::ProtocolVersion;
use serde_json::{Map, Value, json};

use crate::notation::{Presence, expand, holds, member};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
/// What every result is, whatever was asked.
const ANY_RESULT: &str = "Result";

/// What a message is checked against.
pub(crate) enum Wanted {
    /// This.
    Validator(&'static Validator),
    /// The revision knows no such message of a server.
    UnknownMethod,
}

/// The facts as they are written.
#[derive(Debug)]
struct Facts {
    results: Map<String, Value>,
    requests: Map<String, Value>,
    notifications: Map<String, Value>,
    definitions: Map<String, Value>,
}

fn facts() -> &'static Facts {
    static FACTS: OnceLock<Facts> = OnceLock::new();
    FACTS.get_or_init(|| {
        let file: Value = serde_json::from_str(include_str!("../schemas/mcp.json"))
            .expect("the file of the facts is JSON");
        let section = |name: &str| file[name].as_object().expect("a section is there").clone();
        Facts {
            results: section("results"),
            requests: section("requests"),
            notifications: section("notifications"),
            definitions: section("definitions"),
        }
    })
}

/// What a message is, to those who look for its validator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Result,
    Request,
    Notification,
}

type Key = (ProtocolVersion, Kind, &'static str);

/// The validator of a message.
pub(crate) fn of(version: ProtocolVersion, subject: Subject<'_>) -> Wanted {
    match key(version, subject) {
        Some(key) => Wanted::Validator(validator(key)),
        None => Wanted::UnknownMethod,
    }
}

/// The revision, the kind, and the name as it is written in the facts.
fn key(version: ProtocolVersion, subject: Subject<'_>) -> Option<Key> {
    let facts = facts();
    let (kind, section, method) = match subject {
        Subject::Result { request } => (Kind::Result, &facts.results, request),
        Subject::Request { method } => (Kind::Request, &facts.requests, method),
        Subject::Notification { method } => (Kind::Notification, &facts.notifications, method),
    };
    let entry = section.iter().find(|(written, entry)| {
        member(written).0 == method && entry.as_str().is_none_or(|name| holds(name, version))
    });
    match (kind, entry) {
        (_, Some((written, _))) => Some((version, kind, written)),
        (Kind::Result, None) => Some((version, kind, "")),
        (Kind::Request | Kind::Notification, None) => None,
    }
}

fn validator(key: Key) -> &'static Validator {
    static BUILT: Mutex<BTreeMap<Key, &'static Validator>> = Mutex::new(BTreeMap::new());
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    // At most one for each message of each revision: they live as long as the program.
    built.entry(key).or_insert_with(|| Box::leak(Box::new(build(&schema(key)))))
}

fn build(schema: &Value) -> Validator {
    jsonschema::options()
        .should_validate_formats(false)
        .build(schema)
        .expect("a test builds every schema")
}

/// The JSON Schema of a whole message.
fn schema((version, kind, written): Key) -> Value {
    let facts = facts();
    let mut schema = match kind {
        Kind::Result => {
            let any = Value::String(ANY_RESULT.to_owned());
            let result = facts.results.get(written).unwrap_or(&any);
            json!({ "properties": { "result": expand(result, version) } })
        }
        Kind::Request | Kind::Notification => {
            let section =
                if kind == Kind::Request { &facts.requests } else { &facts.notifications };
            let params = expand(&section[written], version);
            let required = match member(written).1 {
                Presence::Required => json!(["params"]),
                Presence::Optional => json!([]),
            };
            json!({ "required": required, "properties": { "params": params } })
        }
    };
    schema["$schema"] = json!(DIALECT);
    schema["$defs"] = definitions(version);
    schema
}

/// Every definition of a revision, as the `$defs` of a JSON Schema.
#[must_use]
pub fn definitions(version: ProtocolVersion) -> Value {
    let expanded = facts().definitions.iter().map(|(name, written)| {
        let schema = expand(written, version).expect("a definition itself has no range");
        (name.clone(), schema)
    });
    Value::Object(expanded.collect())
}

/// Builds every validator of every revision and says how many there are. For tests and
/// measurements: a session builds only those that it needs.
#[must_use]
pub fn build_all() -> usize {
    let facts = facts();
    let sections = [
        (Kind::Result, &facts.results),
        (Kind::Request, &facts.requests),
        (Kind::Notification, &facts.notifications),
    ];
    let mut built = 0;
    for version in ProtocolVersion::ALL {
        for (kind, section) in sections {
            for (written, entry) in section {
                if expand(entry, version).is_some() {
                    validator((version, kind, written));
                    built += 1;
                }
            }
        }
        validator((version, Kind::Result, ""));
        built += 1;
    }
    built
}
