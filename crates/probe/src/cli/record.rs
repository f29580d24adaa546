//! `--record`: the raw transcript, as a directory of the corpus's form.
//!
//! A recording is not a report: nothing in it is redacted, so only its owner may read it.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use corpus::{
    CaseFile, Oracle, Origin, RunSettings, ScriptStep, Send, SendMessage, SendRaw, SendReply, Take,
    Todo, Usage, Window,
};
use drive::{Recorded, Scenario, Transcript};
use model::{EventKind, ExitStatus, Held, Phase, PlanStep, Sent, Side, Untested};

use super::UsageError;

/// The scenario that is played where a case names none.
const ORDINARY: &str = "session";

/// Makes the directory. It must be new or empty, so that nothing is overwritten.
pub(crate) fn reserve(directory: &Path) -> Result<(), UsageError> {
    let refuse = |error: &io::Error| cannot_write(directory, error);
    match DirBuilder::new().mode(0o700).create(directory) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let mut entries = fs::read_dir(directory).map_err(|error| refuse(&error))?;
            match entries.next() {
                None => Ok(()),
                Some(_) => Err(UsageError::new(format!("{} is not empty", directory.display()))),
            }
        }
        made => made.map_err(|error| refuse(&error)),
    }
}

/// Writes the recording into a directory that was reserved.
pub(crate) fn write(
    directory: &Path,
    transcript: &Transcript,
    calls: &[String],
    scenario: Option<&Scenario>,
) -> Result<(), UsageError> {
    let id = directory.file_name().unwrap_or(directory.as_os_str());
    let case = CaseFile {
        schema: 1,
        id: id.display().to_string(),
        title: "recorded by run --record".to_owned(),
        why: "TODO: which sentence of the specification, and why at that byte".to_owned(),
        origin: Origin::Capture,
        tags: Vec::new(),
        run: RunSettings {
            calls: calls.to_vec(),
            // A scenario of the user's own is no part of the corpus.
            scenario: scenario
                .map(Scenario::name)
                .filter(|name| *name != ORDINARY && Scenario::built_in(name).is_some())
                .map(str::to_owned),
            ..RunSettings::default()
        },
        expand: Vec::new(),
        program: None,
        script: Some(script(transcript)),
        expect: Oracle::Open(Todo::Todo),
    };
    let mut json = serde_json::to_vec_pretty(&case)
        .map_err(|error| UsageError::new(format!("cannot write case.json: {error}")))?;
    json.push(b'\n');
    let files = [
        ("case.json", json.as_slice()),
        ("stdout.raw", transcript.stdout().bytes()),
        ("stderr.raw", transcript.stderr().bytes()),
    ];
    for (name, bytes) in files {
        private(&directory.join(name), bytes)?;
    }
    Ok(())
}

fn private(path: &Path, bytes: &[u8]) -> Result<(), UsageError> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .and_then(|mut file| file.write_all(bytes))
        .map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &Path, error: &io::Error) -> UsageError {
    UsageError::new(format!("cannot write {}: {error}", path.display()))
}

/// What happened, as the steps of a script.
fn script(transcript: &Transcript) -> Vec<ScriptStep> {
    let kept = [transcript.stdout().bytes().len(), transcript.stderr().bytes().len()];
    let mut steps = Vec::new();
    for entry in transcript.entries() {
        let step = match &entry.what {
            Recorded::Stdout { offset, len } => {
                taken(*offset, *len, kept[0]).map(ScriptStep::Stdout)
            }
            Recorded::Stderr { offset, len } => {
                taken(*offset, *len, kept[1]).map(ScriptStep::Stderr)
            }
            Recorded::Other(kind) => step(kind),
        };
        steps.extend(step);
    }
    steps
}

/// As many of these bytes as were kept.
fn taken(offset: u64, len: u64, kept: usize) -> Option<Take> {
    let offset = usize::try_from(offset).ok()?;
    let len = usize::try_from(len).ok()?.min(kept.saturating_sub(offset));
    (len > 0).then_some(Take::Bytes(len))
}

/// None for what a script implies.
fn step(kind: &EventKind<'_>) -> Option<ScriptStep> {
    Some(match kind {
        EventKind::Sent(Sent::Request { id, method, params, .. }) => {
            ScriptStep::Send(match PlanStep::of_request(id, method) {
                Some(step) => Send::Step(step.to_string()),
                None => message(method, Some(id.as_str()), params.as_deref()),
            })
        }
        EventKind::Sent(Sent::Notification { method }) => {
            ScriptStep::Send(if **method == *PlanStep::Initialized.method() {
                Send::Step(PlanStep::Initialized.to_string())
            } else {
                message(method, None, None)
            })
        }
        EventKind::Sent(Sent::Malformed) => {
            ScriptStep::Send(Send::Raw(SendRaw { raw: "as the scenario says".to_owned() }))
        }
        EventKind::StepBegan(Phase::Idle) => ScriptStep::Idle,
        EventKind::Usage { cpu, wall } => ScriptStep::Usage(Usage {
            cpu_ms: u64::try_from(cpu.as_millis()).unwrap_or(u64::MAX),
            wall_ms: u64::try_from(wall.as_millis()).unwrap_or(u64::MAX),
        }),
        EventKind::GaveUp => ScriptStep::GaveUp,
        EventKind::StdoutClosed => ScriptStep::CloseStdout,
        EventKind::Untested(Untested::NoTool) => ScriptStep::NoTool,
        EventKind::Sent(Sent::Reply { id }) => {
            ScriptStep::Send(Send::Reply(SendReply { reply: id.as_str().to_owned() }))
        }
        EventKind::StepBegan(Phase::AfterExit) => ScriptStep::AfterExit,
        EventKind::StdinClosed { by: Side::Client } => ScriptStep::CloseStdin,
        EventKind::StdinClosed { by: Side::Server } => ScriptStep::StdinClosedByServer,
        EventKind::StdoutEof => ScriptStep::StdoutEof,
        EventKind::StderrEof => ScriptStep::StderrEof,
        EventKind::Deadline(name) => ScriptStep::Deadline(name.name().to_owned()),
        EventKind::CapReached(name) => ScriptStep::Cap(name.name().to_owned()),
        EventKind::Signalled(signal) => ScriptStep::Signal(signal.name().to_owned()),
        EventKind::Exited(ExitStatus::Code(code)) => ScriptStep::Exit(*code),
        EventKind::Exited(ExitStatus::Signal(signal)) => ScriptStep::KilledBy(*signal),
        EventKind::LeakWindowEnded { stdout: Held::Open } => ScriptStep::LeakWindow(Window::Open),
        EventKind::LeakWindowEnded { stdout: Held::Closed } => {
            ScriptStep::LeakWindow(Window::Closed)
        }
        EventKind::Census { strays } => ScriptStep::Strays(*strays),
        EventKind::Untested(Untested::ToolNotListed { tool }) => {
            ScriptStep::ToolNotListed(tool.to_string())
        }
        EventKind::Untested(Untested::ReplyNotReadable { method }) => {
            ScriptStep::ReplyNotReadable(method.to_string())
        }
        EventKind::Untested(Untested::ListNotFinished { method }) => {
            ScriptStep::ListNotFinished(method.to_string())
        }
        EventKind::Stopped => ScriptStep::Stopped,
        EventKind::LaunchFailed(_)
        | EventKind::StepBegan(_)
        | EventKind::WriteProgress { .. }
        | EventKind::WriteFailed
        | EventKind::Stdout(_)
        | EventKind::Stderr(_) => return None,
    })
}

fn message(method: &str, id: Option<&str>, params: Option<&str>) -> Send {
    // What is asked for beside the plan is asked for in the phase of the calls.
    Send::Message(SendMessage {
        method: method.to_owned(),
        id: id.map(str::to_owned),
        params: params.and_then(|params| serde_json::from_str(params).ok()),
        phase: Some(Phase::Call.name().to_owned()),
    })
}
