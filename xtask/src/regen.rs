//! Everything generated: recordings of the fixtures, the schema, tables, reports, in that order.
//!
//! It never writes an oracle, the catalogue, or anything else that a person says.

mod manual;
mod recordings;
mod reports;
mod tables;
mod traceability;

use inspect::{Detector, Inspector, RuleSet};

use crate::Complaints;
use crate::command::build_fixtures;
use crate::generated::{Generated, SCHEMAS, differences, edited, put};
use crate::workspace::Workspace;

/// Whether generated files are written or only compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// They are written.
    Write(Edits),
    /// They are compared.
    Check,
}

/// What is done about generated files with edits that were not committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edits {
    /// Nothing is written while there are any.
    Protect,
    /// They are written over.
    Overwrite,
}

/// What gives a detector for some rules. A parameter, so that a test can plug in a wrong one.
pub type DetectorFactory = fn(RuleSet) -> Box<dyn Detector>;

/// The true detector.
#[must_use]
pub fn inspector(rules: RuleSet) -> Box<dyn Detector> {
    Box::new(Inspector::new(rules))
}

/// Makes everything generated anew.
#[must_use]
pub fn run(workspace: &Workspace, mode: Mode, detector: DetectorFactory) -> Complaints {
    if mode == Mode::Write(Edits::Protect)
        && let Err(complaints) = refuse_edits(workspace)
    {
        return complaints;
    }
    let mut complaints = record(workspace, mode, detector);
    if complaints.is_empty() {
        complaints.extend(tabulate(workspace, mode, detector));
        complaints.extend(report(workspace, mode));
    }
    complaints
}

/// Makes the recordings of the fixtures anew.
#[must_use]
pub fn record(workspace: &Workspace, mode: Mode, detector: DetectorFactory) -> Complaints {
    let fixtures = match build_fixtures(workspace) {
        Ok(fixtures) => fixtures,
        Err(failure) => return vec![failure.to_string()],
    };
    settle(workspace, "recordings", mode, recordings::generate(workspace, &fixtures, detector))
}

/// Makes the schema and the tables anew.
#[must_use]
pub fn tabulate(workspace: &Workspace, mode: Mode, detector: DetectorFactory) -> Complaints {
    let schemas = SCHEMAS
        .iter()
        .map(|(path, make)| Generated { path: path.into(), bytes: make().into_bytes() });
    let mut complaints = settle(workspace, "schemas", mode, Ok(schemas.collect()));
    complaints.extend(settle(workspace, "manual", mode, manual::generate_all()));
    let tables = tables::generate(workspace, detector);
    complaints.extend(settle(workspace, "tables", mode, tables));
    complaints
}

/// Makes the reports anew.
#[must_use]
pub fn report(workspace: &Workspace, mode: Mode) -> Complaints {
    reports::settle(workspace, mode)
}

fn refuse_edits(workspace: &Workspace) -> Result<(), Complaints> {
    const MEND: &str = "commit or revert it, or use --force";
    match edited(workspace) {
        Ok(files) if files.is_empty() => Ok(()),
        Ok(files) => Err(files
            .iter()
            .map(|file| format!("{file}: generated, and edited since the last commit; {MEND}"))
            .collect()),
        Err(text) => Err(vec![format!("{text}; {MEND}")]),
    }
}

/// Writes what differs, or complains of it.
fn settle(
    workspace: &Workspace,
    family: &str,
    mode: Mode,
    files: Result<Vec<Generated>, Complaints>,
) -> Complaints {
    let files = match files {
        Ok(files) if files.is_empty() => return vec![format!("{family}: nothing was generated")],
        Ok(files) => files,
        Err(complaints) => return complaints,
    };
    let found = differences(workspace, &files);
    let (changed, new) = (found.changed.len(), found.new.len());
    println!("{family}: {} files, {changed} changed, {new} new", files.len());
    match mode {
        Mode::Check => found.changed.iter().chain(&found.new).map(|path| not_fresh(path)).collect(),
        Mode::Write(_) => put(workspace, &files).err().into_iter().collect(),
    }
}

fn not_fresh(path: &std::path::Path) -> String {
    format!("S1 {}: not fresh; `cargo xtask regen`", path.display())
}
