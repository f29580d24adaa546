//! The package that a server's command belongs to, as the files beside its program say. Files are
//! only read, and each only in part; nothing is run.

mod entry;
mod python;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::spec::Ecosystem;

/// The most that is read of a file.
const FILE_BYTES: u64 = 1024 * 1024;

/// How many directories above the program are looked at.
const LEVELS: usize = 12;

/// A package, as its own files describe it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// Whose package it is.
    pub ecosystem: Ecosystem,
    /// Its name.
    pub name: String,
    /// Its version. None if the file does not say, as with versions that are made by a build.
    pub version: Option<String>,
    /// The file that says so.
    pub manifest: PathBuf,
}

/// The package of a command: that of the script in its arguments for a runtime such as node or
/// python, else that of the program itself. It is looked for from there upwards, as far as the
/// root of an installed package, of a repository, or 12 directories.
#[must_use]
pub fn nearest(program: &Path, arguments: &[OsString], directory: &Path) -> Option<Nearest> {
    let entry = entry::of(program, arguments, directory)?;
    if let Some(found) = python::of_command(&entry) {
        return Some(found);
    }
    let is_python = entry.extension().is_some_and(|extension| extension == "py");
    let start = if entry.is_dir() { entry.as_path() } else { entry.parent()? };
    for directory in start.ancestors().take(LEVELS) {
        let npm = || npm(directory);
        let pypi = || python::of_project(directory).or_else(|| python::of_site(directory, &entry));
        let found = if is_python { pypi().or_else(npm) } else { npm().or_else(pypi) };
        if let Some(found) = found.or_else(|| cargo(directory, &entry)) {
            return Some(found);
        }
        if is_root(directory) {
            return None;
        }
    }
    None
}

/// Whether nothing above a directory belongs to what is in it.
fn is_root(directory: &Path) -> bool {
    let named = |path: Option<&Path>, name: &str| {
        path.and_then(Path::file_name).is_some_and(|found| found == name)
    };
    let parent = directory.parent();
    let is_scope = parent
        .and_then(Path::file_name)
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"@"));
    named(parent, "node_modules")
        || is_scope && named(parent.and_then(Path::parent), "node_modules")
        || python::is_site(directory)
        || directory.join(".git").exists()
}

/// What a `package.json` says. One without a name only sets options for the files beside it.
fn npm(directory: &Path) -> Option<Nearest> {
    #[derive(Deserialize)]
    struct Manifest {
        name: String,
        version: Option<String>,
    }
    let manifest = directory.join("package.json");
    let Manifest { name, version } = serde_json::from_str(&read(&manifest)?).ok()?;
    Some(Nearest { ecosystem: Ecosystem::Npm, name, version, manifest })
}

/// What a `Cargo.toml` says of the program that was built beside it.
fn cargo(directory: &Path, program: &Path) -> Option<Nearest> {
    let inside = program.strip_prefix(directory).ok()?;
    inside.starts_with("target").then_some(())?;
    let manifest = directory.join("Cargo.toml");
    let file: toml::Table = read(&manifest)?.parse().ok()?;
    let package = file.get("package")?.as_table()?;
    let text = |table: &toml::Table, key: &str| Some(table.get(key)?.as_str()?.to_owned());
    let name = text(package, "name")?;
    let stem = program.file_stem()?;
    let binaries = file.get("bin").and_then(toml::Value::as_array).into_iter().flatten();
    let mut binaries = binaries.filter_map(|binary| text(binary.as_table()?, "name"));
    let is_its_own = stem == name.as_str() || binaries.any(|binary| stem == binary.as_str());
    let version = text(package, "version");
    is_its_own.then_some(Nearest { ecosystem: Ecosystem::Cargo, name, version, manifest })
}

/// The text of a file, if it is an ordinary one and not too long.
fn read(path: &Path) -> Option<String> {
    // A pipe would be waited for.
    path.metadata().ok()?.is_file().then_some(())?;
    let mut text = String::new();
    let taken = File::open(path).ok()?.take(FILE_BYTES).read_to_string(&mut text).ok()?;
    ((taken as u64) < FILE_BYTES).then_some(text)
}
