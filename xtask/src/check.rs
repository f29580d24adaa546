//! Completeness: everything that is missing or out of place, named at once with its mend.
//!
//! It reads files and replays nothing, so that it can run before every test.

mod cases;
mod complaint;
mod mutants;
mod positions;
mod rules;
mod snapshots;
mod sources;

use std::path::Path;

use corpus::{Family, LoadError, Loaded, Program, load_each};

use crate::Workspace;
use crate::workspace::{name, sorted};

pub use complaint::{Code, Complaint};
pub use mutants::MutantRow;
pub use rules::RuleTable;
pub(crate) use rules::{CONTROL_PREFIX, fixture_names};

/// What lies in the directory of every case.
const OF_A_CASE: [&str; 3] = ["case.json", "stdout.raw", "stderr.raw"];

/// Checks a workspace whose rules are these. The complaints are sorted.
#[must_use]
pub fn run(workspace: &Workspace, table: &RuleTable) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let loaded = load_each(&workspace.corpus());
    unreadable(workspace, &loaded, &mut complaints);
    strays(workspace, &loaded, &mut complaints);
    cases::check(&loaded.cases, table, &mut complaints);
    rules::check(workspace, &loaded, table, &mut complaints);
    mutants::check(workspace, &loaded, table, &mut complaints);
    snapshots::check(workspace, &loaded, &mut complaints);
    sources::check(workspace, &mut complaints);
    complaints.sort();
    complaints.dedup();
    complaints
}

/// Cases that could not be read, and families without one.
fn unreadable(workspace: &Workspace, loaded: &Loaded, complaints: &mut Vec<Complaint>) {
    for error in &loaded.errors {
        let path = error.path();
        let case = path.parent().map(name).unwrap_or_default();
        complaints.push(match error {
            LoadError::Format { source, .. } => {
                Complaint::new(Code::C1, case, format!("case.json: {source}"), "edit the case")
            }
            LoadError::Expand { source, .. } => {
                Complaint::new(Code::C2, case, source.to_string(), "edit `expand`")
            }
            LoadError::Io { source, .. } => match name(path).as_str() {
                "case.json" => Complaint::new(
                    Code::C1,
                    case,
                    format!("case.json cannot be read: {source}"),
                    "write it, or remove the directory",
                ),
                "stdout.raw" | "stderr.raw" => Complaint::new(
                    Code::C2,
                    case,
                    format!("{} cannot be read: {source}", name(path)),
                    "put the captured bytes there",
                ),
                family => Complaint::new(
                    Code::T3,
                    family,
                    format!("cannot be read: {source}"),
                    "bring the directory back",
                ),
            },
        });
    }
    for family in Family::ALL {
        let directory = workspace.corpus().join(family.directory());
        let unread = loaded.errors.iter().any(|error| error.path().starts_with(&directory));
        if !unread && !loaded.cases.iter().any(|case| case.family == Some(family)) {
            complaints.push(Complaint::new(
                Code::T3,
                family.directory(),
                "not one case was found",
                "bring them back: nothing found is never green",
            ));
        }
    }
}

/// Files where only cases, or only the files of a case, belong.
fn strays(workspace: &Workspace, loaded: &Loaded, complaints: &mut Vec<Complaint>) {
    let mut found = Vec::new();
    for family in Family::ALL {
        // What cannot be read is complained of where the cases are loaded.
        let cases = sorted(&workspace.corpus().join(family.directory())).unwrap_or_default();
        found.extend(cases.into_iter().filter(|path| !path.is_dir()));
    }
    for case in &loaded.cases {
        let programs = case.file.program.iter().flat_map(Program::files);
        let own: Vec<&Path> = OF_A_CASE.into_iter().chain(programs).map(Path::new).collect();
        let files = sorted(&case.path).unwrap_or_default();
        // A directory is one of the case if a file in it is.
        found.extend(files.into_iter().filter(|file| {
            let file = file.strip_prefix(&case.path).unwrap_or(file);
            !own.iter().any(|own| own.starts_with(file))
        }));
    }
    for path in found {
        complaints.push(Complaint::new(
            Code::C2,
            workspace.shown(&path),
            "no case refers to it",
            "move or remove it",
        ));
    }
}
