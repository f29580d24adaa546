//! The reports of the cases. They are made and compared by the tests of their own package.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;

use snapshots::{REPORTS, WORKSPACE_VARIABLE, files_on_disk};

use super::Mode;
use crate::Complaints;
use crate::command::{cargo, output, target_directory};
use crate::workspace::Workspace;

/// Makes the reports anew, or compares them. In a write they are made from nothing, so that none
/// is left of a case that has gone.
pub(super) fn settle(workspace: &Workspace, mode: Mode) -> Complaints {
    let settled = match mode {
        Mode::Write(_) => write(workspace),
        Mode::Check => Ok(()),
    };
    match settled.and_then(|()| test(workspace, Update::Never)) {
        Ok(true) => {
            println!("reports: fresh");
            Complaints::new()
        }
        Ok(false) => vec![format!("S1 {REPORTS}: not fresh; `cargo xtask regen`")],
        Err(complaint) => vec![complaint],
    }
}

fn write(workspace: &Workspace) -> Result<(), String> {
    let before = contents(workspace);
    match fs::remove_dir_all(workspace.path(REPORTS)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(format!("{REPORTS}: {error}"));
        }
        _ => {}
    }
    // Whether the reports are right is asked afterwards, when all of them are there.
    test(workspace, Update::Always)?;
    let after = contents(workspace);
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
    Ok(())
}

/// Whether the tests may write what they find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Update {
    Always,
    Never,
}

/// Runs the tests of the reports; tells whether they passed.
fn test(workspace: &Workspace, update: Update) -> Result<bool, String> {
    let mut command = cargo();
    command.args(["test", "--quiet", "--package", "snapshots", "--target-dir"]);
    command.arg(target_directory()).env(WORKSPACE_VARIABLE, workspace.root());
    match update {
        // Without the second the first difference would hide the others.
        Update::Always => command.env("INSTA_UPDATE", "always").env("INSTA_FORCE_PASS", "1"),
        Update::Never => command.env("INSTA_UPDATE", "no").env("INSTA_FORCE_PASS", "0"),
    };
    let output = output(&mut command).map_err(|failure| failure.to_string())?;
    if !output.status.success() && update == Update::Never {
        println!("{}", String::from_utf8(output.stdout).unwrap_or_default());
    }
    Ok(output.status.success())
}

fn contents(workspace: &Workspace) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = files_on_disk(workspace.root()).unwrap_or_default();
    let read = |path: PathBuf| {
        let bytes = fs::read(workspace.path(REPORTS).join(&path)).unwrap_or_default();
        (path, bytes)
    };
    files.into_iter().map(read).collect()
}
