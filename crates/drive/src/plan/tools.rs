//! The tools that a server lists, and arguments for them.

use serde_json::{Map, Value};

use super::ToolCall;

/// The most tools that are called without being named.
const MAX_SAFE_CALLS: usize = 32;

/// A tool of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tool {
    /// Decoded. A lone surrogate is in its three-byte form.
    pub(crate) name: Box<[u8]>,
    pub(crate) effect: Effect,
    /// The JSON text of the schema of its arguments.
    pub(crate) schema: Box<str>,
}

/// What a tool says of its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It only reads.
    Reads,
    /// Nothing.
    Unknown,
}

/// Calls of the tools that only read and whose arguments can be made from their schemas, but for
/// those that are called anyway.
pub(crate) fn safe_calls(tools: &[Tool], named: &[ToolCall]) -> Vec<ToolCall> {
    tools
        .iter()
        .filter(|tool| tool.effect == Effect::Reads)
        .filter(|tool| !named.iter().any(|call| *call.tool().as_bytes() == *tool.name))
        .filter_map(|tool| {
            let name = str::from_utf8(&tool.name).ok()?;
            let arguments = arguments(&serde_json::from_str(&tool.schema).ok()?)?;
            ToolCall::new(name, &arguments.to_string()).ok()
        })
        .take(MAX_SAFE_CALLS)
        .collect()
}

/// A call with every text of its arguments made long. None if it has no text.
pub(crate) fn lengthened(call: &ToolCall, characters: usize) -> Option<ToolCall> {
    let mut arguments: Map<String, Value> = serde_json::from_str(call.arguments()).ok()?;
    let mut texts = arguments.values_mut().filter(|value| value.is_string()).peekable();
    texts.peek()?;
    // One to four bytes a character.
    let long: String = "aé日😀".chars().cycle().take(characters).collect();
    texts.for_each(|text| *text = Value::from(long.as_str()));
    ToolCall::new(call.tool(), &Value::Object(arguments).to_string()).ok()
}

/// Arguments that the schema of an object accepts. None where that takes more than is done here.
fn arguments(schema: &Value) -> Option<Value> {
    let schema = schema.as_object()?;
    let conditional =
        ["allOf", "anyOf", "oneOf", "not", "if", "dependentRequired", "minProperties"];
    if conditional.iter().any(|word| schema.contains_key(*word)) {
        return None;
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let mut made = Map::new();
    for name in required.into_iter().flatten() {
        let name = name.as_str()?;
        made.insert(name.to_owned(), value(properties?.get(name)?)?);
    }
    Some(Value::Object(made))
}

/// A value that the schema of a property accepts.
fn value(schema: &Value) -> Option<Value> {
    let of = |name: &str| schema.get(name);
    let first = |name: &str| of(name)?.as_array()?.first();
    let given = of("const").or_else(|| of("default")).or_else(|| first("enum"));
    if let Some(given) = given.or_else(|| first("examples")) {
        return Some(given.clone());
    }
    let number = |name: &str| of(name).and_then(Value::as_f64);
    match of("type")?.as_str()? {
        "string" if of("pattern").is_none() && of("format").is_none() => {
            let length = number("minLength").unwrap_or(1.0).max(1.0);
            let room = number("maxLength").unwrap_or(1024.0);
            (length <= room && length <= 1024.0).then(|| "a".repeat(length as usize).into())
        }
        "integer" | "number" if of("multipleOf").is_none() => {
            let least = number("minimum").or_else(|| Some(number("exclusiveMinimum")? + 1.0));
            let least = least.unwrap_or(1.0).ceil();
            let most = number("maximum").or_else(|| Some(number("exclusiveMaximum")? - 1.0));
            let whole = least.min(most.unwrap_or(least).floor());
            (whole >= least || of("minimum").is_none() && of("exclusiveMinimum").is_none())
                .then(|| Value::from(whole as i64))
        }
        "boolean" => Some(Value::Bool(false)),
        "null" => Some(Value::Null),
        "array" if number("minItems").unwrap_or(0.0) == 0.0 => Some(Value::Array(Vec::new())),
        "object" => arguments(schema),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(schema: &str) -> Option<String> {
        arguments(&serde_json::from_str(schema).unwrap()).map(|value| value.to_string())
    }

    fn property(schema: &str) -> Option<String> {
        made(&format!(r#"{{"type":"object","properties":{{"a":{schema}}},"required":["a"]}}"#))
    }

    #[test]
    fn arguments_are_made_where_the_schema_says_enough() {
        assert_eq!(made("{}").as_deref(), Some("{}"));
        let optional = r#"{"type":"object","properties":{"a":{"type":"string"}}}"#;
        assert_eq!(made(optional).as_deref(), Some("{}"));
        for (schema, value) in [
            (r#"{"const":7}"#, "7"),
            (r#"{"type":"string","default":"x"}"#, "\"x\""),
            (r#"{"enum":["b","c"]}"#, "\"b\""),
            (r#"{"type":"string"}"#, "\"a\""),
            (r#"{"type":"string","minLength":3}"#, "\"aaa\""),
            (r#"{"type":"integer"}"#, "1"),
            (r#"{"type":"integer","minimum":5}"#, "5"),
            (r#"{"type":"number","exclusiveMinimum":5}"#, "6"),
            (r#"{"type":"integer","maximum":-3}"#, "-3"),
            (r#"{"type":"boolean"}"#, "false"),
            (r#"{"type":"array"}"#, "[]"),
            (
                r#"{"type":"object","properties":{"b":{"type":"null"}},"required":["b"]}"#,
                "{\"b\":null}",
            ),
        ] {
            assert_eq!(property(schema), Some(format!("{{\"a\":{value}}}")), "{schema}");
        }
    }

    #[test]
    fn nothing_is_guessed() {
        for schema in [
            "{}",
            r#"{"type":"string","pattern":"^x"}"#,
            r#"{"type":"string","format":"uri"}"#,
            r#"{"type":"string","minLength":9,"maxLength":3}"#,
            r#"{"type":"integer","minimum":5,"maximum":4}"#,
            r#"{"type":"array","minItems":1}"#,
            r#"{"type":["string","null"]}"#,
            r#"{"type":"object","anyOf":[]}"#,
        ] {
            assert_eq!(property(schema), None, "{schema}");
        }
        assert_eq!(made(r#"{"required":["a"]}"#), None);
        assert_eq!(made("true"), None);
    }

    fn tool(name: &str, effect: Effect, schema: &str) -> Tool {
        Tool { name: name.as_bytes().into(), effect, schema: schema.into() }
    }

    #[test]
    fn only_what_says_that_it_reads_is_called_and_nothing_twice() {
        let tools = [
            tool("a", Effect::Reads, "{}"),
            tool("b", Effect::Unknown, "{}"),
            tool("c", Effect::Reads, r#"{"required":["x"]}"#),
            tool("d", Effect::Reads, "{}"),
        ];
        let named = [ToolCall::new("d", "{}").unwrap()];
        assert_eq!(safe_calls(&tools, &named), [ToolCall::new("a", "{}").unwrap()]);
    }

    #[test]
    fn every_text_of_a_call_is_made_long() {
        let call = ToolCall::new("t", r#"{"a":"x","n":1,"b":""}"#).unwrap();
        let long = lengthened(&call, 5).unwrap();
        assert_eq!(long.arguments(), r#"{"a":"aé日😀a","b":"aé日😀a","n":1}"#);
        assert_eq!(lengthened(&ToolCall::new("t", r#"{"n":1}"#).unwrap(), 5), None);
    }
}
