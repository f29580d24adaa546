//! JSON, with or without comments and trailing commas.

use jsonc_parser::ast::Value as Parsed;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::{Fault, Member, Node, Value};
use crate::error::{Place, Problem};

/// Whether a client's parser takes comments and trailing commas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comments {
    Allowed,
    Refused,
}

/// Reads one JSON value. A byte order mark is passed over, as every client does.
pub(crate) fn parse(text: &str, comments: Comments) -> Result<Node, Fault> {
    let lenient = comments == Comments::Allowed;
    let options = ParseOptions {
        allow_comments: lenient,
        allow_trailing_commas: lenient,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parsed = parse_to_ast(body, &CollectOptions::default(), &options).map_err(|error| {
        let problem = Problem::Syntax(lowercase(&error.kind().to_string()));
        (Place::of(body, error.range().start), problem)
    })?;
    match parsed.value {
        Some(value) => node(body, value),
        None => Err((Place::of(body, 0), Problem::Syntax("there is no JSON value".to_owned()))),
    }
}

fn lowercase(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => String::new(),
    }
}

fn node(text: &str, parsed: Parsed<'_>) -> Result<Node, Fault> {
    let place = Place::of(text, parsed.range().start);
    let value = match parsed {
        Parsed::NullKeyword(_) => Value::Null,
        Parsed::BooleanLit(literal) => Value::Bool(literal.value),
        Parsed::NumberLit(literal) => Value::Number(literal.value.to_owned()),
        Parsed::StringLit(literal) => Value::Text(literal.value.into_owned()),
        Parsed::Array(array) => Value::Array(
            array.elements.into_iter().map(|item| node(text, item)).collect::<Result<_, _>>()?,
        ),
        Parsed::Object(object) => {
            let mut members: Vec<Member> = Vec::with_capacity(object.properties.len());
            for property in object.properties {
                let place = Place::of(text, property.range.start);
                let name = property.name.into_string();
                if members.iter().any(|member| member.name == name) {
                    return Err((place, Problem::DuplicateMember(name)));
                }
                members.push(Member { name, place, node: node(text, property.value)? });
            }
            Value::Object(members)
        }
    };
    Ok(Node { value, place })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn values_know_their_place() {
        let tree = parse("{\n  \"a\": [1, \"x\"]\n}", Comments::Refused).unwrap();
        let array = tree.get("a").unwrap();
        assert_eq!(array.place, Place { line: 2, column: 8 });
        assert_eq!(array.items("a").unwrap()[1].place, Place { line: 2, column: 12 });
    }

    #[rstest]
    #[case::comment("{ // x\n}")]
    #[case::trailing_comma("{\"a\": 1,}")]
    fn comments_and_trailing_commas_are_for_clients_that_take_them(#[case] text: &str) {
        assert!(parse(text, Comments::Allowed).is_ok());
        assert!(matches!(parse(text, Comments::Refused), Err((_, Problem::Syntax(_)))));
    }

    #[rstest]
    #[case::nothing("", 1, 1)]
    #[case::unclosed("{\"a\": {", 1, 7)]
    #[case::two_values("{}\n{}", 2, 1)]
    #[case::single_quotes("{\n 'a': 1}", 2, 2)]
    #[case::no_comma("{\"a\": 1\n\"b\": 2}", 1, 8)]
    fn broken_text_is_named_by_place(#[case] text: &str, #[case] line: u32, #[case] column: u32) {
        let (place, problem) = parse(text, Comments::Allowed).unwrap_err();
        assert!(matches!(problem, Problem::Syntax(_)), "{problem}");
        assert_eq!(place, Place { line, column }, "{problem}");
    }

    #[test]
    fn a_member_that_stands_twice_is_refused() {
        let (place, problem) = parse("{\"a\": 1,\n \"a\": 2}", Comments::Allowed).unwrap_err();
        assert_eq!(place, Place { line: 2, column: 2 });
        assert_eq!(problem, Problem::DuplicateMember("a".to_owned()));
    }

    #[test]
    fn a_byte_order_mark_is_passed_over() {
        assert_eq!(parse("\u{feff}{}", Comments::Refused).unwrap().value, Value::Object(vec![]));
    }
}
