//! The notation of `schemas/mcp.json`, and its expansion to JSON Schema for one revision.
//!
//! Where JSON Schema has a schema, a string names a definition: `NAME`, or `NAME@FIRST..LAST`
//! where it holds in some revisions only (either end may be left out; `NAME@FIRST` is from then
//! on). Beside the keywords of JSON Schema there are
//!
//! | keyword | means |
//! |---|---|
//! | `fields` | an object with these members; a name that ends in `!` is required |
//! | `list`, `map` | an array of these, an object whose values are these |
//! | `any`, `all` | `anyOf`, `allOf` |
//! | `tag`, `of` | an object whose member `tag` says which of these it is |

use model::ProtocolVersion;
use serde_json::{Map, Value, json};

/// A member that must be there.
const REQUIRED: char = '!';

/// A name as it is written: the name, and whether it must be there.
pub(crate) fn member(written: &str) -> (&str, Presence) {
    match written.strip_suffix(REQUIRED) {
        Some(name) => (name, Presence::Required),
        None => (written, Presence::Optional),
    }
}

/// Whether a member must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    Optional,
}

/// The JSON Schema of what is written, in a revision. None if it does not hold there.
pub(crate) fn expand(written: &Value, version: ProtocolVersion) -> Option<Value> {
    match written {
        Value::String(name) => reference(name, version),
        Value::Object(keywords) => Some(Value::Object(expand_object(keywords, version))),
        other => unreachable!("a schema is a name or an object, not {other}"),
    }
}

fn reference(written: &str, version: ProtocolVersion) -> Option<Value> {
    let name = written.split_once('@').map_or(written, |(name, _)| name);
    holds(written, version).then(|| json!({ "$ref": format!("#/$defs/{name}") }))
}

/// Whether a name, as it is written, holds in a revision.
pub(crate) fn holds(written: &str, version: ProtocolVersion) -> bool {
    written.split_once('@').is_none_or(|(_, range)| covers(range, version))
}

/// Whether a range of revisions holds one.
fn covers(range: &str, version: ProtocolVersion) -> bool {
    let (first, last) = range.split_once("..").unwrap_or((range, ""));
    let end = |text: &str| match text {
        "" => None,
        name => Some(name.parse::<ProtocolVersion>().expect("a range names known revisions")),
    };
    end(first).is_none_or(|first| first <= version) && end(last).is_none_or(|last| version <= last)
}

fn expand_object(keywords: &Map<String, Value>, version: ProtocolVersion) -> Map<String, Value> {
    let mut schema = Map::new();
    let mut all = Vec::new();
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            ("fields", Value::Object(members)) => fields(&mut schema, members, version),
            ("list", items) => {
                schema.insert("type".to_owned(), json!("array"));
                schema.extend(expand(items, version).map(|items| ("items".to_owned(), items)));
            }
            ("map", values) => {
                schema.insert("type".to_owned(), json!("object"));
                let values = expand(values, version);
                schema.extend(values.map(|values| ("additionalProperties".to_owned(), values)));
            }
            ("any", Value::Array(branches)) => {
                let branches = branches.iter().filter_map(|branch| expand(branch, version));
                schema.insert("anyOf".to_owned(), branches.collect());
            }
            ("all", Value::Array(parts)) => {
                all.extend(parts.iter().filter_map(|part| expand(part, version)));
            }
            ("tag", Value::String(tag)) => {
                let branches = keywords["of"].as_object().expect("a tag has its branches");
                all.extend(tagged(&mut schema, tag, branches, version));
            }
            ("of", _) => {}
            ("if" | "then" | "else", part) => {
                let part = expand(part, version).unwrap_or(Value::Bool(true));
                schema.insert(keyword.clone(), part);
            }
            (_, value) => _ = schema.insert(keyword.clone(), value.clone()),
        }
    }
    if !all.is_empty() {
        schema.insert("allOf".to_owned(), all.into());
    }
    schema
}

fn fields(schema: &mut Map<String, Value>, members: &Map<String, Value>, version: ProtocolVersion) {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (written, value) in members {
        let (name, presence) = member(written);
        if presence == Presence::Required {
            required.push(json!(name));
        }
        properties.extend(expand(value, version).map(|value| (name.to_owned(), value)));
    }
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("required".to_owned(), required.into());
    schema.insert("properties".to_owned(), properties.into());
}

/// One branch counts, the one that the tag names, so that a reason speaks of that one alone.
fn tagged(
    schema: &mut Map<String, Value>,
    tag: &str,
    branches: &Map<String, Value>,
    version: ProtocolVersion,
) -> Vec<Value> {
    let branches: Vec<(&String, Value)> = branches
        .iter()
        .filter_map(|(name, branch)| Some((name, expand(branch, version)?)))
        .collect();
    let names: Vec<&String> = branches.iter().map(|(name, _)| *name).collect();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("required".to_owned(), json!([tag]));
    schema.insert("properties".to_owned(), json!({ tag: { "enum": names } }));
    let conditional = |(name, branch): (&String, Value)| {
        json!({
            "if": { "required": [tag], "properties": { tag: { "const": name } } },
            "then": branch,
        })
    };
    branches.into_iter().map(conditional).collect()
}

#[cfg(test)]
mod tests {
    use model::ProtocolVersion;
    use rstest::rstest;
    use serde_json::json;

    use super::expand;

    const OLD: ProtocolVersion = ProtocolVersion::V2024_11_05;
    const NEW: ProtocolVersion = ProtocolVersion::V2026_07_28;

    #[rstest]
    #[case("x", true, true)]
    #[case("x@2024-11-05", true, true)]
    #[case("x@2025-03-26", false, true)]
    #[case("x@..2025-03-26", true, false)]
    #[case("x@2025-03-26..2025-06-18", false, false)]
    #[case("x@2024-11-05..2026-07-28", true, true)]
    fn a_name_holds_in_its_range(#[case] name: &str, #[case] old: bool, #[case] new: bool) {
        let name = json!(name);
        assert_eq!(expand(&name, OLD).is_some(), old);
        assert_eq!(expand(&name, NEW).is_some(), new);
    }

    #[test]
    fn members_become_properties() {
        let written =
            json!({ "fields": { "a!": "text", "b": "text@2025-06-18", "c!": { "list": "x" } } });
        assert_eq!(
            expand(&written, OLD),
            Some(json!({
                "type": "object",
                "required": ["a", "c"],
                "properties": {
                    "a": { "$ref": "#/$defs/text" },
                    "c": { "type": "array", "items": { "$ref": "#/$defs/x" } },
                },
            }))
        );
    }

    #[test]
    fn a_branch_of_a_later_revision_is_no_branch_before() {
        let written = json!({ "tag": "type", "of": { "a": "A", "b": "B@2025-06-18" } });
        let schema = expand(&written, OLD).unwrap();
        assert_eq!(schema["properties"]["type"]["enum"], json!(["a"]));
        assert_eq!(schema["allOf"].as_array().unwrap().len(), 1);
        let schema = expand(&written, NEW).unwrap();
        assert_eq!(schema["properties"]["type"]["enum"], json!(["a", "b"]));
        assert_eq!(schema["allOf"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn what_json_schema_knows_is_left_as_it_is() {
        let written = json!({ "type": "number", "minimum": 0 });
        assert_eq!(expand(&written, NEW), Some(written));
    }
}
