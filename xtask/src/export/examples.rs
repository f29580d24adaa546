//! The worked examples, run as a reader of the archive would.

use std::process::Command;

use serde::Deserialize;
use tempfile::TempDir;

use super::Archive;
use crate::Complaints;
use crate::command::{Failure, install, output, program, succeed};
use crate::workspace::Workspace;

/// Runs the examples of the archive in an empty directory, with the installed command, and judges
/// their harness by every case.
#[must_use]
pub fn try_examples() -> Complaints {
    let (archive, installed) = match (Archive::of(&Workspace::here()), install()) {
        (Ok(archive), Ok(installed)) => (archive, installed),
        (Err(complaints), _) => return complaints,
        (_, Err(failure)) => return vec![failure.to_string()],
    };
    let directory = match TempDir::new() {
        Ok(directory) => directory,
        Err(error) => return vec![format!("no temporary directory can be made: {error}")],
    };
    if let Err(error) = archive.unpack(directory.path()) {
        return vec![format!("{}: {error}", directory.path().display())];
    }
    let at = |place: &str, name: &str, arguments: &[&str]| {
        let mut command = program(name);
        command.current_dir(directory.path().join(place)).args(arguments);
        command.env("MCP_STDIO_PROBE", &installed);
        command
    };
    let examples = [
        ("pytest", at("python", "python3", &["-m", "pytest", "-q", "-p", "no:cacheprovider"])),
        ("node --test", at("node", "node", &["--test"])),
    ];
    let mut complaints = Complaints::new();
    for (name, mut command) in examples {
        match passed(&mut command) {
            Ok(line) => println!("export, {name}: {line}"),
            Err(failure) => complaints.push(format!("{name}: {failure}")),
        }
    }
    for (place, runtime, file) in
        [("python", "python3", "harness.py"), ("node", "node", "harness.mjs")]
    {
        let own = installed.display().to_string();
        let options = ["judge", "--family", "recordings", "--format", "json", "--"];
        let mut command = at(place, &own, &options);
        match graded(command.args([runtime, file, "{server}"])) {
            Ok(line) => println!("export, judge of {file}: {line}"),
            Err(text) => complaints.push(format!("judge of {file}: {text}")),
        }
    }
    complaints
}

/// What the runner of tests says at its end.
fn passed(command: &mut Command) -> Result<String, Failure> {
    let output = succeed(command)?;
    let text = String::from_utf8(output.stdout).unwrap_or_default();
    let passed = text.lines().rev().find(|line| line.contains("pass"));
    Ok(passed.unwrap_or_default().trim().to_owned())
}

/// What the harness is known to be worth: it catches these, never cries wolf, and ends what it
/// starts.
const MUST_CATCH: &[&str] = &[
    "empty-frame",
    "decode-error",
    "byte-order-mark",
    "split-message",
    "joined-messages",
    "content-length-header",
    "partial-frame",
    "unterminated-frame",
    "not-an-object",
    "jsonrpc-version",
    "result-and-error",
    "no-response",
];

#[derive(Deserialize)]
struct Sheet {
    answers: Vec<Answer>,
}

#[derive(Deserialize)]
struct Answer {
    case: String,
    rule: String,
    grade: String,
    leaked: Vec<String>,
}

fn graded(command: &mut Command) -> Result<String, String> {
    let output = output(command).map_err(|failure| failure.to_string())?;
    let sheet: Sheet = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("no sheet: {error} ({})", output.status))?;
    let mut wrong = Vec::new();
    for answer in &sheet.answers {
        let right = match (answer.rule.as_str(), answer.grade.as_str()) {
            ("valid-stdout", grade) => grade == "passed",
            // It goes no further than tools/list.
            (rule, grade) if MUST_CATCH.contains(&rule) => ["caught", "unreached"].contains(&grade),
            (_, grade) => ["caught", "missed", "unreached"].contains(&grade),
        };
        if !right || !answer.leaked.is_empty() {
            wrong.push(format!("{}: {} {:?}", answer.case, answer.grade, answer.leaked));
        }
    }
    let asked = |rule: &str| {
        let answered = sheet.answers.iter().filter(|answer| answer.rule == rule);
        answered.filter(|answer| answer.grade != "unreached").count()
    };
    let rules = MUST_CATCH.iter().chain(&["valid-stdout"]);
    wrong.extend(rules.filter(|rule| asked(rule) == 0).map(|rule| format!("{rule}: not asked")));
    match wrong.is_empty() {
        true => Ok(format!("{} answers, each as it is known to be worth", sheet.answers.len())),
        false => Err(wrong.join("; ")),
    }
}
