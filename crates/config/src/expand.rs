//! The one engine that expands references, whatever their dialect.
//!
//! It goes through a text once: what a reference leads to is never looked at again, so a value
//! that looks like a reference stays as it is.

use crate::dialect::{Dialect, Meaning, Opening, Unset};

/// What a reference leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// This text.
    Known(String),
    /// Nothing, and why; what to do about it.
    Unknown(String),
}

/// A text whose references are expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expanded {
    /// The text, as the client would have it.
    pub text: String,
    /// The references that lead nowhere, as they are written, and why.
    pub unresolved: Vec<(String, String)>,
}

/// Expands the references of `text`. `resolve` is asked for what each leads to; the default of
/// [`Meaning::EnvironmentOrDefault`] is taken when it does not know.
pub fn expand(
    dialect: &Dialect,
    text: &str,
    mut resolve: impl FnMut(Meaning, &str) -> Value,
) -> Expanded {
    let mut expanded = Expanded { text: String::with_capacity(text.len()), unresolved: Vec::new() };
    let mut rest = text;
    while let Some((before, whole, inner, after)) = next(dialect, rest) {
        expanded.text.push_str(before);
        rest = after;
        let Some((meaning, argument)) = dialect.meaning(inner) else {
            expanded.text.push_str(whole);
            // `{…}` is how JSON and templates are written, so one that no pattern fits is plain
            // text; `${…}` is always meant as a reference.
            if whole.starts_with('$') {
                let why = "the client knows no such reference and leaves it as it is";
                expanded.unresolved.push((whole.to_owned(), why.to_owned()));
            }
            continue;
        };
        let (name, default) = match (meaning, argument.split_once(":-")) {
            (Meaning::EnvironmentOrDefault, Some((name, default))) => (name, Some(default)),
            _ => (argument, None),
        };
        match (resolve(meaning, name), default) {
            (Value::Known(value), _) => expanded.text.push_str(&value),
            (Value::Unknown(_), Some(default)) => expanded.text.push_str(default),
            (Value::Unknown(why), None) => {
                if leaves_literal(dialect, meaning) {
                    expanded.text.push_str(whole);
                }
                expanded.unresolved.push((whole.to_owned(), why));
            }
        }
    }
    expanded.text.push_str(rest);
    expanded
}

/// Only a variable that is not set is ever replaced by nothing: whatever else cannot be resolved
/// stops a client or stays.
fn leaves_literal(dialect: &Dialect, meaning: Meaning) -> bool {
    meaning != Meaning::Environment || dialect.unset == Unset::Literal
}

/// The next reference: what stands before it, the whole of it, what stands in it, and the rest.
fn next<'a>(dialect: &Dialect, text: &'a str) -> Option<(&'a str, &'a str, &'a str, &'a str)> {
    text.char_indices().find_map(|(start, character)| {
        if !matches!(character, '$' | '{') {
            return None;
        }
        let here = &text[start..];
        dialect.openings.iter().find_map(|opening| {
            let (whole, inner) = match opening {
                Opening::DollarBrace => delimited(here, "${")?,
                Opening::Brace => delimited(here, "{")?,
                Opening::DollarName => {
                    let name = here.strip_prefix('$')?;
                    let is_part = |part: char| part.is_ascii_alphanumeric() || part == '_';
                    let end = name.find(|part| !is_part(part)).unwrap_or(name.len());
                    (end > 0).then(|| (&here[..=end], &name[..end]))?
                }
            };
            Some((&text[..start], whole, inner, &text[start + whole.len()..]))
        })
    })
}

fn delimited<'a>(text: &'a str, opening: &str) -> Option<(&'a str, &'a str)> {
    let inner = text.strip_prefix(opening)?;
    let end = inner.find('}').filter(|end| *end > 0)?;
    Some((&text[..opening.len() + end + 1], &inner[..end]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    const DIALECTS: [Dialect; 9] = [
        Dialect::NONE,
        Dialect::CLAUDE_CODE,
        Dialect::VS_CODE,
        Dialect::CURSOR,
        Dialect::WINDSURF,
        Dialect::OPENCODE,
        Dialect::GEMINI,
        Dialect::MCPB,
        Dialect::REGISTRY,
    ];

    /// A is set to `a`, REF to something that looks like a reference, everything else is not.
    fn resolve(_: Meaning, name: &str) -> Value {
        match name {
            "A" => Value::Known("a".to_owned()),
            "REF" => Value::Known("${A}{A}$A".to_owned()),
            _ => Value::Unknown("not set".to_owned()),
        }
    }

    #[rstest]
    #[case::none(Dialect::NONE, "${A} $A {A}", "${A} $A {A}", &[])]
    #[case::plain(Dialect::CLAUDE_CODE, "x${A}y", "xay", &[])]
    #[case::bare_dollar(Dialect::CLAUDE_CODE, "$A", "$A", &[])]
    #[case::default_unused(Dialect::CLAUDE_CODE, "${A:-d}", "a", &[])]
    #[case::default_used(Dialect::CLAUDE_CODE, "${B:-d e}", "d e", &[])]
    #[case::default_empty(Dialect::CLAUDE_CODE, "[${B:-}]", "[]", &[])]
    #[case::unset_stays(Dialect::CLAUDE_CODE, "${B}", "${B}", &["${B}"])]
    #[case::nested_is_not_nested(Dialect::CLAUDE_CODE, "${B:-${A}}", "${A}", &[])]
    #[case::unclosed(Dialect::CLAUDE_CODE, "${A", "${A", &[])]
    #[case::nothing_in_it(Dialect::CLAUDE_CODE, "${}", "${}", &[])]
    #[case::no_second_pass(Dialect::CLAUDE_CODE, "${REF}", "${A}{A}$A", &[])]
    #[case::prefixed(Dialect::VS_CODE, "${env:A}", "a", &[])]
    #[case::unset_is_empty(Dialect::VS_CODE, "[${env:B}]", "[]", &["${env:B}"])]
    #[case::no_such_reference(Dialect::VS_CODE, "${A}", "${A}", &["${A}"])]
    #[case::input_stays(Dialect::VS_CODE, "${input:k}", "${input:k}", &["${input:k}"])]
    #[case::no_inputs(Dialect::CURSOR, "${input:k}", "${input:k}", &["${input:k}"])]
    #[case::cursor_unset(Dialect::CURSOR, "${env:B}", "${env:B}", &["${env:B}"])]
    #[case::braces(Dialect::OPENCODE, "{env:A}", "a", &[])]
    #[case::braces_unset(Dialect::OPENCODE, "[{env:B}]", "[]", &["{env:B}"])]
    #[case::braces_of_json(Dialect::OPENCODE, "{\"a\": 1}", "{\"a\": 1}", &[])]
    #[case::both_forms(Dialect::GEMINI, "$A ${A} $AB", "a a $AB", &["$AB"])]
    #[case::price(Dialect::GEMINI, "$ 5, a$", "$ 5, a$", &[])]
    #[case::bundle_literal(Dialect::MCPB, "${user_config.x}", "${user_config.x}", &["${user_config.x}"])]
    #[case::registry(Dialect::REGISTRY, "{A}-{b}", "a-{b}", &["{b}"])]
    fn references_expand_as_the_client_expands_them(
        #[case] dialect: Dialect,
        #[case] text: &str,
        #[case] expanded: &str,
        #[case] unresolved: &[&str],
    ) {
        let found = expand(&dialect, text, resolve);
        assert_eq!(found.text, expanded);
        let names: Vec<&str> = found.unresolved.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, unresolved);
    }

    proptest! {
        #[test]
        fn a_text_without_marks_stays_as_it_is(text in "[^${]*") {
            for dialect in DIALECTS {
                prop_assert_eq!(&expand(&dialect, &text, resolve).text, &text);
            }
        }

        #[test]
        fn nothing_panics_and_literals_are_kept(text in r"([${}:A-C_.\-]|env:|é|user_config\.)*") {
            for dialect in DIALECTS {
                let identity = |_: Meaning, _: &str| Value::Unknown(String::new());
                let literal = Dialect { unset: Unset::Literal, ..dialect };
                let found = expand(&literal, &text, identity);
                if !text.contains(":-") {
                    prop_assert_eq!(&found.text, &text);
                }
            }
        }
    }
}
