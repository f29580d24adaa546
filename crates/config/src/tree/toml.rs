//! TOML.

use toml::de::{DeTable, DeValue};

use super::{Fault, Member, Node, Value};
use crate::error::{Place, Problem};

/// Reads a TOML document.
pub(crate) fn parse(text: &str) -> Result<Node, Fault> {
    let table = DeTable::parse(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        // What the parser says may go over several lines; the first says what is wrong.
        let message = error.message().lines().next().unwrap_or("not TOML").to_owned();
        (Place::of(text, start), Problem::Syntax(message))
    })?;
    Ok(Node { value: object(text, table.into_inner()), place: Place::of(text, 0) })
}

/// The parser sorts the members by name; they are put back into the order of the file.
fn object(text: &str, table: DeTable<'_>) -> Value {
    let mut members: Vec<(usize, Member)> = table
        .into_iter()
        .map(|(name, value)| {
            let start = name.span().start;
            let place = Place::of(text, start);
            let name = name.into_inner().into_owned();
            let value_place = Place::of(text, value.span().start);
            let node = Node { value: convert(text, value.into_inner()), place: value_place };
            (start, Member { name, place, node })
        })
        .collect();
    members.sort_by_key(|(start, _)| *start);
    Value::Object(members.into_iter().map(|(_, member)| member).collect())
}

fn convert(text: &str, value: DeValue<'_>) -> Value {
    match value {
        DeValue::String(value) => Value::Text(value.into_owned()),
        DeValue::Integer(value) => Value::Number(value.to_string()),
        DeValue::Float(value) => Value::Number(value.to_string()),
        DeValue::Boolean(value) => Value::Bool(value),
        DeValue::Datetime(value) => Value::Text(value.to_string()),
        DeValue::Array(items) => Value::Array(
            items
                .into_iter()
                .map(|item| Node {
                    place: Place::of(text, item.span().start),
                    value: convert(text, item.into_inner()),
                })
                .collect(),
        ),
        DeValue::Table(table) => object(text, table),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_stand_in_the_order_of_the_file_and_know_their_place() {
        let tree = parse("[b]\nx = 1\n[a]\ny = ['u', \"v\"]\n").unwrap();
        let names: Vec<&str> =
            tree.members("root").unwrap().iter().map(|member| member.name.as_str()).collect();
        assert_eq!(names, ["b", "a"]);
        let list = tree.get("a").unwrap().get("y").unwrap();
        assert_eq!(list.place, Place { line: 4, column: 5 });
        assert_eq!(list.texts("y").unwrap()[1].place, Place { line: 4, column: 11 });
    }

    #[test]
    fn broken_text_is_named_by_place() {
        let (place, problem) = parse("[a]\nx = \n").unwrap_err();
        assert_eq!(place.line, 2);
        assert!(matches!(problem, Problem::Syntax(_)));
    }

    #[test]
    fn a_key_that_stands_twice_is_refused() {
        let (place, problem) = parse("a = 1\na = 2\n").unwrap_err();
        assert_eq!(place.line, 2);
        assert!(matches!(problem, Problem::Syntax(_)));
    }
}
