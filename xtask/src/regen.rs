//! Everything generated: recordings of the fixtures, tables, snapshots, in that order.
//!
//! It never writes an oracle, the catalogue, or anything else that a person says.

mod recordings;
mod tables;

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

/// The snapshots are tests of their own package, which also removes those that nothing uses.
fn snapshots(mode: Mode, complaints: &mut Complaints) {
    let update = match mode {
        Mode::Write => "always",
        Mode::Check => "no",
    };
    let mut command = cargo();
    command.args(["test", "--quiet", "--package", "snapshots"]);
    command.env("INSTA_UPDATE", update).env("INSTA_FORCE_PASS", "0");
    match output(&mut command) {
        Ok(output) if output.status.success() => println!("snapshots: fresh"),
        Ok(output) => {
            complaints.push(String::from_utf8(output.stdout).unwrap_or_default());
            complaints.push("snapshots: not fresh; run `cargo xtask regen`".to_owned());
        }
        Err(failure) => complaints.push(failure.to_string()),
    }
}
