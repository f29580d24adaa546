//! Files of `NAME=value` lines, as VS Code and Cursor read them: nothing in a value is expanded.

use crate::error::{Place, Problem};
use crate::tree::{Fault, Text};

/// Reads the variables of an env file, in order.
pub(crate) fn parse(text: &str) -> Result<Vec<(Text, String)>, Fault> {
    let mut variables = Vec::new();
    for (index, line) in text.strip_prefix('\u{feff}').unwrap_or(text).lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let indent = line.chars().take_while(|character| character.is_whitespace()).count();
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let place = Place { line: count(index + 1), column: count(indent + 1) };
        let body = trimmed.strip_prefix("export ").map_or(trimmed, str::trim_start);
        let Some((name, value)) = body.split_once('=').filter(|(name, _)| !name.trim().is_empty())
        else {
            // The line may be a secret that lost its name, so it is not repeated.
            return Err((place, Problem::Syntax("not NAME=value".to_owned())));
        };
        let name = Text { value: name.trim_end().to_owned(), place };
        variables.push((name, unquoted(value.trim())));
    }
    Ok(variables)
}

fn unquoted(value: &str) -> String {
    let within = |quote: char| {
        let inner = value.strip_prefix(quote)?;
        inner.find(quote).map(|end| &inner[..end])
    };
    if let Some(inner) = within('"') {
        inner.replace("\\n", "\n")
    } else if let Some(inner) = within('\'') {
        inner.to_owned()
    } else {
        value.split(" #").next().unwrap_or_default().trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_read_as_written() {
        let text = "# comment\n\nA=1\n  export B = two words # not this\nC=\"x\\ny # z\" # c\nD='$A'\nE=\nF=a=b#c\n";
        let variables = parse(text).unwrap();
        let found: Vec<(&str, &str)> =
            variables.iter().map(|(name, value)| (name.value.as_str(), value.as_str())).collect();
        let wanted = [
            ("A", "1"),
            ("B", "two words"),
            ("C", "x\ny # z"),
            ("D", "$A"),
            ("E", ""),
            ("F", "a=b#c"),
        ];
        assert_eq!(found, wanted);
        assert_eq!(variables[1].0.place, Place { line: 4, column: 3 });
    }

    #[test]
    fn a_line_that_sets_nothing_is_named_and_not_repeated() {
        let (place, problem) = parse("A=1\nnot-a-variable\n").unwrap_err();
        assert_eq!(place, Place { line: 2, column: 1 });
        assert!(!problem.to_string().contains("not-a-variable"));
    }
}
