//! The JSON Schema of `case.json` is as strict as the loader.
#![cfg(feature = "json-schema")]

use serde_json::Value;

fn schema() -> Value {
    serde_json::from_str(&corpus::case_schema()).expect("a schema is JSON")
}

/// Every schema of an object with named members, by its place.
fn objects<'a>(place: String, value: &'a Value, found: &mut Vec<(String, &'a Value)>) {
    match value {
        Value::Object(members) => {
            if members.contains_key("properties") {
                found.push((place.clone(), value));
            }
            for (name, member) in members {
                objects(format!("{place}/{name}"), member, found);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                objects(format!("{place}/{at}"), item, found);
            }
        }
        _ => {}
    }
}

#[test]
fn no_object_takes_a_member_that_the_loader_does_not_know() {
    let schema = schema();
    let mut found = Vec::new();
    objects(String::new(), &schema, &mut found);
    assert!(found.len() > 10, "{} objects", found.len());
    for (place, object) in found {
        assert_eq!(object["additionalProperties"], Value::Bool(false), "{place}");
    }
}

#[test]
fn what_a_case_must_have_is_required() {
    let schema = schema();
    let required = ["schema", "id", "title", "why", "origin", "expect"];
    assert_eq!(schema["required"], serde_json::json!(required));
}
