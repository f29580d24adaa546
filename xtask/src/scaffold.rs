//! Beginning something new: an incident, a fixture, a rule. Each task writes what can be known,
//! says what the author owes, and leaves the rest to `check` and `regen`.

mod capture;
mod fixture;
mod incident;
mod oracle;
mod rule;

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use corpus::Family;

use crate::Complaints;
use crate::check::{self, RuleTable, fixture_names};
use crate::names::{is_kebab_case, slug};
use crate::workspace::{Workspace, name, sorted};

pub use fixture::{Expected, NewFixture};
pub use incident::{NewIncident, Personal};
pub use oracle::{Frame, Pending, StatedAdvice, StatedOracle};
pub use rule::{LayerNumber, NewRule, RuleLevel};

/// What speaks against a name for something new.
fn refuse_name(workspace: &Workspace, new: &str) -> Complaints {
    let mut complaints = Complaints::new();
    if !is_kebab_case(new) {
        complaints.push(format!("{new}: not kebab-case, such as `tip-line-at-startup`"));
    }
    if let Some(id) = used_names(workspace).iter().find(|id| slug(id) == new) {
        complaints.push(format!("{new}: the name is used by {id}; names are never reused"));
    }
    complaints
}

/// The names of every case, whether or not it can be read, and of every fixture.
fn used_names(workspace: &Workspace) -> BTreeSet<String> {
    // What is not there uses no name.
    let mut names = fixture_names(workspace).unwrap_or_default();
    for family in Family::ALL {
        let cases = sorted(&workspace.corpus().join(family.directory())).unwrap_or_default();
        names.extend(cases.iter().map(|path| name(path)));
    }
    names
}

/// Writes a file that must not be there yet.
fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)?;
    }
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(bytes)
}

/// Writes files that must not be there yet, below a directory.
fn create_all(directory: &Path, files: &[(&str, &[u8])]) -> Complaints {
    let mut complaints = Complaints::new();
    for (name, bytes) in files {
        let path = directory.join(name);
        if let Err(error) = create(&path, bytes) {
            complaints.push(format!("{}: {error}", path.display()));
        }
    }
    complaints
}

/// A case as it is written to disk.
fn case_json(file: &corpus::CaseFile) -> Vec<u8> {
    let mut json = serde_json::to_vec_pretty(file).expect("a case is JSON");
    json.push(b'\n');
    json
}

/// Prints what `check` says of these places, and what to do next.
fn print_owed(workspace: &Workspace, places: &[&str], next: &[&str]) {
    println!("owed:");
    let complaints = check::run(workspace, &RuleTable::of_the_catalogue());
    for complaint in complaints.iter().filter(|found| places.contains(&found.place.as_str())) {
        println!("  {complaint}");
    }
    println!("then: {}", next.join(" && "));
}
