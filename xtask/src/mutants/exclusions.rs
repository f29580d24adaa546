//! Mutants that are left out: few, each for a reason, and none of them gone.

use std::fs;
use std::path::Path;

use super::{directory, mutants};
use crate::Complaints;
use crate::command::{Failure, succeed};
use crate::tool::Tool;

const CONFIG: &str = ".cargo/mutants.toml";

/// Of a hundred mutants, at most so many may be left out.
const MOST_IN_A_HUNDRED: usize = 3;

/// One entry of `exclude_re`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry<'a> {
    line: &'a str,
    reason: bool,
}

/// Complaints about what is left out; says how many there are.
pub(super) fn check(tool: &Tool, root: &Path) -> Result<Complaints, Failure> {
    let path = root.join(CONFIG);
    let text = fs::read_to_string(&path)
        .map_err(|source| Failure::Start { program: path.display().to_string(), source })?;
    let entries = entries(&text);
    let all = count(tool, root, &without(&text, |_| false))?;
    let left = count(tool, root, &text)?;
    println!("mutants: {all}, of which {} are left out by {} entries", all - left, entries.len());
    let mut complaints = Complaints::new();
    for entry in &entries {
        if !entry.reason {
            complaints.push(format!("{CONFIG}: no reason stands over {}", entry.line));
        }
        let alone = without(&text, |line| line == entry.line);
        if count(tool, root, &alone)? == all {
            complaints.push(format!("{CONFIG}: {} leaves out nothing; drop it", entry.line));
        }
    }
    if (all - left) * 100 > all * MOST_IN_A_HUNDRED {
        complaints.push(format!("{CONFIG}: more than {MOST_IN_A_HUNDRED} % are left out"));
    }
    Ok(complaints)
}

/// How many mutants there are by a configuration.
fn count(tool: &Tool, root: &Path, config: &str) -> Result<usize, Failure> {
    let path = directory().join("mutants.toml");
    crate::workspace::write(&path, config.as_bytes())
        .map_err(|source| Failure::Start { program: path.display().to_string(), source })?;
    let mut list = mutants(tool, root, &directory().join("list"));
    let output = succeed(list.args(["--workspace", "--list", "--config"]).arg(&path))?;
    Ok(output.stdout.iter().filter(|byte| **byte == b'\n').count())
}

/// The lines between `exclude_re = [` and `]`.
fn block(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim);
    lines.skip_while(|line| !line.starts_with("exclude_re")).skip(1).take_while(|line| *line != "]")
}

fn is_entry(line: &str) -> bool {
    line.starts_with('\'') || line.starts_with('"')
}

/// The entries, each with whether a comment stands over it or over the entries before it.
fn entries(text: &str) -> Vec<Entry<'_>> {
    let mut reason = false;
    let mut entries = Vec::new();
    for line in block(text) {
        match line {
            "" => reason = false,
            _ if line.starts_with('#') => reason = true,
            _ if is_entry(line) => entries.push(Entry { line, reason }),
            _ => {}
        }
    }
    entries
}

/// The configuration with only some of its entries.
fn without(text: &str, keep: impl Fn(&str) -> bool) -> String {
    let dropped: Vec<&str> = block(text).filter(|line| is_entry(line) && !keep(line)).collect();
    text.lines()
        .filter(|line| !dropped.contains(&line.trim()))
        .map(|line| format!("{line}\n"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Entry, entries, without};

    const TEXT: &str =
        "profile = 'mutants'\n\nexclude_re = [\n  # The same.\n  'a',\n  'b',\n\n  'c',\n]\n";

    #[test]
    fn an_entry_without_a_reason_is_seen() {
        let entry = |line, reason| Entry { line, reason };
        assert_eq!(entries(TEXT), [entry("'a',", true), entry("'b',", true), entry("'c',", false)]);
        assert!(entries("profile = 'mutants'\n").is_empty());
    }

    #[test]
    fn entries_can_be_dropped() {
        assert!(entries(&without(TEXT, |_| false)).is_empty());
        assert_eq!(entries(&without(TEXT, |line| line == "'b',")).len(), 1);
        assert!(without(TEXT, |_| false).starts_with("profile = 'mutants'\n"));
    }
}
