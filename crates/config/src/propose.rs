//! What could be probed in an author's own repository: proposals, never a guess that is acted on.

use std::fmt;
use std::fs;
use std::path::Path;

use crate::tree::{Comments, Node, Value, parse_json, parse_toml};

/// A way to probe what a repository holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The options and the command after `run`.
    pub words: Vec<String>,
    /// The file that suggests it.
    pub from: &'static str,
}

impl fmt::Display for Proposal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.words.join(" "), self.from)
    }
}

/// What the manifests of a directory suggest, the published form first. A manifest that cannot be
/// read suggests nothing.
#[must_use]
pub fn propose(directory: &Path) -> Vec<Proposal> {
    let text = |name: &str| fs::read_to_string(directory.join(name)).ok();
    let mut proposals = Vec::new();
    if let Some(tree) =
        text("package.json").and_then(|text| parse_json(&text, Comments::Refused).ok())
    {
        proposals.extend(node(&tree));
    }
    if let Some(tree) = text("pyproject.toml").and_then(|text| parse_toml(&text).ok()) {
        proposals.extend(python(&tree));
    }
    if let Some(tree) = text("Cargo.toml").and_then(|text| parse_toml(&text).ok()) {
        proposals.extend(rust(&tree, directory));
    }
    proposals
}

fn proposal(from: &'static str, words: &[&str]) -> Proposal {
    Proposal { words: words.iter().map(|word| (*word).to_owned()).collect(), from }
}

fn text<'a>(node: &'a Node, name: &str) -> Option<&'a str> {
    match &node.get(name)?.value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

fn node(tree: &Node) -> Vec<Proposal> {
    const FROM: &str = "package.json";
    let bins: Vec<(&str, &str)> = match tree.get("bin").map(|bin| &bin.value) {
        Some(Value::Text(path)) => {
            let name = text(tree, "name").unwrap_or_default();
            vec![(name.rsplit('/').next().unwrap_or(name), path)]
        }
        Some(Value::Object(members)) => members
            .iter()
            .filter_map(|member| match &member.node.value {
                Value::Text(path) => Some((member.name.as_str(), path.as_str())),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    let published = bins.iter().map(|(name, _)| match bins.len() {
        1 => proposal(FROM, &["--package", "."]),
        _ => proposal(FROM, &["--package", ".", "--bin", name]),
    });
    published.chain(bins.iter().map(|(_, path)| proposal(FROM, &["--", "node", path]))).collect()
}

fn python(tree: &Node) -> Vec<Proposal> {
    const FROM: &str = "pyproject.toml";
    let scripts = tree.get("project").and_then(|project| project.get("scripts"));
    let names: Vec<&str> = match scripts.map(|scripts| &scripts.value) {
        Some(Value::Object(members)) => members.iter().map(|member| member.name.as_str()).collect(),
        _ => Vec::new(),
    };
    let published = names.iter().map(|name| match names.len() {
        1 => proposal(FROM, &["--package", "."]),
        _ => proposal(FROM, &["--package", ".", "--bin", name]),
    });
    published.chain(names.iter().map(|name| proposal(FROM, &["--", "uv", "run", name]))).collect()
}

fn rust(tree: &Node, directory: &Path) -> Vec<Proposal> {
    const FROM: &str = "Cargo.toml";
    let Some(package) = tree.get("package").and_then(|package| text(package, "name")) else {
        return Vec::new();
    };
    let mut names: Vec<&str> = match tree.get("bin").map(|bin| &bin.value) {
        Some(Value::Array(bins)) => bins.iter().filter_map(|bin| text(bin, "name")).collect(),
        _ => Vec::new(),
    };
    if directory.join("src/main.rs").is_file() && !names.contains(&package) && names.is_empty() {
        names.push(package);
    }
    let published = names.iter().map(|name| match names.len() {
        1 => proposal(FROM, &["--package", "."]),
        _ => proposal(FROM, &["--package", ".", "--bin", name]),
    });
    let run = |name: &&str| proposal(FROM, &["--", "cargo", "run", "--quiet", "--bin", name]);
    published.chain(names.iter().map(run)).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::one_command(
        "package.json",
        r#"{"name": "@s/a", "bin": "dist/a.js"}"#,
        &["--package . (package.json)", "-- node dist/a.js (package.json)"]
    )]
    #[case::two_commands(
        "package.json",
        r#"{"name": "a", "bin": {"a": "a.js", "b": "b.js"}}"#,
        &[
            "--package . --bin a (package.json)",
            "--package . --bin b (package.json)",
            "-- node a.js (package.json)",
            "-- node b.js (package.json)",
        ]
    )]
    #[case::no_command("package.json", r#"{"name": "a", "main": "a.js"}"#, &[])]
    #[case::broken("package.json", "{", &[])]
    #[case::python(
        "pyproject.toml",
        "[project]\nname = \"a\"\n[project.scripts]\na = \"a:main\"\n",
        &["--package . (pyproject.toml)", "-- uv run a (pyproject.toml)"]
    )]
    #[case::rust(
        "Cargo.toml",
        "[package]\nname = \"a\"\n[[bin]]\nname = \"b\"\npath = \"b.rs\"\n",
        &["--package . (Cargo.toml)", "-- cargo run --quiet --bin b (Cargo.toml)"]
    )]
    #[case::workspace("Cargo.toml", "[workspace]\nmembers = []\n", &[])]
    fn a_manifest_suggests_its_commands(
        #[case] file: &str,
        #[case] content: &str,
        #[case] proposals: &[&str],
    ) {
        let directory = tempfile::TempDir::new().unwrap();
        fs::write(directory.path().join(file), content).unwrap();
        let found: Vec<String> =
            propose(directory.path()).iter().map(ToString::to_string).collect();
        assert_eq!(found, proposals);
    }
}
