//! Why a value does not conform, in few words that hold nothing of the value itself.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

/// The reason. Names and constants in it are the schema's; of the value only its type is told.
pub(crate) fn of(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Required { property } => format!("{} is missing", name(property)),
        ValidationErrorKind::Type { kind } => {
            format!("is {}, not {}", type_of(error.instance()), allowed(kind))
        }
        ValidationErrorKind::Constant { expected_value } => format!("is not {expected_value}"),
        ValidationErrorKind::Enum { options } => match options.as_array().map(Vec::as_slice) {
            Some([only]) => format!("is not {only}"),
            Some(options) => format!("is none of {}", list(options)),
            None => "is none of the values allowed here".to_owned(),
        },
        ValidationErrorKind::Minimum { limit } => format!("is less than {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("is more than {limit}"),
        ValidationErrorKind::MaxItems { limit } => format!("has more than {limit} items"),
        ValidationErrorKind::AnyOf { context } => match missing_in_each(context) {
            Some(names) => format!("{} is missing", names.join(" or ")),
            None => "fits none of the forms allowed here".to_owned(),
        },
        other => format!("breaks the keyword {}", other.keyword()),
    }
}

/// The members of which each branch lacks one, if that is all there is to say.
fn missing_in_each(context: &[Vec<ValidationError<'static>>]) -> Option<Vec<String>> {
    context
        .iter()
        .map(|branch| match branch.as_slice() {
            [error] => match error.kind() {
                ValidationErrorKind::Required { property } => Some(name(property)),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

fn name(property: &Value) -> String {
    match property {
        Value::String(name) => format!("`{name}`"),
        other => format!("`{other}`"),
    }
}

fn list(options: &[Value]) -> String {
    let texts: Vec<String> = options.iter().map(ToString::to_string).collect();
    texts.join(", ")
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn allowed(kind: &TypeKind) -> String {
    let article = |name: &str| match name {
        "null" => "null".to_owned(),
        "array" | "object" | "integer" => format!("an {name}"),
        name => format!("a {name}"),
    };
    match kind {
        TypeKind::Single(single) => article(&single.to_string()),
        TypeKind::Multiple(several) => {
            let names: Vec<String> =
                several.iter().map(|single| article(&single.to_string())).collect();
            names.join(" or ")
        }
    }
}
