//! The bytes of each fixture's recording, from a live run.

use std::path::Path;

use corpus::{Case, Family, ScriptStep, compact, load_case};
use drive::LaunchSpec;

use super::Generated;
use crate::Complaints;
use crate::command::build_fixtures;
use crate::workspace::{entries, root};

pub(crate) fn generate(complaints: &mut Complaints) -> Vec<Generated> {
    let fixtures = match build_fixtures() {
        Ok(fixtures) => fixtures,
        Err(failure) => {
            complaints.push(failure.to_string());
            return Vec::new();
        }
    };
    let mut files = Vec::new();
    for path in entries(&root().join("corpus/recordings"), complaints) {
        match load_case(Family::Recordings, &path) {
            Ok(case) => record(&case, &fixtures, &mut files, complaints),
            Err(error) => complaints.push(error.to_string()),
        }
    }
    files
}

fn record(case: &Case, fixtures: &Path, files: &mut Vec<Generated>, complaints: &mut Complaints) {
    let id = &case.file.id;
    let run = match probe::rehearse(case, LaunchSpec::new(fixtures.join(id))) {
        Ok(run) => run,
        Err(error) => {
            complaints.push(format!("{id}: {error}"));
            return;
        }
    };
    if let Some(error) = run.telemetry.launch_error {
        complaints.push(format!("{id}: {error}"));
        return;
    }
    match compact(run.transcript.stdout().bytes(), &case.file.expand) {
        Ok(bytes) => files.push(Generated { path: case.path.join("stdout.raw"), bytes }),
        Err(error) => complaints.push(format!("{id}: {error}")),
    }
    // stderr is recorded only where the script has a place for it.
    let has_stderr =
        case.file.script.iter().flatten().any(|step| matches!(step, ScriptStep::Stderr(_)));
    if has_stderr {
        let bytes = run.transcript.stderr().bytes().to_vec();
        files.push(Generated { path: case.path.join("stderr.raw"), bytes });
    }
}
