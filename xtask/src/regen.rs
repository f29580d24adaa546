//! Everything generated: recordings of the fixtures, tables, snapshots, in that order.
//!
//! It never writes an oracle, the catalogue, or anything else that a person says.

mod recordings;
mod tables;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Complaints;
use crate::command::{cargo, output};
use crate::workspace;

/// Whether generated files are written or only compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Write,
    Check,
}

/// A generated file.
pub(crate) struct Generated {
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) fn run(mode: Mode) -> Complaints {
    let mut complaints = Complaints::new();
    let recordings = recordings::generate(&mut complaints);
    settle("recordings", &recordings, mode, &mut complaints);
    if !complaints.is_empty() {
        return complaints;
    }
    let tables = tables::generate(&mut complaints);
    settle("tables", &tables, mode, &mut complaints);
    snapshots(mode, &mut complaints);
    complaints
}

/// Writes what differs, or complains of it.
fn settle(family: &str, files: &[Generated], mode: Mode, complaints: &mut Complaints) {
    if files.is_empty() && complaints.is_empty() {
        complaints.push(format!("{family}: nothing was generated"));
    }
    let (mut changed, mut new) = (0, 0);
    for file in files {
        let shown = file.path.strip_prefix(workspace::root()).unwrap_or(&file.path);
        match fs::read(&file.path) {
            Ok(old) if old == file.bytes => continue,
            Ok(_) => changed += 1,
            Err(_) => new += 1,
        }
        match mode {
            Mode::Check => {
                complaints.push(format!("{}: not fresh; run `cargo xtask regen`", shown.display()));
            }
            Mode::Write => {
                if let Err(error) = write(&file.path, &file.bytes) {
                    complaints.push(format!("{}: {error}", shown.display()));
                }
            }
        }
    }
    println!("{family}: {} files, {changed} changed, {new} new", files.len());
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    fs::write(path, bytes)
}

/// The reports are tests of their own package. In a write they are made from nothing, so that
/// none is left of a case that has gone.
fn snapshots(mode: Mode, complaints: &mut Complaints) {
    let directory = workspace::root().join("snapshots/reports");
    if mode == Mode::Write {
        let before = contents(&directory);
        if let Err(error) = fs::remove_dir_all(&directory)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            complaints.push(format!("{}: {error}", directory.display()));
            return;
        }
        // Whether the reports are right is asked below, when all of them are there.
        if let Err(failure) = test_snapshots("always") {
            complaints.push(failure);
        }
        let after = contents(&directory);
        let changed =
            after.iter().filter(|(path, bytes)| before.get(*path).is_some_and(|old| old != *bytes));
        let new = after.keys().filter(|path| !before.contains_key(*path));
        let gone = before.keys().filter(|path| !after.contains_key(*path));
        println!(
            "reports: {} files, {} changed, {} new, {} gone",
            after.len(),
            changed.count(),
            new.count(),
            gone.count()
        );
    }
    match test_snapshots("no") {
        Ok(true) => println!("snapshots: fresh"),
        Ok(false) => {
            complaints.push("snapshots: not fresh; run `cargo xtask regen`".to_owned());
        }
        Err(failure) => complaints.push(failure),
    }
}

/// Runs the tests of the snapshots; tells whether they passed.
fn test_snapshots(update: &str) -> Result<bool, String> {
    let mut command = cargo();
    command.args(["test", "--quiet", "--package", "snapshots"]);
    // Without this the first difference would hide the others.
    let force = if update == "always" { "1" } else { "0" };
    command.env("INSTA_UPDATE", update).env("INSTA_FORCE_PASS", force);
    let output = output(&mut command).map_err(|failure| failure.to_string())?;
    if !output.status.success() && update == "no" {
        println!("{}", String::from_utf8(output.stdout).unwrap_or_default());
    }
    Ok(output.status.success())
}

fn contents(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for family in fs::read_dir(directory).into_iter().flatten().flatten() {
        for file in fs::read_dir(family.path()).into_iter().flatten().flatten() {
            found.insert(file.path(), fs::read(file.path()).unwrap_or_default());
        }
    }
    found
}
