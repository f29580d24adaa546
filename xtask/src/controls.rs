//! Negative controls through the installed command: each must fail with its own rule and frame,
//! and its sane twin must pass in the same step. Anything else is red.

use corpus::{Case, Expectation, ScriptStep, expectation_for, load_all};
use model::{DeadlineName, ProtocolVersion};
use tempfile::TempDir;

use crate::Complaints;
use crate::command::{build_fixtures, install};
use crate::verdict::{Wanted, differs, probe};
use crate::workspace::Workspace;

/// Probes each fixture that makes a mistake, and its sane twin.
pub fn run() -> Complaints {
    let mut complaints = Complaints::new();
    let here = Workspace::here();
    let (installed, fixtures) = match install().and_then(|path| Ok((path, build_fixtures(&here)?)))
    {
        Ok(paths) => paths,
        Err(failure) => return vec![failure.to_string()],
    };
    let cases = match load_all(&here.corpus()) {
        Ok(cases) => cases,
        Err(errors) => return errors.iter().map(ToString::to_string).collect(),
    };
    let mut negative = 0;
    for case in cases.iter().filter(|case| case.family == Some(corpus::Family::Recordings)) {
        let version = ProtocolVersion::NEWEST_WITH_HANDSHAKE;
        let Some(Expectation::Violation(violation)) = expectation_for(&case.file, version) else {
            continue;
        };
        negative += 1;
        let name = &case.file.id;
        let Ok(directory) = TempDir::new() else {
            complaints.push("no temporary directory can be made".to_owned());
            break;
        };
        let server = fixtures.join(name).display().to_string();
        let rule = violation.rule.as_str();
        let pair = [
            (vec![server.as_str()], Wanted::Violation { rule, frame: violation.frame }),
            (vec![server.as_str(), "--sane"], Wanted::Clean),
        ];
        for (server, wanted) in pair {
            match probe(&installed, &server, &options(case), directory.path()) {
                Ok((status, report)) => complaints
                    .extend(differs(wanted, status, &report).map(|text| format!("{name}: {text}"))),
                Err(failure) => complaints.push(format!("{name}: {failure}")),
            }
        }
    }
    if negative == 0 {
        complaints.push("no negative control was found".to_owned());
    }
    println!("controls: {negative} mistakes and their sane twins");
    complaints
}

/// The options under which a fixture shows its mistake. Only a deadline that must pass is short.
fn options(case: &Case) -> Vec<String> {
    let mut options = Vec::new();
    for call in &case.file.run.calls {
        options.extend(["--call".to_owned(), call.clone()]);
    }
    if let Some(max) = case.file.run.max_frame_bytes {
        options.extend(["--max-frame-bytes".to_owned(), max.to_string()]);
    }
    let reply = ScriptStep::Deadline(DeadlineName::Reply.name().to_owned());
    if case.file.script.iter().flatten().any(|step| *step == reply) {
        options.extend(["--reply-timeout".to_owned(), "0.5".to_owned()]);
    }
    options
}
