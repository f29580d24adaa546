//! Which package may use which: the table of the architecture, enforced.

use std::collections::BTreeSet;
use std::path::Path;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

/// Normal dependencies allowed, own packages first. `*` is anything.
const TABLE: &[(&str, &[&str])] = &[
    ("mcp-stdio-probe-model", &[]),
    ("mcp-stdio-probe-inspect", &["mcp-stdio-probe-model", "memchr", "simdutf8"]),
    (
        "mcp-stdio-probe-schema",
        &["mcp-stdio-probe-model", "mcp-stdio-probe-inspect", "jsonschema", "serde", "serde_json"],
    ),
    ("mcp-stdio-probe-mutate", &["mcp-stdio-probe-model", "mcp-stdio-probe-inspect"]),
    ("mcp-stdio-probe-tolerant", &["mcp-stdio-probe-model", "mcp-stdio-probe-inspect"]),
    (
        "mcp-stdio-probe-corpus",
        &[
            "mcp-stdio-probe-model",
            "mcp-stdio-probe-inspect",
            "mcp-stdio-probe-schema",
            "schemars",
            "serde",
            "serde_json",
        ],
    ),
    (
        "mcp-stdio-probe-drive",
        &[
            "mcp-stdio-probe-model",
            "mcp-stdio-probe-inspect",
            "nix",
            "rustix",
            "serde",
            "serde_json",
            "signal-hook",
            "tokio",
        ],
    ),
    (
        "mcp-stdio-probe-report",
        &[
            "mcp-stdio-probe-model",
            "aho-corasick",
            "annotate-snippets",
            "maud",
            "quick-junit",
            "schemars",
            "serde",
            "serde_json",
            "sha2",
            "shlex",
            "unicode-width",
        ],
    ),
    ("mcp-stdio-probe-config", &["jsonc-parser", "toml", "zip"]),
    (
        "mcp-stdio-probe-packages",
        &["rustix", "serde", "serde_json", "sha2", "tempfile", "tokio", "toml"],
    ),
    ("mcp-stdio-probe", &["*"]),
    ("fixture-servers", &[]),
    ("snapshots", &["mcp-stdio-probe-corpus"]),
    ("xtask", &["*"]),
];

/// What the detector must not touch: it is pure.
const FORBIDDEN_IN_INSPECT: &[&str] = &[
    "std::fs",
    "std::process",
    "std::time::Instant",
    "std::time::SystemTime",
    "std::env",
    "std::net",
    "std::thread",
];

fn metadata() -> Metadata {
    MetadataCommand::new().no_deps().exec().expect("cargo metadata runs in this workspace")
}

#[test]
fn every_package_uses_only_what_the_table_allows() {
    let metadata = metadata();
    let mut complaints = Vec::new();
    let packages: BTreeSet<&str> =
        metadata.packages.iter().map(|package| package.name.as_str()).collect();
    let rows: BTreeSet<&str> = TABLE.iter().map(|(name, _)| *name).collect();
    assert!(!rows.is_empty());
    assert_eq!(packages, rows, "the table has a row for each package of the workspace");
    for package in &metadata.packages {
        let Some((_, allowed)) = TABLE.iter().find(|(name, _)| *name == package.name.as_str())
        else {
            continue;
        };
        for dependency in &package.dependencies {
            let normal = dependency.kind == DependencyKind::Normal;
            let listed = allowed.contains(&"*") || allowed.contains(&dependency.name.as_str());
            if normal && !listed {
                complaints.push(format!("{} must not use {}", package.name, dependency.name));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn nothing_ships_that_is_wrong_on_purpose() {
    let probe = metadata();
    let probe = probe.packages.iter().find(|package| package.name.as_str() == "mcp-stdio-probe");
    let probe = probe.expect("the command is a package");
    assert!(probe.dependencies.iter().all(|dependency| !dependency.name.contains("tolerant")));
}

#[test]
fn the_detector_is_pure() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/inspect/src");
    let mut complaints = Vec::new();
    let mut files = 0;
    let mut paths = vec![source];
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(path).expect("the detector has sources");
            paths.extend(entries.map(|entry| entry.expect("the directory can be read").path()));
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source file is text");
        files += 1;
        for forbidden in FORBIDDEN_IN_INSPECT {
            if text.contains(forbidden) {
                complaints.push(format!("{} names {forbidden}", path.display()));
            }
        }
    }
    assert!(files > 0);
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
