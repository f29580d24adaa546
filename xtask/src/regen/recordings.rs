//! The bytes of each fixture's recording, from a live run.

use std::path::Path;

use corpus::{Case, Family, ScriptStep, compact, load_case};
use drive::LaunchSpec;

use super::DetectorFactory;
use crate::Complaints;
use crate::generated::Generated;
use crate::workspace::{Workspace, entries};

pub(super) fn generate(
    workspace: &Workspace,
    fixtures: &Path,
    detector: DetectorFactory,
) -> Result<Vec<Generated>, Complaints> {
    let mut complaints = Complaints::new();
    let mut files = Vec::new();
    for path in entries(&workspace.path("corpus/recordings"), &mut complaints) {
        let recorded = load_case(Family::Recordings, &path)
            .map_err(|error| error.to_string())
            .and_then(|case| record(workspace, &case, fixtures, detector));
        match recorded {
            Ok(recorded) => files.extend(recorded),
            Err(complaint) => complaints.push(complaint),
        }
    }
    if complaints.is_empty() { Ok(files) } else { Err(complaints) }
}

fn record(
    workspace: &Workspace,
    case: &Case,
    fixtures: &Path,
    detector: DetectorFactory,
) -> Result<Vec<Generated>, String> {
    let id = &case.file.id;
    let run = probe::rehearse_with(case, LaunchSpec::new(fixtures.join(id)), detector)
        .map_err(|error| format!("{id}: {error}"))?;
    if let Some(error) = run.telemetry.launch_error {
        return Err(format!("{id}: {error}"));
    }
    let directory = case.path.strip_prefix(workspace.root()).unwrap_or(&case.path);
    let stdout = compact(run.transcript.stdout().bytes(), &case.file.expand)
        .map_err(|error| format!("{id}: {error}"))?;
    let mut files = vec![Generated { path: directory.join("stdout.raw"), bytes: stdout }];
    // stderr is recorded only where the script has a place for it.
    if case.file.script.iter().flatten().any(|step| matches!(step, ScriptStep::Stderr(_))) {
        let bytes = run.transcript.stderr().bytes().to_vec();
        files.push(Generated { path: directory.join("stderr.raw"), bytes });
    }
    Ok(files)
}
