//! Small servers of each SDK, in pinned versions, and two published ones, each probed with
//! `--profile full`: none may have a `must` finding, and what an SDK is known to do badly must be
//! found as advice. Their sources lie in `servers/`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::through_tap;
use crate::Complaints;
use crate::command::{Failure, output, program, succeed, target_directory};
use crate::verdict::{Report, Wanted, differs};
use crate::workspace::Workspace;

/// Where a server comes from, and how it is launched from the directory that it is installed in.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// Packages of npm, and a script of ours in `servers/`.
    NodeScript { packages: &'static [&'static str], script: &'static str },
    /// A package of npm with a command, which gets an empty directory as its argument.
    NodeCommand { package: &'static str, command: &'static str },
    /// Packages of PyPI, and a script of ours.
    PythonScript { packages: &'static [&'static str], script: &'static str },
    /// Packages of PyPI, one with a command.
    PythonCommand { packages: &'static [&'static str], command: &'static str },
    /// The Rust package in `servers/rust`, which names its versions itself.
    Cargo,
}

/// Whether a server also speaks the revisions that have no handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Eras {
    Handshake,
    Both,
}

struct SdkServer {
    /// Also the directory it is installed in, so that another version is another directory.
    name: &'static str,
    origin: Origin,
    eras: Eras,
    /// Rules that some session must find, as advice: what this version is known to do.
    weaknesses: &'static [&'static str],
}

const SERVERS: &[SdkServer] = &[
    SdkServer {
        name: "typescript-1.32.2",
        origin: Origin::NodeScript {
            packages: &["@modelcontextprotocol/sdk@1.32.2", "zod@4.6.7"],
            script: "typescript-v1.mjs",
        },
        eras: Eras::Handshake,
        weaknesses: &[],
    },
    SdkServer {
        name: "typescript-2.4.0",
        origin: Origin::NodeScript {
            packages: &["@modelcontextprotocol/server@2.4.0", "zod@4.6.7"],
            script: "typescript-v2.mjs",
        },
        eras: Eras::Both,
        weaknesses: &["lost-at-eof"],
    },
    SdkServer {
        name: "python-1.30.0",
        origin: Origin::PythonScript { packages: &["mcp==1.30.0"], script: "python-v1.py" },
        eras: Eras::Handshake,
        weaknesses: &["lost-at-eof", "wrong-error-code"],
    },
    SdkServer {
        name: "python-2.3.0",
        origin: Origin::PythonScript { packages: &["mcp==2.3.0"], script: "python-v2.py" },
        eras: Eras::Both,
        weaknesses: &["lost-at-eof"],
    },
    SdkServer {
        name: "fastmcp-4.2.3",
        origin: Origin::PythonScript {
            packages: &["fastmcp==4.2.3", "mcp==2.3.0"],
            script: "fastmcp-v4.py",
        },
        eras: Eras::Both,
        weaknesses: &["lost-at-eof"],
    },
    SdkServer { name: "rmcp-3.11.0", origin: Origin::Cargo, eras: Eras::Both, weaknesses: &[] },
    SdkServer {
        name: "filesystem-2026.8.31",
        origin: Origin::NodeCommand {
            package: "@modelcontextprotocol/server-filesystem@2026.8.31",
            command: "mcp-server-filesystem",
        },
        eras: Eras::Handshake,
        weaknesses: &[],
    },
    SdkServer {
        name: "time-2026.10.19",
        origin: Origin::PythonCommand {
            packages: &["mcp-server-time==2026.10.19", "mcp==2.3.0"],
            command: "mcp-server-time",
        },
        eras: Eras::Both,
        weaknesses: &["lost-at-eof"],
    },
];

/// The session that only a server without a handshake takes part in.
const WITHOUT_HANDSHAKE: &str = "protocol-2026-07-28";

/// Probes each server.
pub(super) fn run(installed: &Path) -> Complaints {
    let mut complaints = Complaints::new();
    for server in SERVERS {
        let report = install(server).and_then(|command| Ok((probe(installed, &command)?, command)));
        let ((status, report), command) = match report {
            Ok(probed) => probed,
            Err(failure) => {
                complaints.push(format!("{}: could not test: {failure}", server.name));
                continue;
            }
        };
        let mut found = wrong(server, status, &report);
        found.extend(through_tap::check(server.name, &prefix(server), &command, installed));
        if found.is_empty() {
            let sessions = report.sessions.len();
            let advice = list(&advice(&report));
            println!("{}: {sessions} sessions valid (advice: {advice})", server.name);
        }
        complaints.extend(found.into_iter().map(|text| format!("{}: {text}", server.name)));
    }
    complaints
}

/// What of a report is not as the table says.
fn wrong(server: &SdkServer, status: Option<i32>, report: &Report) -> Vec<String> {
    let mut found: Vec<String> = differs(Wanted::Clean, status, report).into_iter().collect();
    for row in report.sessions.iter().filter(|row| row.classification != "valid-stdout") {
        found.push(format!("session {}: {}", row.name, row.classification));
    }
    let both = report.sessions.iter().any(|row| row.name == WITHOUT_HANDSHAKE);
    if both != (server.eras == Eras::Both) {
        let spoke = if both { "answered" } else { "was not answered" };
        found.push(format!("session {WITHOUT_HANDSHAKE} {spoke}"));
    }
    let advice = advice(report);
    for weakness in server.weaknesses.iter().filter(|rule| !advice.contains(**rule)) {
        found.push(format!("wanted the advice {weakness}; got {}", list(&advice)));
    }
    found
}

/// The rules of all sessions' advice.
fn advice(report: &Report) -> BTreeSet<&str> {
    let advice = report.sessions.iter().flat_map(|row| &row.advice);
    advice.map(|advice| advice.rule.as_str()).collect()
}

fn list(rules: &BTreeSet<&str>) -> String {
    match rules.is_empty() {
        true => "none".to_owned(),
        false => rules.iter().copied().collect::<Vec<_>>().join(", "),
    }
}

fn probe(installed: &Path, command: &[PathBuf]) -> Result<(Option<i32>, Report), Failure> {
    let mut probe = program(installed);
    probe.args(["run", "--format", "json", "--profile", "full", "--call-all-safe", "--"]);
    let output = output(probe.args(command))?;
    let report = serde_json::from_slice(&output.stdout).map_err(|error| {
        let said = String::from_utf8(output.stderr).unwrap_or_default();
        Failure::Status {
            program: installed.display().to_string(),
            tail: format!("no JSON report: {error}: {}", said.trim()),
        }
    })?;
    Ok((output.status.code(), report))
}

/// Installs a server below cargo's target directory, where it is found again, and gives its
/// command.
fn install(server: &SdkServer) -> Result<Vec<PathBuf>, Failure> {
    let io = |source| Failure::Start { program: server.name.to_owned(), source };
    let prefix = prefix(server);
    fs::create_dir_all(prefix.join("empty")).map_err(io)?;
    // Only what was installed to its end is taken as it is.
    let done = prefix.join("installed");
    let fresh = !done.exists();
    let script = |name: &str| {
        let to = prefix.join(name);
        fs::copy(sources().join(name), &to).map(|_| to).map_err(io)
    };
    let command = match server.origin {
        Origin::NodeScript { packages, script: name } => {
            if fresh {
                npm(&prefix, packages)?;
            }
            vec!["node".into(), script(name)?]
        }
        Origin::NodeCommand { package, command } => {
            if fresh {
                npm(&prefix, &[package])?;
            }
            vec![prefix.join("node_modules/.bin").join(command), prefix.join("empty")]
        }
        Origin::PythonScript { packages, script: name } => {
            if fresh {
                pip(&prefix, packages)?;
            }
            vec![prefix.join("bin/python"), script(name)?]
        }
        Origin::PythonCommand { packages, command } => {
            if fresh {
                pip(&prefix, packages)?;
            }
            vec![prefix.join("bin").join(command)]
        }
        Origin::Cargo => {
            let mut cargo = program("cargo");
            cargo.args(["build", "--quiet", "--target-dir"]).arg(&prefix);
            succeed(cargo.current_dir(sources().join("rust")))?;
            vec![prefix.join("debug/server")]
        }
    };
    fs::write(done, []).map_err(io)?;
    Ok(command)
}

/// Where a server is installed.
fn prefix(server: &SdkServer) -> PathBuf {
    target_directory().join("sdk-servers").join(server.name)
}

/// Where the sources of the servers are.
fn sources() -> PathBuf {
    Workspace::here().path("servers")
}

fn npm(prefix: &Path, packages: &[&str]) -> Result<(), Failure> {
    let mut npm = program("npm");
    npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(prefix);
    succeed(npm.args(packages)).map(drop)
}

fn pip(prefix: &Path, packages: &[&str]) -> Result<(), Failure> {
    succeed(program("python3").args(["-m", "venv"]).arg(prefix))?;
    succeed(program(prefix.join("bin/pip")).args(["install", "--quiet"]).args(packages)).map(drop)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use model::{Level, RuleId};
    use serde_json::json;

    use super::{Eras, Origin, SERVERS, SdkServer, sources, wrong};
    use crate::verdict::Report;

    const SERVER: SdkServer = SdkServer {
        name: "one",
        origin: Origin::Cargo,
        eras: Eras::Handshake,
        weaknesses: &["late-reply"],
    };

    /// A report of two sessions, the second with this name, classification and advice.
    fn report(name: &str, classification: &str, advice: &[&str]) -> Report {
        let advice: Vec<_> = advice.iter().map(|rule| json!({ "rule": rule })).collect();
        serde_json::from_value(json!({
            "classification": "valid-stdout",
            "first_violation": null,
            "reason": null,
            "advice": [],
            "exit_status": 0,
            "package": null,
            "sessions": [
                { "name": "plain", "classification": "valid-stdout", "advice": [] },
                { "name": name, "classification": classification, "advice": advice },
            ],
        }))
        .expect("a report")
    }

    #[test]
    fn what_is_not_as_the_table_says_is_wrong() {
        let right = report("quiet", "valid-stdout", &["late-reply", "nonzero-exit"]);
        assert_eq!(wrong(&SERVER, Some(0), &right), Vec::<String>::new());
        assert_eq!(wrong(&SERVER, Some(4), &right).len(), 1);
        let violation = report("quiet", "invalid-json", &["late-reply"]);
        assert_eq!(wrong(&SERVER, Some(0), &violation), ["session quiet: invalid-json"]);
        let strong = report("quiet", "valid-stdout", &["nonzero-exit"]);
        let wanted = "wanted the advice late-reply; got nonzero-exit";
        assert_eq!(wrong(&SERVER, Some(0), &strong), [wanted]);
        let modern = report(super::WITHOUT_HANDSHAKE, "valid-stdout", &["late-reply"]);
        assert_eq!(wrong(&SERVER, Some(0), &modern).len(), 1);
        let both = SdkServer { eras: Eras::Both, ..SERVER };
        assert_eq!(wrong(&both, Some(0), &modern), Vec::<String>::new());
        assert_eq!(wrong(&both, Some(0), &right).len(), 1);
    }

    #[test]
    fn every_version_is_pinned_and_every_script_is_there() {
        for server in SERVERS {
            let (packages, script) = match server.origin {
                Origin::NodeScript { packages, script }
                | Origin::PythonScript { packages, script } => (packages.to_vec(), Some(script)),
                Origin::NodeCommand { package, .. } => (vec![package], None),
                Origin::PythonCommand { packages, .. } => (packages.to_vec(), None),
                Origin::Cargo => (vec![], None),
            };
            for package in packages {
                let versioned = package.contains("==") || package.rfind('@') > Some(0);
                assert!(versioned, "{package}");
            }
            assert!(script.is_none_or(|script| sources().join(script).is_file()), "{script:?}");
        }
        let manifest = fs::read_to_string(sources().join("rust/Cargo.toml")).expect("a manifest");
        let of_cargo = SERVERS.iter().find(|server| matches!(server.origin, Origin::Cargo));
        let version = of_cargo.and_then(|server| server.name.strip_prefix("rmcp-"));
        let version = version.expect("a version in the name");
        assert!(manifest.contains(&format!("version = \"={version}\"")), "{manifest}");
    }

    #[test]
    fn a_weakness_is_a_rule_of_level_advice() {
        for weakness in SERVERS.iter().flat_map(|server| server.weaknesses) {
            let rule: RuleId = weakness.parse().expect("a rule");
            assert_eq!(rule.rule().level, Level::Advice, "{weakness}");
        }
    }
}
