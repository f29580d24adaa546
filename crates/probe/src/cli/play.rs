//! `play`: be the server of a case.

use std::convert::Infallible;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, parent_id};
use std::process::{Command, Stdio};
use std::time::Duration;

use corpus::{Case, embedded};
use model::ExitStatus;
use rustix::process::{Signal, getpid, kill_process};

use super::args::PlayArguments;
use super::run::own_executable;
use super::{Status, UsageError, output};
use crate::play::{Act, Client, Performance, Presence, Sigterm, performance, write};

/// No case lasts longer, whatever its client does.
const LONGEST: Duration = Duration::from_secs(60);
/// How long a process that outlives its server holds stdout.
const HOLD: Duration = Duration::from_secs(10);
/// How often it is looked whether the client is still there.
const WATCH: Duration = Duration::from_millis(100);

pub(crate) fn play(arguments: &PlayArguments) -> Result<Status, UsageError> {
    if arguments.hold {
        pause(HOLD);
        return Ok(Status::Valid);
    }
    let Some(id) = &arguments.case else { return list() };
    let cases = embedded();
    let case = cases.iter().find(|case| case.file.id == *id).ok_or_else(|| {
        UsageError::new(format!("no case is named {id}; `play --list` lists them"))
    })?;
    let performance = performance(case).map_err(|not| {
        UsageError::new(format!("{id} cannot be played by a process: {}", not.reason()))
    })?;
    if performance.sigterm == Sigterm::Ignored && !arguments.deaf {
        return start_over(case, "trap '' TERM; exec \"$0\" \"$@\"").map(never);
    }
    watch_the_client();
    match perform(case, &performance) {
        Ok(status) => status,
        Err(_) => Ok(Status::Internal),
    }
}

fn list() -> Result<Status, UsageError> {
    let mut text = String::new();
    for case in embedded() {
        if performance(&case).is_ok() {
            text.push_str(&format!("{}  {}\n", case.file.id, case.file.title));
        }
    }
    output::print(&text)
}

fn perform(case: &Case, performance: &Performance) -> io::Result<Result<Status, UsageError>> {
    let mut client = Client::new(io::stdin().lock());
    // The standard stream would hold a line back; a case's bytes come when it says.
    let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    for act in &performance.acts {
        let presence = match act {
            Act::AwaitMethod(method) => client.await_method(method)?,
            Act::AwaitReply(id) => client.await_reply(id)?,
            Act::AwaitEof => client.await_eof().map(|()| Presence::There)?,
            Act::Write(bytes) => write(&stdout, bytes).map(|()| Presence::There)?,
            Act::Log(bytes) => write(io::stderr(), bytes).map(|()| Presence::There)?,
            Act::CloseStdout => return Ok(start_over(case, "exec cat >/dev/null").map(never)),
            Act::AwaitSignal => loop {
                pause(LONGEST);
            },
            Act::LeaveHolder => {
                if let Err(error) = leave_holder() {
                    return Ok(Err(error));
                }
                Presence::There
            }
            Act::Exit(status) => return Ok(Ok(exit(*status))),
        };
        if presence == Presence::Gone {
            break;
        }
    }
    Ok(Ok(Status::Valid))
}

fn exit(status: ExitStatus) -> Status {
    match status {
        ExitStatus::Code(code) => Status::Played(u8::try_from(code).unwrap_or(u8::MAX)),
        ExitStatus::Signal(number) => {
            if let Some(signal) = Signal::from_named_raw(number) {
                // If it does not end us, the status below tells of it.
                _ = kill_process(getpid(), signal);
            }
            Status::Internal
        }
    }
}

/// Becomes this shell text, which may become us again. Comes back only with an error.
fn start_over(case: &Case, text: &str) -> Result<Infallible, UsageError> {
    let error = command("sh")
        .args(["-c", text])
        .arg(own_executable()?)
        .args(["play", "--deaf", &case.file.id])
        .exec();
    Err(UsageError::new(format!("cannot start over through sh: {error}")))
}

fn never(never: Infallible) -> Status {
    match never {}
}

fn leave_holder() -> Result<(), UsageError> {
    let mut holder = command(own_executable()?);
    holder.args(["play", "--hold", "--list"]).stdin(Stdio::null()).stderr(Stdio::null());
    match holder.spawn() {
        Ok(_) => Ok(()),
        Err(error) => Err(UsageError::new(format!("cannot leave a process behind: {error}"))),
    }
}

#[expect(clippy::disallowed_methods, reason = "a played server may start over or leave a child")]
fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    Command::new(program)
}

#[expect(clippy::disallowed_methods, reason = "there is nothing to wait for but the end")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// A server that ignores the end of stdin must still not outlive its client.
fn watch_the_client() {
    let client = parent_id();
    std::thread::spawn(move || {
        let mut waited = Duration::ZERO;
        while parent_id() == client && waited < LONGEST {
            pause(WATCH);
            waited += WATCH;
        }
        std::process::exit(i32::from(Status::Internal.code()));
    });
}
