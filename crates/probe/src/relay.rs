//! Between a client and a server: everything passes as it comes, until an operator strikes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use model::{DeadlineName, EventKind, ExitStatus, KeepBody, Phase, RawId, Sent, Side};
use mutate::{Aim, Moment, Then, View};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::promised::Promised;

/// What the two sides do, in the order in which the relay learns of it.
enum News {
    /// A line of the client, with its 0x0A, that the server has not been given yet.
    Client(Vec<u8>),
    ClientGone,
    /// What the server wrote, up to a 0x0A or to its end.
    Server(Vec<u8>),
    ServerGone,
}

/// A session whose server an operator corrupts.
pub(crate) struct Relay<'a> {
    aim: Aim,
    recorded: &'a View<'a>,
    promise: Option<&'a Path>,
    seen: Vec<EventKind<'static>>,
    struck: Struck,
    /// The standard stream would hold a line back.
    stdout: File,
}

/// How a relayed session ended.
pub(crate) struct Relayed {
    /// The status with which it ends; None if that is the server's own.
    pub(crate) status: Option<ExitStatus>,
    /// Whether the operator's moment came.
    pub(crate) struck: Struck,
}

/// Whether the operator's moment came.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Struck {
    NotYet,
    /// It comes with each frame.
    AndAgain,
    Already,
}

impl<'a> Relay<'a> {
    /// A relay that tells in the file `promise` what must be found, once that is known.
    ///
    /// # Errors
    ///
    /// If stdout is closed.
    pub(crate) fn new(
        aim: Aim,
        recorded: &'a View<'a>,
        promise: Option<&'a Path>,
    ) -> io::Result<Self> {
        let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        Ok(Self { aim, recorded, promise, seen: Vec::new(), struck: Struck::NotYet, stdout })
    }

    /// Relays the whole session.
    ///
    /// # Errors
    ///
    /// If a pipe fails, or the promise cannot be written.
    pub(crate) fn run(mut self, server: &mut Child) -> io::Result<Relayed> {
        let status = self.pass_on(server)?;
        Ok(Relayed { status, struck: self.struck })
    }

    fn pass_on(&mut self, server: &mut Child) -> io::Result<Option<ExitStatus>> {
        let pipe = || io::Error::from(io::ErrorKind::BrokenPipe);
        let stdin = server.stdin.take().ok_or_else(pipe)?;
        let stdout = server.stdout.take().ok_or_else(pipe)?;
        let (news, arrivals) = channel();
        let to_relay = news.clone();
        thread::spawn(move || pass_to_server(stdin, &to_relay));
        thread::spawn(move || read_server(stdout, &news));
        let mut client = Client::There;
        while let Ok(news) = arrivals.recv() {
            match news {
                News::Client(line) => self.seen.extend(sent(&line).map(EventKind::Sent)),
                News::ClientGone => {
                    client = Client::Gone;
                    self.seen.push(EventKind::StdinClosed { by: Side::Client });
                }
                News::Server(bytes) => {
                    self.seen.push(EventKind::Stdout(bytes.clone().into()));
                    let due = self.struck != Struck::Already && self.is_due(&bytes);
                    match due.then(|| self.strike()).transpose()?.flatten() {
                        None => self.stdout.write_all(&bytes)?,
                        Some((events, Then::Relay | Then::Again)) => {
                            self.perform(&events, client, &arrivals)?;
                        }
                        Some((events, Then::End)) => {
                            return self.perform(&events, client, &arrivals);
                        }
                    }
                }
                News::ServerGone if client == Client::Gone => break,
                // A server that leaves early is not what was recorded; the client will say so.
                News::ServerGone => return Ok(None),
            }
        }
        if self.struck == Struck::NotYet
            && *self.aim.moment() == Moment::End
            && let Some((events, _)) = self.strike()?
        {
            return self.perform(&events, client, &arrivals);
        }
        Ok(None)
    }

    /// Whether these bytes are what the operator waits for.
    fn is_due(&self, bytes: &[u8]) -> bool {
        let message: Option<Envelope<'_>> = serde_json::from_slice(bytes).ok();
        let Some(Envelope { id, method, .. }) = message else { return false };
        match self.aim.moment() {
            Moment::Reply(_) => {
                let awaited = self.aim.awaited_id(&self.seen, self.recorded);
                method.is_none()
                    && awaited
                        .is_some_and(|awaited| id.is_some_and(|id| id.get() == awaited.as_str()))
            }
            Moment::Call(awaited) => method.is_some_and(|method| method == *awaited),
            Moment::EachFrame => true,
            Moment::End => false,
        }
    }

    fn strike(&mut self) -> io::Result<Option<(Vec<EventKind<'static>>, Then)>> {
        let Some(strike) = self.aim.strike(&self.seen, self.recorded) else { return Ok(None) };
        self.struck = if strike.then == Then::Again { Struck::AndAgain } else { Struck::Already };
        if let Some(file) = self.promise {
            Promised::of(&strike.corrupted).write(file)?;
        }
        Ok(Some((strike.events, strike.then)))
    }

    /// Does what the server is made to do. The status with which it ends, if it does.
    fn perform(
        &mut self,
        events: &[EventKind<'static>],
        client: Client,
        arrivals: &Receiver<News>,
    ) -> io::Result<Option<ExitStatus>> {
        let says = |name| events.contains(&EventKind::Deadline(name));
        for event in events {
            match event {
                EventKind::Stdout(bytes) => self.stdout.write_all(bytes)?,
                EventKind::Stderr(bytes) => io::stderr().write_all(bytes)?,
                EventKind::StdoutEof if says(DeadlineName::ExitGrace) => {
                    self.stdout = nowhere()?;
                    rustix::stdio::dup2_stdout(&self.stdout)?;
                }
                EventKind::Deadline(
                    DeadlineName::Startup | DeadlineName::Reply | DeadlineName::ExitGrace,
                ) => {
                    // Silent until the client gives up.
                    let gone = |news: News| matches!(news, News::ClientGone).then_some(());
                    if client == Client::There {
                        arrivals.iter().find_map(gone);
                    }
                    return Ok(Some(ExitStatus::SUCCESS));
                }
                EventKind::Signalled(_) => {
                    if says(DeadlineName::ShutdownTerm) {
                        ignore_sigterm()?;
                    }
                    stay();
                }
                EventKind::StepBegan(Phase::AfterExit) => leave_process(Stdio::inherit())?,
                EventKind::Census { .. } => leave_process(Stdio::null())?,
                EventKind::Exited(status) => return Ok(Some(*status)),
                _ => {}
            }
        }
        Ok(None)
    }
}

/// Whether the client still has stdin open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Client {
    There,
    Gone,
}

/// The members of a message that a relay looks at.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<Box<str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

/// The client's message on a line, if it is one.
fn sent(line: &[u8]) -> Option<Sent> {
    let message: Envelope<'_> = serde_json::from_slice(line).ok()?;
    let id = message.id.map(|id| RawId::new(id.get()));
    let params = message.params.map(|params| params.get().into());
    match (id, message.method) {
        (Some(id), Some(method)) => {
            Some(Sent::Request { id, method, params, keep_body: KeepBody::Drop })
        }
        (None, Some(method)) => Some(Sent::Notification { method }),
        (Some(id), None) => Some(Sent::Reply { id }),
        (None, None) => None,
    }
}

/// What is left of the client's messages when the server takes no more is nobody's.
fn pass_to_server(mut server: ChildStdin, news: &Sender<News>) {
    let mut client = BufReader::new(io::stdin());
    let mut line = Vec::new();
    while client.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        if news.send(News::Client(line.clone())).is_err() || server.write_all(&line).is_err() {
            break;
        }
        line.clear();
    }
    _ = news.send(News::ClientGone);
}

fn read_server(stdout: ChildStdout, news: &Sender<News>) {
    let mut server = BufReader::new(stdout);
    loop {
        let mut bytes = Vec::new();
        if !server.read_until(b'\n', &mut bytes).is_ok_and(|read| read > 0)
            || news.send(News::Server(bytes)).is_err()
        {
            break;
        }
    }
    _ = news.send(News::ServerGone);
}

/// Leaves a process behind that stays for a while.
fn leave_process(stdout: Stdio) -> io::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "an operator may leave a process behind")]
    let mut left = Command::new("sleep");
    left.arg("10").stdin(Stdio::null()).stdout(stdout).stderr(Stdio::null()).spawn().map(drop)
}

fn nowhere() -> io::Result<File> {
    File::options().write(true).open("/dev/null")
}

/// Waits for a signal that ends the process.
fn stay() -> ! {
    loop {
        thread::park();
    }
}

/// From here on SIGTERM has no effect.
fn ignore_sigterm() -> io::Result<()> {
    // What handles a signal once handles it for good.
    signal_hook::flag::register(signal_hook::consts::SIGTERM, Arc::default()).map(drop)
}

/// The status of a process that has ended.
pub(crate) fn status(status: std::process::ExitStatus) -> ExitStatus {
    match (status.code(), status.signal()) {
        (Some(code), _) => ExitStatus::Code(code),
        (None, signal) => ExitStatus::Signal(signal.unwrap_or_default()),
    }
}
