//! Negative controls through the installed command: each must fail with its own rule and frame,
//! and its sane twin must pass in the same step. Anything else is red.

use corpus::{Case, Expectation, Home, ScriptStep, expectation_for, load_all, revision_shown};
use model::DeadlineName;
use tempfile::TempDir;

use crate::Complaints;
use crate::command::{build_fixtures, install};
use crate::verdict::{self, Wanted, differs};
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
        let version = revision_shown(&case.file);
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
        let mut options = options(case);
        if let Some(home) = case.file.run.home {
            options.extend(["--env".to_owned(), format!("HOME={}", directory.path().display())]);
            if home == Home::Again
                && let Err(failure) =
                    verdict::probe(&installed, &[&server], &options, directory.path())
            {
                complaints.push(format!("{name}: {failure}"));
            }
        }
        let impatient = [deadlines(case), options.clone()].concat();
        let pair = [
            (vec![server.as_str()], impatient, Wanted::Violation { rule, frame: violation.frame }),
            (vec![server.as_str(), "--sane"], options, Wanted::Clean),
        ];
        for (server, options, wanted) in pair {
            match verdict::probe(&installed, &server, &options, directory.path()) {
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

/// The options under which a fixture shows its mistake.
fn options(case: &Case) -> Vec<String> {
    let mut options = Vec::new();
    let mut option = |name: &str, value: String| options.extend([name.to_owned(), value]);
    let run = &case.file.run;
    for call in &run.calls {
        option("--call", call.clone());
    }
    for (name, value) in &run.env {
        option("--env", format!("{name}={value}"));
    }
    if let Some(name) = &run.scenario {
        option("--scenario", name.clone());
    }
    if let Some(canary) = &run.canary {
        option("--canary", canary.clone());
        option("--canary-env", probe::CANARY.to_owned());
    }
    if let Some(max) = run.max_frame_bytes {
        option("--max-frame-bytes", max.to_string());
    }
    options
}

/// Short deadlines, where one must pass. The sane twin has the usual ones.
fn deadlines(case: &Case) -> Vec<String> {
    let passes = |name: DeadlineName| {
        let step = ScriptStep::Deadline(name.name().to_owned());
        case.file.script.iter().flatten().any(|other| *other == step)
    };
    let all = [
        (DeadlineName::Startup, "--startup-timeout"),
        (DeadlineName::Reply, "--reply-timeout"),
        (DeadlineName::ShutdownEof, "--shutdown-timeout"),
    ];
    let short = all.into_iter().filter(|(name, _)| passes(*name));
    short.flat_map(|(_, option)| [option.to_owned(), "0.5".to_owned()]).collect()
}
