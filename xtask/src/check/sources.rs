//! Complaints about source files.

use std::path::{Path, PathBuf};

use super::{Code, Complaint};
use crate::Workspace;
use crate::workspace::{name, sorted};

const MAX_FIXTURE_LINES: usize = 40;
const SOURCES: &[&str] = &["crates", "corpus", "fixture-servers", "snapshots", "xtask"];

/// What no source file may hold. Put together here, so that this file does not hold it.
const FORBIDDEN: &[(&str, &str, &str)] = &[
    ("#[ig", "nore", "a test that does not run reads as green"),
    ("#[should_", "panic", "assert the error instead"),
    ("db", "g!(", "remove it"),
    ("to", "do!(", "build it"),
];

/// Tests that may sleep, and why no event can be awaited there.
const SLEEPERS: &[(&str, &str)] = &[(
    "crates/drive/tests/process/guard.rs",
    "killed descendants are reaped by others, which tells nobody",
)];

pub(super) fn check(workspace: &Workspace, complaints: &mut Vec<Complaint>) {
    let mut files = Vec::new();
    for directory in SOURCES {
        rust_files(&workspace.path(directory), &mut files);
    }
    if files.is_empty() {
        complaints.push(Complaint::new(
            Code::T3,
            SOURCES.join(", "),
            "not one source file was found",
            "run this in the workspace",
        ));
    }
    for path in &files {
        let shown = workspace.shown(path);
        let mut complain = |text: String, mend: &str| {
            complaints.push(Complaint::new(Code::T2, &shown, text, mend));
        };
        match std::fs::read_to_string(path) {
            Ok(text) => source(&shown, &text, &mut complain),
            Err(error) => complain(format!("cannot be read: {error}"), "write it in UTF-8"),
        }
        if is_forgotten(path, &files) {
            complain(
                "no file of `tests/` declares it, so it never runs".to_owned(),
                "declare it as a module",
            );
        }
    }
}

fn source(shown: &str, text: &str, complain: &mut impl FnMut(String, &str)) {
    if !text.starts_with("//!") {
        complain("no `//!` says what it owns".to_owned(), "write it");
    }
    if shown.starts_with("fixture-servers/src/bin/") {
        let lines = text.lines().count();
        if lines > MAX_FIXTURE_LINES {
            complain(format!("{lines} lines"), "a fixture has at most 40: one mistake, no more");
        }
        if text.contains("TODO") {
            complain("its mistake is not written yet".to_owned(), "write it");
        }
    }
    for (first, second, mend) in FORBIDDEN {
        let forbidden = format!("{first}{second}");
        if text.contains(&forbidden) {
            complain(format!("holds `{forbidden}`"), mend);
        }
    }
    let is_test = Path::new(shown).components().any(|part| part.as_os_str() == "tests");
    let sleeps = is_test && text.contains(concat!("sleep", "("));
    match (sleeps, SLEEPERS.iter().any(|(file, _)| *file == shown)) {
        (true, false) => complain("a test sleeps".to_owned(), "wait for an event"),
        (false, true) => complain(
            "it is excused for sleeping, and does not".to_owned(),
            "drop it from the list in xtask/src/check/sources.rs",
        ),
        _ => {}
    }
}

/// Whether a file lies in a directory below `tests/` that no file there declares: cargo builds
/// only what lies directly in it, or in a directory with a `main.rs`.
fn is_forgotten(path: &Path, files: &[PathBuf]) -> bool {
    let Some(directory) = path.parent() else { return false };
    let Some(tests) = directory.parent().filter(|tests| name(tests) == "tests") else {
        return false;
    };
    let module = name(directory);
    let declares = |file: &PathBuf| {
        file.parent() == Some(tests)
            && std::fs::read_to_string(file)
                .is_ok_and(|text| text.contains(&format!("mod {module};")))
    };
    let is_there = |file: &str| files.contains(&directory.join(file));
    let is_root = is_there("main.rs");
    let is_module = is_there("mod.rs") && files.iter().any(declares);
    !is_root && !is_module
}

fn rust_files(directory: &Path, files: &mut Vec<PathBuf>) {
    // A package that is not there has no sources.
    for path in sorted(directory).unwrap_or_default() {
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "target") {
                rust_files(&path, files);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
