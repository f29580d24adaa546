//! Which files are generated, and putting them where they belong.
//!
//! Only what lies in one of these places is ever written, so that no task can write an oracle,
//! the catalogue, or anything else that a person says.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{output, program};
use crate::workspace::{Workspace, write};

/// The JSON Schema of `case.json`.
pub(crate) const SCHEMA: &str = "corpus/case.schema.json";

/// The JSON Schema of the report.
pub(crate) const REPORT_SCHEMA: &str = "crates/report/report.schema.json";

/// What makes a schema.
pub(crate) type MakeSchema = fn() -> String;

/// Both schemas, and what makes them.
pub(crate) const SCHEMAS: &[(&str, MakeSchema)] =
    &[(SCHEMA, corpus::case_schema), (REPORT_SCHEMA, report::report_schema)];

/// Where the manual pages are.
pub(crate) const MANUAL: &str = "crates/probe/man";

/// Where the completions of shells are.
pub(crate) const COMPLETIONS: &str = "crates/probe/completions";

/// What each fixture server leads to.
pub(crate) const FIXTURES_TABLE: &str = "snapshots/fixtures.md";

/// Which cases show which rule.
pub(crate) const TRACEABILITY_TABLE: &str = "snapshots/traceability.md";
/// Which case kills which mutant of the detector.
pub(crate) const KILL_MATRIX: &str = "snapshots/kill-matrix.txt";

/// The tables.
pub(crate) const TABLES: &[&str] = &[FIXTURES_TABLE, TRACEABILITY_TABLE, KILL_MATRIX];

/// Where the recordings of the fixtures are.
const RECORDINGS: &str = "corpus/recordings";

/// A generated file.
#[derive(Debug)]
pub(crate) struct Generated {
    /// The path from the root of the workspace.
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

/// What became of some generated files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Differences {
    pub(crate) changed: Vec<PathBuf>,
    pub(crate) new: Vec<PathBuf>,
}

/// How the files on disk differ from what was generated.
pub(crate) fn differences(workspace: &Workspace, files: &[Generated]) -> Differences {
    let mut differences = Differences::default();
    for file in files {
        match fs::read(workspace.path(&file.path)) {
            Ok(old) if old == file.bytes => {}
            Ok(_) => differences.changed.push(file.path.clone()),
            Err(_) => differences.new.push(file.path.clone()),
        }
    }
    differences
}

/// Writes what differs.
pub(crate) fn put(workspace: &Workspace, files: &[Generated]) -> Result<(), String> {
    for file in files {
        if !is_generated(&file.path) {
            return Err(format!("{}: not a generated file", file.path.display()));
        }
        let path = workspace.path(&file.path);
        if fs::read(&path).is_ok_and(|old| old == file.bytes) {
            continue;
        }
        write(&path, &file.bytes).map_err(|error| format!("{}: {error}", file.path.display()))?;
    }
    Ok(())
}

/// Whether a path, from the root of the workspace, is one of a generated file.
fn is_generated(path: &Path) -> bool {
    let raw = path.extension().is_some_and(|extension| extension == "raw");
    let shown = path.to_str().unwrap_or_default();
    SCHEMAS.iter().any(|(path, _)| shown == *path)
        || TABLES.contains(&shown)
        || path.starts_with(MANUAL)
        || path.starts_with(COMPLETIONS)
        || raw && path.starts_with(RECORDINGS)
}

/// Generated files that git tracks and that differ from the last commit, one line each.
pub(crate) fn edited(workspace: &Workspace) -> Result<Vec<String>, String> {
    let recordings = format!(":(glob){RECORDINGS}/*/*.raw");
    let mut git = program("git");
    git.arg("-C").arg(workspace.root());
    git.args(["status", "--porcelain", "--untracked-files=no", "--"]);
    git.args([recordings.as_str(), snapshots::REPORTS, SCHEMA, REPORT_SCHEMA, MANUAL, COMPLETIONS])
        .args(TABLES);
    let output = output(&mut git).map_err(|failure| failure.to_string())?;
    if !output.status.success() {
        return Err("git cannot tell which generated files were edited".to_owned());
    }
    let text = String::from_utf8(output.stdout).map_err(|error| error.to_string())?;
    Ok(text.lines().map(|line| line.get(3..).unwrap_or(line).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Generated, is_generated, put};
    use crate::Workspace;

    #[test]
    fn what_a_person_says_is_not_generated() {
        for path in [
            "corpus/recordings/hang/stdout.raw",
            "corpus/recordings/ok-error-reply/stderr.raw",
            "corpus/case.schema.json",
            "snapshots/fixtures.md",
            "snapshots/traceability.md",
        ] {
            assert!(is_generated(Path::new(path)), "{path}");
        }
        for path in [
            "corpus/recordings/hang/case.json",
            "corpus/incidents/inc-0001-version-line-at-startup/stdout.raw",
            "corpus/incidents/inc-0001-version-line-at-startup/case.json",
            "crates/model/src/catalogue/json.rs",
            "snapshots/src/lib.rs",
        ] {
            assert!(!is_generated(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn nothing_else_is_ever_written() {
        let directory = tempfile::tempdir().unwrap();
        let path = Path::new("corpus/recordings/hang/case.json").to_owned();
        let file = Generated { path: path.clone(), bytes: Vec::new() };
        let refused = put(&Workspace::at(directory.path()), &[file]);
        assert_eq!(refused, Err(format!("{}: not a generated file", path.display())));
        assert!(!directory.path().join(path).exists());
    }
}
