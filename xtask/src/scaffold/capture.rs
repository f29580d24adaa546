//! Captured bytes: a file with a stdout, or a directory made by `run --record`.

use std::fs;
use std::path::{Path, PathBuf};

use corpus::{RunSettings, ScriptStep, load_recording};

/// What was captured of a run.
pub(super) struct Capture {
    pub(super) stdout: Vec<u8>,
    /// None where there is no file of it.
    pub(super) stderr: Option<Vec<u8>>,
    /// None where nothing is known but the bytes.
    pub(super) script: Option<Vec<ScriptStep>>,
    pub(super) run: RunSettings,
}

impl Capture {
    /// Reads a capture, and stderr from a file of its own if there is one.
    pub(super) fn read(stdout: &Path, stderr: Option<&PathBuf>) -> Result<Self, String> {
        let mut capture = if stdout.is_dir() { recording(stdout)? } else { file(stdout)? };
        if let Some(stderr) = stderr {
            capture.stderr = Some(read(stderr)?);
        }
        let silent = capture.stdout.is_empty();
        let sent = |step: &ScriptStep| matches!(step, ScriptStep::Send(_));
        if silent && !capture.script.iter().flatten().any(sent) {
            return Err(format!("{}: the capture is empty", stdout.display()));
        }
        Ok(capture)
    }
}

fn file(path: &Path) -> Result<Capture, String> {
    let stdout = read(path)?;
    Ok(Capture { stdout, stderr: None, script: None, run: RunSettings::default() })
}

fn recording(path: &Path) -> Result<Capture, String> {
    let case = load_recording(path).map_err(|error| error.to_string())?;
    let stderr = (!case.stderr.is_empty()).then_some(case.stderr);
    Ok(Capture { stdout: case.stdout, stderr, script: case.file.script, run: case.file.run })
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}
