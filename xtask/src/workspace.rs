//! Where things are in a workspace, and reading files with errors that name them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::Complaints;

/// A workspace: this one, or a copy of it that a test made.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The workspace that this program was built in.
    #[must_use]
    pub fn here() -> Self {
        Self::at(root())
    }

    /// The workspace with this root.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Its root.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Something in it, by the path from its root.
    #[must_use]
    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// The corpus.
    #[must_use]
    pub fn corpus(&self) -> PathBuf {
        self.path("corpus")
    }

    /// The sources of the fixture servers.
    #[must_use]
    pub fn fixtures(&self) -> PathBuf {
        self.path("fixture-servers/src/bin")
    }

    /// A path in it as a person writes it: from its root.
    #[must_use]
    pub fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

/// The entries of a directory, sorted.
pub(crate) fn sorted(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}

/// The entries of a directory, sorted, or a complaint.
pub(crate) fn entries(path: &Path, complaints: &mut Complaints) -> Vec<PathBuf> {
    sorted(path).unwrap_or_else(|error| {
        complaints.push(format!("{}: {error}", path.display()));
        Vec::new()
    })
}

/// The bytes of a file, or a complaint.
pub(crate) fn read(path: &Path, complaints: &mut Complaints) -> Option<Vec<u8>> {
    fs::read(path).map_err(|error| complaints.push(format!("{}: {error}", path.display()))).ok()
}

/// Writes a file, and its directory where there is none yet.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    fs::write(path, bytes)
}

/// The last component of a path, for messages.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().map(|name| name.display().to_string()).unwrap_or_default()
}

/// The last component of a path without its extension.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.display().to_string()).unwrap_or_default()
}
