//! Published servers, installed from the npm registry into a clean directory and probed from an
//! empty one by their documented entry command.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use tempfile::TempDir;

use crate::Complaints;
use crate::command::{Failure, install, program, succeed};
use crate::verdict::{Wanted, differs, probe};

/// A published server and what is known of it.
struct RealServer {
    package: &'static str,
    /// A version, where the verdict depends on it.
    version: Option<&'static str>,
    bin: &'static str,
    wanted: Wanted<'static>,
}

const SERVERS: &[RealServer] = &[
    RealServer {
        package: "@modelcontextprotocol/server-everything",
        version: None,
        bin: "mcp-server-everything",
        wanted: Wanted::Clean,
    },
    RealServer {
        package: "mcp-server-code-runner",
        version: Some("0.1.8"),
        bin: "mcp-server-code-runner",
        wanted: Wanted::Violation { rule: "invalid-json", frame: Some(1) },
    },
];

/// Waits between the tries to install a package: a registry that answers late is not a verdict.
const WAITS: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(20)];

/// Why a real server gave no verdict, or the wrong one. Both are red.
enum Trouble {
    /// The server could not be had or started.
    CouldNotTest(Failure),
    WrongVerdict(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CouldNotTest(failure) => write!(f, "could not test: {failure}"),
            Self::WrongVerdict(text) => write!(f, "wrong verdict: {text}"),
        }
    }
}

/// Installs and probes published servers.
pub fn run() -> Complaints {
    let installed = match install() {
        Ok(installed) => installed,
        Err(failure) => return vec![failure.to_string()],
    };
    let node = match succeed(program("node").arg("--version")) {
        Ok(output) => String::from_utf8(output.stdout).unwrap_or_default().trim().to_owned(),
        Err(failure) => return vec![format!("could not test: {failure}")],
    };
    let mut complaints = Complaints::new();
    for server in SERVERS {
        match judge(server, &installed, &node) {
            Ok(line) => println!("{line}"),
            Err(trouble) => complaints.push(format!("{}: {trouble}", server.package)),
        }
    }
    complaints
}

/// Gives the line that records what was probed.
fn judge(server: &RealServer, installed: &Path, node: &str) -> Result<String, Trouble> {
    let failure = |source| {
        Trouble::CouldNotTest(Failure::Start {
            program: "a temporary directory".to_owned(),
            source,
        })
    };
    let prefix = TempDir::new().map_err(failure)?;
    let empty = TempDir::new().map_err(failure)?;
    let entry = install_package(server, prefix.path()).map_err(Trouble::CouldNotTest)?;
    let version = package_version(server, prefix.path());
    let entry = entry.display().to_string();
    let (status, report) =
        probe(installed, &[&entry], &[], empty.path()).map_err(Trouble::CouldNotTest)?;
    if let Some(difference) = differs(server.wanted, status, &report) {
        return Err(Trouble::WrongVerdict(difference));
    }
    if matches!(server.wanted, Wanted::Clean) {
        // The same server with every corruption in between: the probe must not have gone soft.
        succeed(program(installed).args(["self-test", "--", &entry]).current_dir(empty.path()))
            .map_err(|failure| Trouble::WrongVerdict(failure.to_string()))?;
    }
    let advice: Vec<&str> = report.advice.iter().map(|advice| advice.rule.as_str()).collect();
    Ok(format!(
        "{} {version}, node {node}, entry node_modules/.bin/{}: {} (advice: {}; exit status {})",
        server.package,
        server.bin,
        report.classification,
        if advice.is_empty() { "none".to_owned() } else { advice.join(", ") },
        report.exit_status,
    ))
}

/// Installs with the ecosystem's own client; gives the documented entry command.
fn install_package(server: &RealServer, prefix: &Path) -> Result<PathBuf, Failure> {
    let spec = match server.version {
        Some(version) => format!("{}@{version}", server.package),
        None => server.package.to_owned(),
    };
    let mut waits = WAITS.iter();
    loop {
        let done = succeed(
            program("npm")
                .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
                .arg(prefix)
                .arg(&spec),
        );
        match (done, waits.next()) {
            (Ok(_), _) => return Ok(prefix.join("node_modules/.bin").join(server.bin)),
            (Err(failure), None) => return Err(failure),
            (Err(failure), Some(wait)) => {
                println!("{spec}: {failure}; trying again in {wait:?}");
                pause(*wait);
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a registry gives no event to wait for")]
fn pause(wait: Duration) {
    std::thread::sleep(wait);
}

/// The version that was really installed.
fn package_version(server: &RealServer, prefix: &Path) -> String {
    #[derive(Deserialize)]
    struct Manifest {
        version: String,
    }
    let manifest = prefix.join("node_modules").join(server.package).join("package.json");
    let text = std::fs::read(manifest).unwrap_or_default();
    serde_json::from_slice(&text)
        .map_or_else(|_| "of unknown version".to_owned(), |manifest: Manifest| manifest.version)
}
