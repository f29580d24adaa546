//! Complaints about source files.

use std::path::{Path, PathBuf};

use crate::Complaints;
use crate::workspace::{entries, read};

const MAX_FIXTURE_LINES: usize = 40;
const SOURCES: &[&str] = &["crates", "corpus", "fixture-servers", "snapshots", "xtask"];
/// Put together here, so that this file does not hold what it forbids.
const FORBIDDEN: &[(&str, &str, &str)] = &[
    ("#[ig", "nore", "a test that does not run reads as green"),
    ("#[should_", "panic", "assert the error instead"),
    ("db", "g!(", "remove it"),
    ("to", "do!(", "build it"),
];

pub(super) fn check(root: &Path, complaints: &mut Complaints) {
    let mut files = Vec::new();
    for directory in SOURCES {
        rust_files(&root.join(directory), &mut files, complaints);
    }
    if files.is_empty() {
        complaints.push("T3 no source file was found".to_owned());
    }
    for path in files {
        let Some(bytes) = read(&path, complaints) else { continue };
        let Ok(text) = std::str::from_utf8(&bytes) else {
            complaints.push(format!("T2 {}: not UTF-8", path.display()));
            continue;
        };
        let shown = path.strip_prefix(root).unwrap_or(&path);
        let mut complain =
            |text: String| complaints.push(format!("T2 {}: {text}", shown.display()));
        if !text.starts_with("//!") {
            complain("no `//!` says what it owns; write it".to_owned());
        }
        let lines = text.lines().count();
        if shown.starts_with("fixture-servers/src/bin") && lines > MAX_FIXTURE_LINES {
            complain(format!("{lines} lines; a fixture has at most {MAX_FIXTURE_LINES}"));
        }
        for (first, second, mend) in FORBIDDEN {
            if text.contains(&format!("{first}{second}")) {
                complain(format!("holds `{first}{second}`; {mend}"));
            }
        }
    }
}

fn rust_files(directory: &Path, files: &mut Vec<PathBuf>, complaints: &mut Complaints) {
    for path in entries(directory, complaints) {
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "target") {
                rust_files(&path, files, complaints);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
