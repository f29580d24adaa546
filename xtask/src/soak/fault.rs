//! What is launched: every fixture, and shell scripts that do to processes what no fixture does.

use std::fs;
use std::io;
use std::path::Path;

use crate::workspace::Workspace;

/// A server with a fault.
pub(super) struct Fault {
    /// Its name.
    pub(super) name: String,
    /// Its command.
    pub(super) command: Vec<String>,
}

/// What a script does before, or instead of, serving.
const SCRIPTS: [(&str, &str); 8] = [
    ("daemon", "(setsid sleep 100 </dev/null >/dev/null 2>&1 &)"),
    ("daemon-that-holds-stdout", "(setsid sleep 100 &)"),
    ("deaf-daemon", "(setsid sh -c 'trap \"\" TERM HUP; sleep 100; sleep 100' >/dev/null 2>&1 &)"),
    ("deaf", "trap '' TERM HUP INT; while :; do sleep 100; done"),
    ("stopped", "kill -STOP $$"),
    ("many-children", "i=0; while [ $i -lt 40 ]; do sleep 100 & i=$((i+1)); done"),
    ("flood", "yes '{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}'"),
    ("flood-on-stderr", "yes >&2"),
];

/// Every fixture, built in this directory, and every script.
///
/// # Errors
///
/// If the sources of the fixtures cannot be listed.
pub(super) fn faults(here: &Workspace, fixtures: &Path) -> io::Result<Vec<Fault>> {
    let mut faults = Vec::new();
    for entry in fs::read_dir(here.fixtures())? {
        let source = entry?.path();
        let Some(name) = source.file_stem() else { continue };
        faults.push(Fault {
            name: name.display().to_string(),
            command: vec![fixtures.join(name).display().to_string()],
        });
    }
    // The order of a directory is nobody's choice.
    faults.sort_by(|one, other| one.name.cmp(&other.name));
    faults.extend(SCRIPTS.map(|(name, does)| Fault {
        name: name.to_owned(),
        command: ["sh", "-c", &format!("{does}\ncat >/dev/null")].map(str::to_owned).into(),
    }));
    Ok(faults)
}
