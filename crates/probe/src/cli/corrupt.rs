//! `play --mutate`: a relay between a client and a real server, which corrupts what the server
//! writes in the way of one operator.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use corpus::{Chunking, events, load_recording, replay, rule_set};
use drive::{LaunchSpec, Session};
use inspect::{Inspector, RuleSet};
use model::{ExitStatus, Outcome, Verdict};
use mutate::{Aim, Operator, Terms, Transcript, View};
use tempfile::TempDir;

use super::args::PlayArguments;
use super::play::{Stay, command, start_over_to_end_by, watch_the_client};
use super::run::{Isolation, containment};
use super::{Status, UsageError, output, record};
use crate::relay::{Relay, Struck};

/// The largest frame of a session that is to be corrupted: what an operator makes of the limit,
/// it makes of this one.
const MAX_FRAME_BYTES: u64 = 12 * 1024 * 1024;

pub(crate) fn corrupt(arguments: &PlayArguments, operator: &str) -> Result<Status, UsageError> {
    let operator = Operator::all().find(|known| known.name == operator).ok_or_else(|| {
        UsageError::new(format!(
            "no operator is named {operator}; `play --list-operators` lists them"
        ))
    })?;
    let (recorded, _) = match &arguments.recording {
        Some(directory) => recording(directory)?,
        None => recording(record(launch_spec(&arguments.server)?)?.0.path())?,
    };
    let view = View::of(&recorded);
    let aim = Aim::new(operator, &view).ok_or_else(|| {
        UsageError::new(format!("{} does not apply to what this server writes", operator.name))
    })?;
    watch_the_client(Stay::WithClient);
    let mut server = launch(&arguments.server)?;
    let promise = arguments.promise.as_deref();
    let relayed = Relay::new(aim, &view, promise).and_then(|relay| relay.run(&mut server));
    // The session may have ended otherwise than the server does.
    _ = server.kill();
    let status = server.wait();
    let relayed = match relayed {
        Ok(relayed) => relayed,
        Err(error) => return Err(UsageError::new(format!("the relay failed: {error}"))),
    };
    if relayed.struck == Struck::NotYet {
        // What was not corrupted is no negative control, and nobody must take it for one.
        output::say(&format!(
            "{} had no occasion: the client never asked for what it corrupts",
            operator.name
        ));
    }
    match (relayed.status, status) {
        (Some(status), _) => Ok(ended(status)),
        (None, Ok(status)) => Ok(ended(crate::relay::status(status))),
        (None, Err(error)) => Err(UsageError::new(format!("the relay failed: {error}"))),
    }
}

/// Ends as a server ended.
pub(crate) fn ended(status: ExitStatus) -> Status {
    match status {
        ExitStatus::Code(code) => Status::Played(u8::try_from(code).unwrap_or(u8::MAX)),
        ExitStatus::Signal(number) => start_over_to_end_by(number),
    }
}

/// Lists the operators.
pub(crate) fn list_operators() -> Result<Status, UsageError> {
    let mut text = String::new();
    for operator in Operator::all() {
        text.push_str(&format!("{}  {}\n", operator.name, operator.does));
    }
    output::print(&text)
}

/// The rules of a session that is to be corrupted.
pub(crate) fn rules() -> RuleSet {
    let mut rules = RuleSet::default();
    rules.max_frame_bytes = MAX_FRAME_BYTES;
    rules
}

/// The launch of a server's command.
pub(crate) fn launch_spec(server: &[std::ffi::OsString]) -> Result<LaunchSpec, UsageError> {
    let (program, args) = server
        .split_first()
        .filter(|(program, _)| !program.is_empty())
        .ok_or_else(|| UsageError::new("the server's command is empty"))?;
    Ok(LaunchSpec::new(program).args(args))
}

/// Records an untouched session in a temporary directory.
///
/// # Errors
///
/// If it is not clean, advice included: what an operator promises holds for a clean one only.
pub(crate) fn record(launch: LaunchSpec) -> Result<(TempDir, drive::Run), UsageError> {
    let containment = containment(Isolation::Usual);
    let session = Session { containment, ..Session::new(launch) };
    let detector = Box::new(Inspector::new(rules()));
    let run = drive::run_blocking(&session, detector, &mut (), std::future::pending());
    if let Some(error) = &run.telemetry.launch_error {
        return Err(UsageError::new(format!("cannot launch the server: {error}")));
    }
    clean(&run.verdict)?;
    let cannot = |error| UsageError::new(format!("cannot make a temporary directory: {error}"));
    let directory = TempDir::new().map_err(cannot)?;
    record::write(directory.path(), &run.transcript, &[], None)?;
    Ok((directory, run))
}

fn clean(verdict: &Verdict) -> Result<(), UsageError> {
    let what = match &verdict.outcome {
        Outcome::ValidStdout => match verdict.advice.first() {
            None => return Ok(()),
            Some(advice) => advice.finding.rule.name(),
        },
        Outcome::Violation(finding) => finding.rule.name(),
        Outcome::Inconclusive(reason) => reason.name(),
    };
    Err(UsageError::new(format!("the untouched session is not clean: {what}")))
}

/// A recorded session as the operators take it, and its verdict.
pub(crate) fn recording(directory: &Path) -> Result<(Transcript, Verdict), UsageError> {
    let wrong = |error: &dyn std::fmt::Display| {
        UsageError::new(format!("{} holds no recording: {error}", directory.display()))
    };
    let case = load_recording(directory).map_err(|error| wrong(&error))?;
    let detector = Box::new(Inspector::new(rule_set(&case, None)));
    let verdict = replay(&case, Chunking::AsScripted, detector).map_err(|error| wrong(&error))?;
    clean(&verdict)?;
    let events = events(&case, Chunking::AsScripted).map_err(|error| wrong(&error))?;
    let kinds = events.into_iter().map(|event| event.kind.into_owned());
    let terms = Terms { protocol: verdict.protocol, max_frame_bytes: MAX_FRAME_BYTES };
    Ok((Transcript::new(kinds, terms), verdict))
}

fn launch(server: &[std::ffi::OsString]) -> Result<Child, UsageError> {
    let (program, args) = server.split_first().expect("clap asks for a command");
    let mut server: Command = command(program);
    server.args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
    server.spawn().map_err(|error| UsageError::new(format!("cannot launch the server: {error}")))
}
