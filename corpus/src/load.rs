//! Finding and reading cases on disk.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::expand::{ExpandError, expand};
use crate::format::CaseFile;

/// The directory that a case lies in: where it came from, never what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Bytes that look like those of a public report.
    Incidents,
    /// Corners of the detector.
    Synthetic,
    /// What must stay clean.
    Controls,
    /// What the fixture servers write.
    Recordings,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 4] = [Self::Incidents, Self::Synthetic, Self::Controls, Self::Recordings];

    /// The name of the directory.
    #[must_use]
    pub fn directory(self) -> &'static str {
        match self {
            Self::Incidents => "incidents",
            Self::Synthetic => "synthetic",
            Self::Controls => "controls",
            Self::Recordings => "recordings",
        }
    }
}

/// A case, read whole.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its family; None for a recording outside the corpus.
    pub family: Option<Family>,
    /// Its directory.
    pub path: PathBuf,
    /// Its description.
    pub file: CaseFile,
    /// stdout, expanded.
    pub stdout: Vec<u8>,
    /// stderr; empty where the case has none.
    pub stderr: Vec<u8>,
}

/// Why a case could not be read.
#[derive(Debug)]
pub enum LoadError {
    /// A file or directory could not be read.
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// `case.json` is not a case.
    Format {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// The expansions do not fit `stdout.raw`.
    Expand {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: ExpandError,
    },
}

impl LoadError {
    /// The file or directory that could not be read.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. } | Self::Format { path, .. } | Self::Expand { path, .. } => path,
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Format { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Expand { path, source } => write!(f, "{}: {source}", path.display()),
        }
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Format { source, .. } => Some(source),
            Self::Expand { source, .. } => Some(source),
        }
    }
}

/// Reads the case in a directory.
///
/// # Errors
///
/// A file that is missing, cannot be read, or is not what it should be.
pub fn load_case(family: Family, path: &Path) -> Result<Case, LoadError> {
    Ok(Case { family: Some(family), ..load_recording(path)? })
}

/// Reads a directory that has the form of a case but lies outside the corpus.
///
/// # Errors
///
/// A file that is missing, cannot be read, or is not what it should be.
pub fn load_recording(path: &Path) -> Result<Case, LoadError> {
    let json = path.join("case.json");
    let text = read(&json)?;
    let file: CaseFile =
        serde_json::from_slice(&text).map_err(|source| LoadError::Format { path: json, source })?;
    let raw = path.join("stdout.raw");
    let stdout = expand(&read(&raw)?, &file.expand)
        .map_err(|source| LoadError::Expand { path: raw, source })?;
    let stderr_path = path.join("stderr.raw");
    let stderr = match read(&stderr_path) {
        Err(LoadError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Vec::new(),
        other => other?,
    };
    Ok(Case { family: None, path: path.to_owned(), file, stdout, stderr })
}

/// The cases that could be read, and why the others could not.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The cases, sorted by family and id.
    pub cases: Vec<Case>,
    /// Everything that could not be read.
    pub errors: Vec<LoadError>,
}

/// Reads each case below the corpus's root that can be read.
#[must_use]
pub fn load_each(root: &Path) -> Loaded {
    let mut loaded = Loaded::default();
    for family in Family::ALL {
        match directories(&root.join(family.directory())) {
            Ok(paths) => {
                for path in paths {
                    match load_case(family, &path) {
                        Ok(case) => loaded.cases.push(case),
                        Err(error) => loaded.errors.push(error),
                    }
                }
            }
            Err(error) => loaded.errors.push(error),
        }
    }
    loaded
}

/// Reads every case below the corpus's root, sorted by family and id.
///
/// # Errors
///
/// Everything that could not be read, not only the first.
pub fn load_all(root: &Path) -> Result<Vec<Case>, Vec<LoadError>> {
    let Loaded { cases, errors } = load_each(root);
    if errors.is_empty() { Ok(cases) } else { Err(errors) }
}

fn directories(path: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let error = |source| LoadError::Io { path: path.to_owned(), source };
    let mut found = Vec::new();
    for entry in fs::read_dir(path).map_err(error)? {
        let entry = entry.map_err(error)?;
        if entry.file_type().map_err(error)?.is_dir() {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    let error = |source| LoadError::Io { path: path.to_owned(), source };
    // A device or a pipe may never end.
    if !fs::metadata(path).map_err(error)?.is_file() {
        return Err(error(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")));
    }
    fs::read(path).map_err(error)
}
