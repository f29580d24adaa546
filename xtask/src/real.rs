//! Published servers, installed from the registries by `run --package` and probed from an empty
//! directory by their documented entry command; and small servers of the SDKs, in many sessions.

mod sdks;
mod through_tap;

use std::fmt;
use std::future::pending;
use std::path::Path;
use std::time::Duration;

use packages::{InstallError, Spec};
use tempfile::TempDir;

use crate::Complaints;
use crate::command::{Failure, install, output, program, succeed};
use crate::verdict::{Report, Wanted, differs};

/// A published server and what is known of it.
struct RealServer {
    /// The package, with a version where the verdict depends on it.
    package: &'static str,
    wanted: Wanted<'static>,
}

const SERVERS: &[RealServer] = &[
    RealServer { package: "npm:@modelcontextprotocol/server-everything", wanted: Wanted::Clean },
    RealServer { package: "pypi:mcp-server-time", wanted: Wanted::Clean },
    RealServer {
        package: "npm:mcp-server-code-runner@0.1.8",
        wanted: Wanted::Violation { rule: "invalid-json", frame: Some(1) },
    },
];

/// A name that no package has: the registry must say so, and not be taken for silent.
const NOT_THERE: &str = "npm:@mcp-stdio-probe/no-package-has-this-name";

/// How long each step of an installation may take.
const INSTALLATION: Duration = Duration::from_secs(600);

/// Waits between the tries to reach a registry: one that answers late is not a verdict.
const WAITS: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(20)];

/// Why a real server gave no verdict, or the wrong one. All are red.
enum Trouble {
    /// The server could not be had or started; what the probe said.
    CouldNotTest(String),
    WrongVerdict(String),
    LeftBehind(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CouldNotTest(text) => write!(f, "could not test: {text}"),
            Self::WrongVerdict(text) => write!(f, "wrong verdict: {text}"),
            Self::LeftBehind(text) => write!(f, "left in the temporary directory: {text}"),
        }
    }
}

/// Installs and probes published servers.
pub fn run() -> Complaints {
    let installed = match install() {
        Ok(installed) => installed,
        Err(failure) => return vec![failure.to_string()],
    };
    let mut complaints = Complaints::new();
    for server in SERVERS {
        match judge(server, &installed) {
            Ok(line) => println!("{line}"),
            Err(trouble) => complaints.push(format!("{}: {trouble}", server.package)),
        }
    }
    match probe(&installed, NOT_THERE) {
        Ok(probed) if probed.status == Some(3) && probed.stderr.contains("no such package") => {
            println!("{NOT_THERE}: the registry has no such package (exit status 3)");
        }
        Ok(probed) => complaints.push(format!(
            "{NOT_THERE}: wanted exit status 3 and that it is not there; got {:?}: {}",
            probed.status, probed.stderr
        )),
        Err(trouble) => complaints.push(format!("{NOT_THERE}: {trouble}")),
    }
    complaints.extend(sdks::run(&installed));
    complaints
}

/// Gives the line that records what was probed.
fn judge(server: &RealServer, installed: &Path) -> Result<String, Trouble> {
    let probed = probe(installed, server.package)?;
    let Some(report) = probed.report else {
        return Err(Trouble::CouldNotTest(probed.stderr));
    };
    if let Some(difference) = differs(server.wanted, probed.status, &report) {
        return Err(Trouble::WrongVerdict(difference));
    }
    if matches!(server.wanted, Wanted::Clean) {
        corrupted(server, installed)?;
    }
    let rows: Vec<&str> = report.sessions.iter().map(|row| row.classification.as_str()).collect();
    if rows.len() != 2 || rows.iter().any(|row| *row != report.classification) {
        return Err(Trouble::WrongVerdict(format!("cold and warm: {rows:?}")));
    }
    let package = report.package.map(|package| {
        let sdks: Vec<String> =
            package.sdks.iter().map(|sdk| format!("{} {}", sdk.name, sdk.version)).collect();
        format!(
            "{} {}, {}, entry {}, with {}",
            package.name,
            package.version,
            package.runtime,
            package.entry,
            sdks.join(", ")
        )
    });
    let advice: Vec<&str> = report.advice.iter().map(|advice| advice.rule.as_str()).collect();
    Ok(format!(
        "{}: {} (advice: {}; exit status {})",
        package.as_deref().unwrap_or(server.package),
        report.classification,
        if advice.is_empty() { "none".to_owned() } else { advice.join(", ") },
        report.exit_status,
    ))
}

/// The same server with every corruption in between: the probe must not have gone soft.
fn corrupted(server: &RealServer, installed: &Path) -> Result<(), Trouble> {
    let could_not = |error: InstallError| Trouble::CouldNotTest(error.to_string());
    let spec = Spec::parse(server.package).map_err(could_not)?;
    let package = packages::install(&spec, None, INSTALLATION, pending()).map_err(could_not)?;
    let mut command = program(installed);
    command.current_dir(package.prefix()).args(["self-test", "--"]).arg(&package.entry);
    succeed(&mut command).map(drop).map_err(|failure| Trouble::WrongVerdict(failure.to_string()))
}

/// What the installed command said of a package.
struct Probed {
    status: Option<i32>,
    stderr: String,
    report: Option<Report>,
}

/// Probes a package; a registry that is silent is asked again.
fn probe(installed: &Path, package: &str) -> Result<Probed, Trouble> {
    let mut waits = WAITS.iter();
    loop {
        let probed = probe_once(installed, package)?;
        let silent = probed.stderr.contains("the registry cannot be reached");
        match waits.next().filter(|_| silent) {
            Some(wait) => {
                println!("{package}: the registry is silent; trying again in {wait:?}");
                pause(*wait);
            }
            None => return Ok(probed),
        }
    }
}

fn probe_once(installed: &Path, package: &str) -> Result<Probed, Trouble> {
    let could_not = |failure: Failure| Trouble::CouldNotTest(failure.to_string());
    let directory =
        |source| could_not(Failure::Start { program: "a temporary directory".to_owned(), source });
    let temporary = TempDir::new().map_err(directory)?;
    let output =
        output(
            program(installed)
                .current_dir(temporary.path())
                .env("TMPDIR", temporary.path())
                .args(["run", "--format", "json", "--package", package]),
        )
        .map_err(could_not)?;
    let mut left = temporary.path().read_dir().map_err(directory)?;
    if let Some(Ok(entry)) = left.next() {
        return Err(Trouble::LeftBehind(entry.file_name().display().to_string()));
    }
    Ok(Probed {
        status: output.status.code(),
        stderr: String::from_utf8(output.stderr).unwrap_or_default().trim().replace('\n', " / "),
        report: serde_json::from_slice(&output.stdout).ok(),
    })
}

#[expect(clippy::disallowed_methods, reason = "a registry gives no event to wait for")]
fn pause(wait: Duration) {
    std::thread::sleep(wait);
}
