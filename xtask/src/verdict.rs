//! What the installed command says of a server: its exit status and its JSON report.

use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::command::{Failure, output, program};

/// The members of the JSON report that tasks look at.
#[derive(Debug, Deserialize)]
pub(crate) struct Report {
    pub(crate) classification: String,
    pub(crate) first_violation: Option<FirstViolation>,
    pub(crate) reason: Option<String>,
    pub(crate) advice: Vec<Advice>,
    pub(crate) exit_status: serde_json::Value,
    /// A row each, if there are several.
    #[serde(default)]
    pub(crate) sessions: Vec<Row>,
    pub(crate) package: Option<Package>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) classification: String,
    pub(crate) advice: Vec<Advice>,
}

/// The package that was launched.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) runtime: String,
    pub(crate) entry: String,
    pub(crate) sdks: Vec<Sdk>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Sdk {
    pub(crate) name: String,
    pub(crate) version: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct FirstViolation {
    pub(crate) rule: String,
    pub(crate) frame: Option<u64>,
    pub(crate) byte_in_frame: Option<u64>,
    pub(crate) excerpt: Option<serde_json::Value>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Advice {
    pub(crate) rule: String,
}

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'a> {
    /// Exit status 0 and `valid-stdout`.
    Clean,
    /// Exit status 1, this rule, this frame.
    Violation { rule: &'a str, frame: Option<u64> },
}

/// Probes a server with the installed command, from an empty directory.
pub(crate) fn probe(
    installed: &Path,
    server: &[&str],
    options: &[String],
    directory: &Path,
) -> Result<(Option<i32>, Report), Failure> {
    let mut command: Command = program(installed);
    command.current_dir(directory).args(["run", "--format", "json"]).args(options).arg("--");
    let output = output(command.args(server))?;
    let report = serde_json::from_slice(&output.stdout).map_err(|error| Failure::Status {
        program: installed.display().to_string(),
        tail: format!("no JSON report: {error}"),
    })?;
    Ok((output.status.code(), report))
}

/// How a verdict differs from what is wanted; None if it does not.
pub(crate) fn differs(wanted: Wanted<'_>, status: Option<i32>, report: &Report) -> Option<String> {
    let found = report.first_violation.as_ref();
    let right = match wanted {
        Wanted::Clean => status == Some(0) && report.classification == "valid-stdout",
        Wanted::Violation { rule, frame } => {
            status == Some(1)
                && report.classification == rule
                && found.is_some_and(|found| found.rule == rule && found.frame == frame)
        }
    };
    (!right).then(|| {
        let found = found.map(|found| {
            format!(
                ", frame {:?}, byte {:?}, excerpt {:?}",
                found.frame, found.byte_in_frame, found.excerpt
            )
        });
        format!(
            "wanted {wanted:?}; got exit status {status:?}, {}{}{}",
            report.classification,
            report.reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default(),
            found.unwrap_or_default(),
        )
    })
}
