//! Golden reports and tables. Everything here is made by replay, a pure function of files in the
//! repository, so that nothing needs to be masked. `cargo xtask regen` writes it.
//!
//! The library says which reports there must be; the tests make and compare them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use corpus::{Case, Family};

/// The variable that names another workspace than this one, whose reports the tests make. It
/// lets the tasks be tested on a copy.
pub const WORKSPACE_VARIABLE: &str = "SNAPSHOTS_WORKSPACE";

/// Where the reports are, in a workspace.
pub const REPORTS: &str = "snapshots/reports";

/// Cases whose JSON report is kept too: one of each outcome and layer.
pub const WITH_JSON: &[&str] = &[
    "startup-banner",
    "invalid-utf8",
    "partial-frame-exit",
    "missing-jsonrpc",
    "wrong-id",
    "hang",
    "uncaught-error",
    "nonzero-exit",
    "ok-plain",
];

/// The directory of a case's reports, below [`REPORTS`].
#[must_use]
pub fn directory(case: &Case) -> &'static str {
    case.family.map_or("elsewhere", Family::directory)
}

/// The files, below [`REPORTS`], that hold the reports of a case.
#[must_use]
pub fn report_files(case: &Case) -> Vec<PathBuf> {
    let directory = Path::new(directory(case));
    let id = case.file.id.as_str();
    let json = WITH_JSON.contains(&id).then(|| directory.join(format!("{id}.json.snap")));
    [directory.join(format!("{id}.snap"))].into_iter().chain(json).collect()
}

/// The files that lie below [`REPORTS`] of a workspace.
///
/// # Errors
///
/// A directory that cannot be read.
pub fn files_on_disk(workspace: &Path) -> std::io::Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    for family in std::fs::read_dir(workspace.join(REPORTS))? {
        let family = family?;
        for file in std::fs::read_dir(family.path())? {
            found.insert(Path::new(&family.file_name()).join(file?.file_name()));
        }
    }
    Ok(found)
}
