//! Complaints about generated files: there must be one where one belongs, and no other.
//!
//! Whether reports, tables and recordings are fresh is for `regen --check`, which makes them.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use corpus::Loaded;
use snapshots::{REPORTS, files_on_disk, report_files};

use super::{Code, Complaint};
use crate::Workspace;
use crate::generated::{SCHEMAS, TABLES};
use crate::workspace::name;

const REGEN: &str = "`cargo xtask regen`";

pub(super) fn check(workspace: &Workspace, loaded: &Loaded, complaints: &mut Vec<Complaint>) {
    reports(workspace, loaded, complaints);
    for table in TABLES {
        if !workspace.path(table).is_file() {
            complaints.push(Complaint::new(Code::S1, *table, "the table is missing", REGEN));
        }
    }
    for (path, make) in SCHEMAS {
        let schema = fs::read(workspace.path(path)).unwrap_or_default();
        if schema == make().as_bytes() {
            continue;
        }
        complaints.push(Complaint::new(Code::S1, *path, "the schema is not fresh", REGEN));
    }
}

fn reports(workspace: &Workspace, loaded: &Loaded, complaints: &mut Vec<Complaint>) {
    let found = files_on_disk(workspace.root()).unwrap_or_default();
    let (pending, found): (BTreeSet<_>, BTreeSet<_>) =
        found.into_iter().partition(|path| path.extension().is_some_and(|last| last == "new"));
    for path in pending {
        complaints.push(Complaint::new(
            Code::S2,
            format!("{REPORTS}/{}", path.display()),
            "it waits for a review",
            "remove it, and run `cargo xtask regen` if it is right",
        ));
    }
    let mut wanted: BTreeSet<PathBuf> = BTreeSet::new();
    for case in &loaded.cases {
        let files = report_files(case);
        for missing in files.iter().filter(|file| !found.contains(*file)) {
            complaints.push(Complaint::new(
                Code::S1,
                &case.file.id,
                format!("its report {REPORTS}/{} is missing", missing.display()),
                REGEN,
            ));
        }
        wanted.extend(files);
    }
    // What is there and cannot be read has its complaint already.
    let unread: Vec<String> =
        loaded.errors.iter().filter_map(|error| error.path().parent().map(name)).collect();
    for orphan in found.difference(&wanted) {
        let id = name(orphan);
        let id = id.trim_end_matches(".snap").trim_end_matches(".json");
        if !unread.iter().any(|case| case == id) {
            complaints.push(Complaint::new(
                Code::S2,
                id,
                format!("{REPORTS}/{} is the report of no case", orphan.display()),
                "bring the case back, or `cargo xtask regen`",
            ));
        }
    }
    if found.is_empty() {
        complaints.push(Complaint::new(Code::T3, REPORTS, "not one report was found", REGEN));
    }
}
