//! What client SDKs make of each mistake: installed from their registries, asked through `judge`,
//! tabulated.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use corpus::{Case, Expectation, Family, expectation_for, load_all, spoken_revision};
use model::{Layer, RuleId};
use serde::Deserialize;
use tempfile::TempDir;

use crate::Complaints;
use crate::command::{Failure, install, output, program, succeed};
use crate::workspace::Workspace;

/// The table that is written.
pub const TABLE: &str = "snapshots/clients.md";

/// Where a client comes from.
#[derive(Clone, Copy, Debug)]
enum Registry {
    Npm,
    PyPi,
    /// The one of Rust: the client is a program to build.
    Crates,
}

/// A client of an SDK.
#[derive(Debug)]
struct Client {
    /// Its profile and its script in `clients/`.
    name: &'static str,
    title: &'static str,
    registry: Registry,
    package: &'static str,
    /// What lies beside its profile.
    files: &'static [&'static str],
}

const CLIENTS: &[Client] = &[
    Client {
        name: "typescript-v1",
        title: "TypeScript 1",
        registry: Registry::Npm,
        package: "@modelcontextprotocol/sdk",
        files: &["typescript-v1.mjs", "session.mjs"],
    },
    Client {
        name: "typescript-v2",
        title: "TypeScript 2",
        registry: Registry::Npm,
        package: "@modelcontextprotocol/client",
        files: &["typescript-v2.mjs", "session.mjs"],
    },
    Client {
        name: "python",
        title: "Python",
        registry: Registry::PyPi,
        package: "mcp",
        files: &["python.py"],
    },
    Client {
        name: "rust",
        title: "Rust, rmcp",
        registry: Registry::Crates,
        package: "rmcp",
        files: &["rust/Cargo.toml", "rust/src/main.rs"],
    },
];

/// What a client's script says when it noticed nothing.
const SILENT: &str = "silent";

/// What was measured of one client.
struct Measured {
    head: String,
    /// By rule: the outcomes, and in how many cases.
    outcomes: BTreeMap<String, BTreeMap<String, usize>>,
}

#[derive(Deserialize)]
struct Sheet {
    answers: Vec<Answer>,
}

#[derive(Deserialize)]
struct Answer {
    case: String,
    rule: String,
    grade: String,
}

/// Installs the current clients, asks each, and writes the table.
#[must_use]
pub fn run() -> Complaints {
    let here = Workspace::here();
    let cases = match load_all(&here.corpus()) {
        Ok(cases) => cases,
        Err(errors) => return errors.iter().map(ToString::to_string).collect(),
    };
    let installed = match install() {
        Ok(installed) => installed,
        Err(failure) => return vec![failure.to_string()],
    };
    let mut measured = Vec::new();
    for client in CLIENTS {
        match measure(client, &installed, &here, &cases) {
            Ok(one) => {
                println!("clients: {}", one.head);
                measured.push(one);
            }
            Err(failure) => return vec![format!("{}: could not test: {failure}", client.name)],
        }
    }
    let path = here.path(TABLE);
    match fs::write(&path, table(&measured)) {
        Ok(()) => Complaints::new(),
        Err(error) => vec![format!("{}: {error}", path.display())],
    }
}

fn measure(
    client: &Client,
    installed: &Path,
    workspace: &Workspace,
    cases: &[Case],
) -> Result<Measured, Failure> {
    let io = |source| Failure::Start { program: client.name.to_owned(), source };
    let prefix = TempDir::new().map_err(io)?;
    let profile = format!("{}.json", client.name);
    for file in client.files.iter().copied().chain([profile.as_str()]) {
        let to = prefix.path().join(file);
        fs::create_dir_all(to.parent().unwrap_or(&to)).map_err(io)?;
        fs::copy(workspace.path("clients").join(file), to).map_err(io)?;
    }
    let version = install_client(client, prefix.path())?;
    let mut judge = program(installed);
    judge
        .current_dir(prefix.path())
        .args(["judge", "--format", "json", "--family", Family::Recordings.directory()])
        .args(["--profile", &profile]);
    let output = output(&mut judge)?;
    let sheet: Sheet = serde_json::from_slice(&output.stdout).map_err(|error| {
        let said = String::from_utf8(output.stderr).unwrap_or_default();
        Failure::Status { program: "judge".to_owned(), tail: format!("{error}: {said}") }
    })?;
    let mut outcomes: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for answer in sheet.answers {
        let word = match answer.grade.as_str() {
            SILENT => silent(cases, &answer.case),
            "hung" => "hangs",
            "unreached" => "not reached",
            word => word,
        };
        *outcomes.entry(answer.rule).or_default().entry(word.to_owned()).or_default() += 1;
    }
    Ok(Measured { head: format!("{} {version}", client.title), outcomes })
}

/// A client that noticed nothing has taken the faulty frame as if it were fine, if it is the
/// reply that it waited for; else it has passed over it.
fn silent(cases: &[Case], id: &str) -> &'static str {
    let Some(case) = cases.iter().find(|case| case.file.id == id) else { return "ignored" };
    let violation = match expectation_for(&case.file, spoken_revision(case)) {
        Some(Expectation::Violation(violation)) => violation,
        Some(Expectation::Clean(_)) => return "ok",
        Some(Expectation::Stuck(_)) | None => return "ignored",
    };
    let rule: Option<RuleId> = violation.rule.parse().ok();
    let of_correlation = rule.is_some_and(|rule| rule.rule().layer == Layer::Lifecycle);
    if of_correlation && rule != Some(RuleId::IdChanged) {
        return "ignored";
    }
    let index = violation.frame.and_then(|frame| usize::try_from(frame - 1).ok());
    let line = index.and_then(|index| case.stdout.split(|byte| *byte == b'\n').nth(index));
    let is_reply = line.is_some_and(|line| {
        let has = |word: &str| line.windows(word.len()).any(|found| found == word.as_bytes());
        has("\"id\"") && (has("\"result\"") || has("\"error\""))
    });
    if is_reply { "accepted" } else { "ignored" }
}

/// Installs with the ecosystem's own client, and gives the version.
fn install_client(client: &Client, prefix: &Path) -> Result<String, Failure> {
    match client.registry {
        Registry::Npm => {
            succeed(
                program("npm")
                    .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
                    .arg(prefix)
                    .arg(client.package),
            )?;
            let manifest = prefix.join("node_modules").join(client.package).join("package.json");
            #[derive(Deserialize)]
            struct Manifest {
                version: String,
            }
            let text = fs::read(manifest).unwrap_or_default();
            let manifest = serde_json::from_slice(&text).map_err(|error| Failure::Status {
                program: "npm".to_owned(),
                tail: format!("no version of {}: {error}", client.package),
            });
            manifest.map(|manifest: Manifest| manifest.version)
        }
        Registry::Crates => {
            let package = prefix.join("rust");
            let mut cargo = program("cargo");
            cargo.args(["build", "--quiet", "--target-dir", "target"]).current_dir(&package);
            succeed(&mut cargo)?;
            let lock = fs::read_to_string(package.join("Cargo.lock")).unwrap_or_default();
            let entry = format!("name = \"{}\"\nversion = \"", client.package);
            let version = lock.split_once(&entry).and_then(|(_, rest)| rest.split_once('"'));
            version.map(|(version, _)| version.to_owned()).ok_or_else(|| Failure::Status {
                program: "cargo".to_owned(),
                tail: format!("no version of {}", client.package),
            })
        }
        Registry::PyPi => {
            succeed(program("python3").args(["-m", "venv"]).arg(prefix))?;
            let pip = prefix.join("bin/pip");
            succeed(program(&pip).args(["install", "--quiet", client.package]))?;
            let show = succeed(program(&pip).args(["show", client.package]))?;
            let text = String::from_utf8(show.stdout).unwrap_or_default();
            let version = text.lines().find_map(|line| line.strip_prefix("Version: "));
            version.map(str::to_owned).ok_or_else(|| Failure::Status {
                program: "pip".to_owned(),
                tail: format!("no version of {}", client.package),
            })
        }
    }
}

const HEAD: &str = "\
# What clients do

Made by `cargo xtask clients`: the current client of each SDK is installed, and `judge` plays it the
case of every fixture server. It connects, lists the tools, calls one; each request has three
seconds. Measured, so that it changes with their versions.

*ignored*: passed over, nothing said. *accepted*: taken as if it were fine. *logged*: passed over,
and said on its error callback or log. *reply lost*: the request timed out. *reply refused*: the
request failed at once. *connection dies*. *hangs*: not even the timeout of the request ended it.
*not reached*: its session ended before the mistake. Numbers are cases, where a rule has several.

";

fn table(measured: &[Measured]) -> String {
    let mut text = HEAD.to_owned();
    let heads: Vec<&str> = measured.iter().map(|one| one.head.as_str()).collect();
    text.push_str(&format!("| rule | {} |\n|---|", heads.join(" | ")));
    text.push_str(&"---|".repeat(measured.len()));
    text.push('\n');
    let rules = RuleId::ALL.iter().map(|rule| rule.name()).chain(["valid-stdout"]);
    for rule in rules.filter(|rule| measured.iter().any(|one| one.outcomes.contains_key(*rule))) {
        let cells = measured.iter().map(|one| one.outcomes.get(rule).map(cell).unwrap_or_default());
        text.push_str(&format!("| {rule} | {} |\n", cells.collect::<Vec<_>>().join(" | ")));
    }
    text
}

fn cell(outcomes: &BTreeMap<String, usize>) -> String {
    let one = outcomes.values().sum::<usize>() == 1;
    let words = outcomes.iter().map(|(word, count)| match one {
        true => word.clone(),
        false => format!("{word} {count}"),
    });
    words.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{CLIENTS, Measured, silent, table};
    use crate::workspace::Workspace;

    #[test]
    fn what_a_silent_client_did_depends_on_the_frame() {
        let cases = corpus::embedded();
        assert_eq!(silent(&cases, "startup-banner"), "ignored");
        assert_eq!(silent(&cases, "invalid-utf8"), "accepted");
        assert_eq!(silent(&cases, "duplicate-reply"), "ignored");
        assert_eq!(silent(&cases, "id-to-string"), "accepted");
        assert_eq!(silent(&cases, "ok-plain"), "ok");
    }

    #[test]
    fn the_table_has_a_column_for_each_client_and_a_row_for_each_rule() {
        let outcomes = |words: &[(&str, usize)]| -> BTreeMap<String, usize> {
            words.iter().map(|(word, count)| ((*word).to_owned(), *count)).collect()
        };
        let one = |head: &str, words: &[(&str, usize)]| Measured {
            head: head.to_owned(),
            outcomes: BTreeMap::from([("empty-frame".to_owned(), outcomes(words))]),
        };
        let table =
            table(&[one("A 1", &[("ignored", 1)]), one("B 2", &[("hangs", 1), ("logged", 2)])]);
        assert!(table.contains("| rule | A 1 | B 2 |\n|---|---|---|\n"), "{table}");
        assert!(table.ends_with("| empty-frame | ignored | hangs 1; logged 2 |\n"), "{table}");
    }

    #[test]
    fn every_client_has_its_profile_and_its_files() {
        let clients = Workspace::here().path("clients");
        for client in CLIENTS {
            let profile = format!("{}.json", client.name);
            for file in client.files.iter().copied().chain([profile.as_str()]) {
                assert!(clients.join(file).is_file(), "{file}");
            }
        }
    }
}
