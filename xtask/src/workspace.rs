//! Where things are in this workspace, and reading files with errors that name them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Complaints;

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

/// The entries of a directory, sorted, or a complaint.
pub(crate) fn entries(path: &Path, complaints: &mut Complaints) -> Vec<PathBuf> {
    match fs::read_dir(path).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect()) {
        Ok(mut paths) => {
            let paths: &mut Vec<PathBuf> = &mut paths;
            paths.sort();
            std::mem::take(paths)
        }
        Err(error) => {
            complaints.push(format!("{}: {error}", path.display()));
            Vec::new()
        }
    }
}

/// The bytes of a file, or a complaint.
pub(crate) fn read(path: &Path, complaints: &mut Complaints) -> Option<Vec<u8>> {
    fs::read(path).map_err(|error| complaints.push(format!("{}: {error}", path.display()))).ok()
}

/// The last component of a path, for messages.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().map(|name| name.display().to_string()).unwrap_or_default()
}
