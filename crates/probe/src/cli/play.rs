//! `play`: be the server of a case.

use std::fs::File;
use std::io::{self, BufRead, BufReader, StdinLock, Write};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, parent_id};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use corpus::{Case, embedded_case};
use model::{ExitStatus, Held, RawId};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, getpid, kill_process};
use signal_hook::consts::SIGTERM;
use signal_hook::iterator::Signals;

use super::args::PlayArguments;
use super::run::own_executable;
use super::{Status, UsageError, corrupt, list};
use crate::play::{
    Act, Client, Groups, Hold, Leave, LiveIds, Message, Performance, Presence, Sigterm,
    ordinary_reply, performance,
};

/// No case lasts longer, whatever its client does.
const LONGEST: Duration = Duration::from_secs(60);
/// The same where somebody else ends what is left.
const LONGEST_WATCHED: Duration = Duration::from_secs(600);
/// How long a process that outlives its server stays, if somebody reads its stdout.
const HOLD: Duration = Duration::from_secs(10);
/// How often it is looked whether the client is still there.
const WATCH: Duration = Duration::from_millis(100);

pub(crate) fn play(arguments: &PlayArguments) -> Result<Status, UsageError> {
    if let Some(signal) = arguments.end_by {
        return Ok(end_by(signal));
    }
    if let Some(operator) = &arguments.mutate {
        return corrupt::corrupt(arguments, operator);
    }
    if arguments.list_operators {
        return corrupt::list_operators();
    }
    if !arguments.server.is_empty() {
        return Err(UsageError::new("a command after `--` goes with --mutate OPERATOR"));
    }
    let Some(id) = &arguments.case else { return list::list(arguments.list_format) };
    let case = embedded_case(id).ok_or_else(|| {
        UsageError::new(format!("no case is named {id}; `play --list` lists them"))
    })?;
    let performance = performance(&case).map_err(|not| {
        UsageError::new(format!("{id} cannot be played by a process: {}", not.reason()))
    })?;
    let played = match arguments.left {
        Some(number) => be_left(number, &case, &performance),
        None => {
            watch_the_client(if arguments.stay { Stay::Outlive } else { Stay::WithClient });
            Player::new(&case, &performance, arguments.trace.as_deref()).and_then(Player::perform)
        }
    };
    Ok(played.unwrap_or(Status::Internal))
}

/// Whether a server stays when its client has gone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stay {
    WithClient,
    Outlive,
}

/// What is done next.
enum Next {
    Act,
    /// The client has gone: what is left is what happens at the end of stdin.
    End,
    Done(Status),
}

impl From<Presence> for Next {
    fn from(presence: Presence) -> Self {
        match presence {
            Presence::There => Self::Act,
            Presence::Gone => Self::End,
        }
    }
}

/// The server of a case, at work.
struct Player<'a> {
    case: &'a Case,
    performance: &'a Performance,
    client: Client<StdinLock<'static>>,
    // The standard stream would hold a line back; a case's bytes come when it says.
    stdout: Option<File>,
    live: LiveIds,
    terminate: Option<Terminate>,
    trace: Option<File>,
    /// Their stdin ends when we do.
    left: Vec<Child>,
    at: usize,
}

impl<'a> Player<'a> {
    fn new(case: &'a Case, performance: &'a Performance, trace: Option<&Path>) -> io::Result<Self> {
        let trace = match trace {
            Some(path) => Some(File::options().append(true).create(true).open(path)?),
            None => None,
        };
        let terminate = match performance.sigterm {
            Sigterm::Ends => None,
            Sigterm::Noticed => Some(Terminate::notice()?),
        };
        Ok(Self {
            case,
            performance,
            client: Client::new(io::stdin().lock()),
            stdout: Some(File::from(io::stdout().as_fd().try_clone_to_owned()?)),
            live: LiveIds::default(),
            terminate,
            trace,
            left: Vec::new(),
            at: 0,
        })
    }

    fn perform(mut self) -> io::Result<Status> {
        self.note("began")?;
        while let Some(act) = self.performance.acts.get(self.at) {
            self.at += 1;
            match self.act(act)? {
                Next::Act => {}
                Next::End => {
                    self.note("skipped")?;
                    let ends = |act: &Act| matches!(act, Act::AwaitEof | Act::Hang);
                    let rest = &self.performance.acts[self.at..];
                    let Some(end) = rest.iter().position(ends) else { break };
                    self.at += end;
                }
                Next::Done(status) => return Ok(status),
            }
        }
        Ok(Status::Valid)
    }

    fn act(&mut self, act: &Act) -> io::Result<Next> {
        if matches!(
            act,
            Act::Hang | Act::CloseStdout | Act::AwaitTerm | Act::AwaitSignal | Act::Exit(_)
        ) {
            self.note("ended")?;
        }
        match act {
            Act::Await { method, request } => return self.await_method(method, request.as_ref()),
            Act::AwaitReply(id) => return self.client.reply(&self.live.of(id)).map(Next::from),
            Act::AwaitEof => {
                while let Some(message) = self.client.message()? {
                    self.be_ordinary(&message)?;
                }
            }
            Act::Hang => self.client.end()?,
            Act::Write(range) => {
                let marks = &self.performance.stdout_marks;
                let bytes = self.live.put(&self.case.stdout, range.clone(), marks);
                self.write(&bytes)?;
                self.note(&format!("stdout {} {}", range.start, range.end))?;
            }
            Act::Log(range) => {
                let marks = &self.performance.stderr_marks;
                let bytes = self.live.put(&self.case.stderr, range.clone(), marks);
                write(io::stderr(), &bytes)?;
            }
            Act::CloseStdin => rustix::stdio::dup2_stdin(File::open("/dev/null")?)?,
            Act::CloseStdout => {
                self.stdout = None;
                rustix::stdio::dup2_stdout(File::options().write(true).open("/dev/null")?)?;
            }
            Act::AwaitTerm => match &mut self.terminate {
                Some(terminate) => terminate.wait(),
                None => wait_for_ever(),
            },
            Act::AwaitSignal => wait_for_ever(),
            Act::Leave(leave) => self.leave(leave)?,
            Act::Exit(status) => return Ok(Next::Done(self.exit(*status))),
        }
        Ok(Next::Act)
    }

    /// A client may ask for more than the case tells of, or for less.
    fn await_method(&mut self, method: &str, request: Option<&RawId>) -> io::Result<Next> {
        while let Some(message) = self.client.message()? {
            let Some(asked) = message.method.clone() else { continue };
            if *asked == *method {
                self.learn(request, &message);
                return Ok(Next::Act);
            }
            let told_of = |act: &Act| matches!(act, Act::Await { method, .. } if *method == asked);
            let rest = &self.performance.acts[self.at..];
            match rest.iter().position(told_of) {
                Some(later) => {
                    self.note("skipped")?;
                    if let Act::Await { request, .. } = &rest[later] {
                        self.learn(request.as_ref(), &message);
                    }
                    self.at += later + 1;
                    return Ok(Next::Act);
                }
                None => self.be_ordinary(&message)?,
            }
        }
        Ok(Next::End)
    }

    fn learn(&mut self, request: Option<&RawId>, message: &Message) {
        if let (Some(request), Some(live)) = (request, &message.id) {
            self.live.learn(request.clone(), live.clone());
        }
    }

    fn be_ordinary(&mut self, message: &Message) -> io::Result<()> {
        match ordinary_reply(message) {
            Some(reply) => self.write(format!("{reply}\n").as_bytes()),
            None => Ok(()),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &self.stdout {
            Some(stdout) => write(stdout, bytes),
            None => Ok(()),
        }
    }

    fn leave(&mut self, leave: &Leave) -> io::Result<()> {
        for number in 0..leave.count {
            let mut left = command(own_path()?);
            left.args(["play", "--left", &number.to_string(), &self.case.file.id])
                .stdin(Stdio::piped())
                .stderr(Stdio::piped());
            if leave.stdout == Held::Closed {
                left.stdout(Stdio::null());
            }
            if leave.groups == Groups::Own {
                left.process_group(0);
            }
            let mut left = left.spawn()?;
            // It says on stderr that no SIGTERM of ours can end it any more.
            if let Some(stderr) = left.stderr.take() {
                BufReader::new(stderr).read_line(&mut String::new())?;
            }
            self.left.push(left);
        }
        Ok(())
    }

    fn exit(&self, status: ExitStatus) -> Status {
        match status {
            ExitStatus::Code(code) => Status::Played(u8::try_from(code).unwrap_or(u8::MAX)),
            ExitStatus::Signal(number) if self.terminate.is_some() => start_over_to_end_by(number),
            ExitStatus::Signal(number) => end_by(number),
        }
    }

    fn note(&mut self, what: &str) -> io::Result<()> {
        match &mut self.trace {
            Some(trace) => writeln!(trace, "{what}"),
            None => Ok(()),
        }
    }
}

/// Writes at once: what is buffered here would come at another moment than the case says.
fn write(mut stream: impl Write, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes)?;
    stream.flush()
}

/// SIGTERM, noticed instead of obeyed.
struct Terminate(Signals);

impl Terminate {
    fn notice() -> io::Result<Self> {
        Signals::new([SIGTERM]).map(Self)
    }

    fn wait(&mut self) {
        self.0.wait();
    }
}

/// Ends by a signal that is handled here: a new program has its usual disposition again.
pub(crate) fn start_over_to_end_by(number: i32) -> Status {
    if let Ok(path) = own_path() {
        // It comes back only with an error, of which the status below tells.
        _ = command(path).args(["play", "--end-by", &number.to_string()]).exec();
    }
    Status::Internal
}

fn end_by(number: i32) -> Status {
    if let Some(signal) = Signal::from_named_raw(number) {
        // If it does not end us, the status below tells of it.
        _ = kill_process(getpid(), signal);
    }
    Status::Internal
}

/// Is a process that outlives its server: it writes when the server has ended, and stays.
fn be_left(number: u32, case: &Case, performance: &Performance) -> io::Result<Status> {
    let left = performance.acts.iter().find_map(|act| match act {
        Act::Leave(leave) => Some(leave),
        _ => None,
    });
    let Some(leave) = left else { return Ok(Status::Internal) };
    let _unmoved = Terminate::notice()?;
    write(io::stderr(), b"there\n")?;
    io::copy(&mut io::stdin().lock(), &mut io::sink())?;
    if number == 0 {
        write(io::stdout(), &case.stdout[leave.bytes.clone()])?;
    }
    if leave.hold == Hold::AWhile {
        // Nothing is asked for, so this ends early only when nobody reads our stdout any more.
        let stdout = io::stdout();
        let mut nobody = [PollFd::new(&stdout, PollFlags::empty())];
        let wait = Timespec::try_from(HOLD).ok();
        poll(&mut nobody, wait.as_ref())?;
    }
    Ok(Status::Valid)
}

fn own_path() -> io::Result<std::path::PathBuf> {
    own_executable().map_err(|error| io::Error::other(error.to_string()))
}

#[expect(clippy::disallowed_methods, reason = "a played server may start over or leave a child")]
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    Command::new(program)
}

fn wait_for_ever() -> ! {
    loop {
        pause(LONGEST);
    }
}

#[expect(clippy::disallowed_methods, reason = "there is nothing to wait for but the end")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// A server that ignores the end of stdin must still not outlive its client, unless somebody
/// wants to see whether the client lets it.
pub(crate) fn watch_the_client(stay: Stay) {
    let client = parent_id();
    std::thread::spawn(move || {
        let longest = match stay {
            Stay::WithClient => LONGEST,
            Stay::Outlive => LONGEST_WATCHED,
        };
        let mut waited = Duration::ZERO;
        while (stay == Stay::Outlive || parent_id() == client) && waited < longest {
            pause(WATCH);
            waited += WATCH;
        }
        std::process::exit(i32::from(Status::Internal.code()));
    });
}
