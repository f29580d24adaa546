//! Sessions of real clients with real servers through `tap`, which may change nothing that either
//! side sees: what passes is written down on both sides of it and compared byte for byte.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::command::{Failure, output, program};
use crate::poll_tap::{FROM_SERVER, TO_SERVER};
use crate::workspace::Workspace;

/// A client of an SDK whose server is installed too.
struct Pair {
    /// The server's name, and the directory in which both are installed.
    server: &'static str,
    /// What runs the client, from that directory or from PATH.
    runtime: &'static str,
    /// The client's files in `clients/`, its script first.
    files: &'static [&'static str],
}

const PAIRS: &[Pair] = &[
    Pair {
        server: "typescript-1.32.2",
        runtime: "node",
        files: &["typescript-v1.mjs", "session.mjs"],
    },
    Pair { server: "python-2.3.0", runtime: "bin/python", files: &["python.py"] },
];

/// What a client's script says when nothing was wrong.
const CONTENT: &str = "outcome: silent";

/// The session of the client that belongs to a server, if one does. What was wrong, if anything.
pub(super) fn check(
    server: &str,
    prefix: &Path,
    command: &[PathBuf],
    installed: &Path,
) -> Option<String> {
    let pair = PAIRS.iter().find(|pair| pair.server == server)?;
    match session(pair, prefix, command, installed) {
        Ok(bytes) => {
            println!("{server}: {bytes} bytes through tap, the same on both sides");
            None
        }
        Err(trouble) => Some(format!("through tap: {trouble}")),
    }
}

/// Gives the number of bytes that passed.
fn session(
    pair: &Pair,
    prefix: &Path,
    command: &[PathBuf],
    installed: &Path,
) -> Result<usize, String> {
    let io = |error: std::io::Error| error.to_string();
    let records = TempDir::new().map_err(io)?;
    let [outside, inside] = ["outside", "inside"].map(|side| records.path().join(side));
    let clients = prefix.join("clients");
    for directory in [&outside, &inside, &clients] {
        fs::create_dir_all(directory).map_err(io)?;
    }
    for file in pair.files {
        let source = Workspace::here().path("clients").join(file);
        fs::copy(source, clients.join(file)).map_err(io)?;
    }
    let this = std::env::current_exe().map_err(io)?;
    let runtime = match prefix.join(pair.runtime) {
        own if own.exists() => own,
        _ => pair.runtime.into(),
    };
    let mut client = program(runtime);
    client.arg(clients.join(pair.files[0]));
    client.arg(&this).args(["poll-tap", "--record"]).arg(&outside).arg("--");
    client.arg(installed).args(["tap", "--"]);
    client.arg(&this).args(["poll-tap", "--record"]).arg(&inside).arg("--").args(command);
    let said = output(&mut client).map_err(|failure: Failure| failure.to_string())?;
    let stdout = String::from_utf8(said.stdout).unwrap_or_default();
    if !stdout.lines().any(|line| line == CONTENT) {
        return Err(format!("the client is not content: {}", stdout.trim()));
    }
    let mut bytes = 0;
    for direction in [TO_SERVER, FROM_SERVER] {
        let read = |side: &Path| fs::read(side.join(direction)).map_err(io);
        let (before, behind) = (read(&outside)?, read(&inside)?);
        if before.is_empty() || before != behind {
            let (before, behind) = (before.len(), behind.len());
            return Err(format!("{direction}: {before} bytes outside and {behind} inside differ"));
        }
        bytes += before.len();
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::PAIRS;
    use crate::workspace::Workspace;

    #[test]
    fn every_client_is_there() {
        for file in PAIRS.iter().flat_map(|pair| pair.files) {
            assert!(Workspace::here().path("clients").join(file).is_file(), "{file}");
        }
    }
}
