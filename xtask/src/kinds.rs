//! `kinds`: whether the full profile catches each kind of mistake that is known from reports, by the
//! session that is named for it.
//!
//! Owns the table of kinds (`kinds.json`): which server shows a kind, in which session by which
//! rule; what is legal and must not be flagged; and what cannot be caught, with the reason.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use corpus::{Case, Family, load_all};
use serde::Deserialize;
use tempfile::TempDir;

use crate::Complaints;
use crate::command::{Failure, build_fixtures, install, output, program};
use crate::workspace::Workspace;

const KINDS: &str = include_str!("../kinds.json");
/// Where the table for people is.
const TABLE: &str = "snapshots/kinds.md";

/// A kind of mistake.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Kind {
    kind: String,
    name: String,
    /// A fixture, or a case that is played.
    server: Option<String>,
    session: Option<String>,
    rule: Option<String>,
    /// Why it is no mistake.
    legal: Option<String>,
    /// Why no session can catch it.
    not_caught: Option<String>,
}

/// What is said of a kind.
#[derive(Clone, Copy, Debug)]
enum Shown<'k> {
    Caught { server: &'k str, session: &'k str, rule: &'k str },
    Legal { server: &'k str, why: &'k str },
    NotCaught { why: &'k str },
}

impl Kind {
    fn shown(&self) -> Result<Shown<'_>, String> {
        let members = [&self.server, &self.session, &self.rule, &self.legal, &self.not_caught];
        match members.map(Option::as_deref) {
            [Some(server), Some(session), Some(rule), None, None] => {
                Ok(Shown::Caught { server, session, rule })
            }
            [Some(server), None, None, Some(why), None] => Ok(Shown::Legal { server, why }),
            [None, None, None, None, Some(why)] => Ok(Shown::NotCaught { why }),
            _ => Err(format!("{}: it is neither caught, nor legal, nor out of reach", self.kind)),
        }
    }
}

/// A report of many sessions, as far as it is looked at.
#[derive(Deserialize)]
struct Report {
    #[serde(default)]
    sessions: Vec<Session>,
}

#[derive(Deserialize)]
struct Session {
    name: String,
    first_violation: Option<Finding>,
    advice: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    rule: String,
}

/// Runs the full profile with the server of each kind whose name begins so, then writes the table
/// if all were run and are right.
pub fn run(only: Option<&str>) -> Complaints {
    let here = Workspace::here();
    let kinds = match kinds() {
        Ok(kinds) => kinds,
        Err(complaint) => return vec![complaint],
    };
    let built = install().and_then(|installed| Ok((installed, build_fixtures(&here)?)));
    let (installed, fixtures) = match built {
        Ok(paths) => paths,
        Err(failure) => return vec![failure.to_string()],
    };
    let cases = match load_all(&here.corpus()) {
        Ok(cases) => cases,
        Err(errors) => return errors.iter().map(ToString::to_string).collect(),
    };
    let cases = cases.into_iter().map(|case| (case.file.id.clone(), case)).collect();
    let servers = Servers { installed, fixtures, cases };
    let mut complaints = Complaints::new();
    let mut count = 0;
    for kind in &kinds {
        if only.is_some_and(|only| kind.kind != only) {
            continue;
        }
        count += 1;
        let wrong = kind.shown().and_then(|shown| servers.differs(shown));
        match wrong {
            Ok(None) => {}
            Ok(Some(text)) | Err(text) => complaints.push(format!("{}: {text}", kind.kind)),
        }
    }
    println!(
        "kinds: {count} of {} were tried, {} are not as the table says",
        kinds.len(),
        complaints.len()
    );
    if complaints.is_empty() && only.is_none() {
        complaints.extend(write_table(&here, &kinds));
    }
    complaints
}

fn kinds() -> Result<Vec<Kind>, String> {
    serde_json::from_str(KINDS).map_err(|error| format!("xtask/kinds.json: {error}"))
}

struct Servers {
    installed: PathBuf,
    fixtures: PathBuf,
    cases: BTreeMap<String, Case>,
}

impl Servers {
    /// How the sessions with a server differ from what the table says; None if they do not.
    fn differs(&self, shown: Shown<'_>) -> Result<Option<String>, String> {
        match shown {
            Shown::NotCaught { .. } => Ok(None),
            Shown::Legal { server, .. } => {
                let report = self.probe(server).map_err(|failure| failure.to_string())?;
                let flagged = report.sessions.iter().find_map(|session| {
                    let violation = session.first_violation.as_ref()?;
                    Some(format!("`{}` is found in `{}`", violation.rule, session.name))
                });
                Ok(flagged)
            }
            Shown::Caught { server, session, rule } => {
                let report = self.probe(server).map_err(|failure| failure.to_string())?;
                let Some(found) = report.sessions.iter().find(|found| found.name == session) else {
                    return Ok(Some(format!("there is no session `{session}`")));
                };
                let mut rules = found.first_violation.iter().chain(&found.advice);
                let caught = rules.any(|finding| finding.rule == rule);
                let first = found.first_violation.as_ref().map(|finding| finding.rule.as_str());
                Ok((!caught).then(|| format!("`{session}` does not find `{rule}`, but {first:?}")))
            }
        }
    }

    fn probe(&self, server: &str) -> Result<Report, Failure> {
        let home = TempDir::new().map_err(|source| Failure::Status {
            program: "a temporary directory".to_owned(),
            tail: source.to_string(),
        })?;
        let mut command = program(&self.installed);
        command.current_dir(home.path());
        command.args(["run", "--profile", "full", "--malformed-line", "--format", "json"]);
        command.args(["--startup-timeout", "2", "--reply-timeout", "1", "--shutdown-timeout", "1"]);
        command.arg("--env").arg(format!("HOME={}", home.path().display()));
        let case = self.cases.get(server);
        for call in case.iter().flat_map(|case| &case.file.run.calls) {
            command.args(["--call", call]);
        }
        command.arg("--");
        match case {
            Some(case) if case.family != Some(Family::Recordings) => {
                command.arg(&self.installed).args(["play", server])
            }
            _ => command.arg(self.fixtures.join(server)),
        };
        let output = output(&mut command)?;
        serde_json::from_slice(&output.stdout).map_err(|error| Failure::Status {
            program: format!("the full profile with {server}"),
            tail: format!("no JSON report: {error}"),
        })
    }
}

fn write_table(here: &Workspace, kinds: &[Kind]) -> Option<String> {
    let text = match table(kinds) {
        Ok(text) => text,
        Err(complaint) => return Some(complaint),
    };
    let path = here.path(TABLE);
    std::fs::write(&path, text).err().map(|error| format!("{}: {error}", path.display()))
}

fn table(kinds: &[Kind]) -> Result<String, String> {
    let mut text = String::from(
        "# Which session of the full profile catches which kind of mistake\n\n\
         Made by `cargo xtask kinds`, which plays each server; do not edit.\n\n\
         | kind | what it is | server | session | finding |\n|---|---|---|---|---|\n",
    );
    for kind in kinds {
        let Kind { kind: id, name, .. } = kind;
        let row = match kind.shown()? {
            Shown::Caught { server, session, rule } => format!("{server} | {session} | {rule}"),
            Shown::Legal { server, why } => format!("{server} | all | none: {why}"),
            Shown::NotCaught { why } => format!("– | – | not caught: {why}"),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| {id} | {name} | {row} |");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use model::RuleId;

    use super::*;

    #[test]
    fn each_kind_is_named_once_and_by_a_rule_and_a_server_that_there_is() {
        let kinds = kinds().expect("the table can be read");
        assert!(kinds.len() > 80);
        let ids: BTreeSet<&str> = kinds.iter().map(|kind| kind.kind.as_str()).collect();
        assert_eq!(ids.len(), kinds.len());
        let here = Workspace::here();
        let cases = load_all(&here.corpus()).expect("the corpus can be read");
        let known = |server: &str| cases.iter().any(|case| case.file.id == server);
        for kind in &kinds {
            match kind.shown().expect("one thing is said of it") {
                Shown::Caught { server, rule, .. } => {
                    assert!(known(server), "{server}");
                    assert!(RuleId::ALL.iter().any(|id| id.name() == rule), "{rule}");
                }
                Shown::Legal { server, why } => assert!(known(server) && !why.is_empty()),
                Shown::NotCaught { why } => assert!(!why.is_empty()),
            }
        }
    }

    #[test]
    fn the_table_for_people_is_that_of_the_data() {
        let path = Workspace::here().path(TABLE);
        let written = std::fs::read_to_string(path).expect("`cargo xtask kinds` makes it");
        assert_eq!(written, table(&kinds().expect("it can be read")).expect("it is whole"));
    }
}
