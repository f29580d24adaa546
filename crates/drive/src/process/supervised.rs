//! A launched process that is the child of a supervisor of ours.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use model::{ExitStatus, ResourceUsage};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process, pidfd_open, pidfd_send_signal,
    waitid,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::time::Instant;

use super::Outlived;
use super::start::{Launched, Pipes, Program};
use super::wire::{Left, Reply, Request, encode, receive_reply, send_bytes, send_request};
use super::{Isolation, Keeper};
use crate::supervisor::{ISOLATE, SUPERVISE};

/// A supervisor that takes longer for an answer is stuck: it waits for nothing but us.
const ANSWER: Duration = Duration::from_secs(5);
/// How long a supervisor is waited for that is to end: somewhat longer than it kills.
const LAST_WAIT: Duration = Duration::from_secs(11);

/// Why a server was not started by a supervisor.
pub(crate) enum NotStarted {
    /// There is no supervisor that could.
    Unable(io::Error),
    /// The kernel refused to.
    Refused(io::Error),
}

/// The supervisor of a launched process. Dropping it leads to the end of that and of all its
/// descendants, and then of the supervisor.
pub(crate) struct Supervised {
    /// The socket is closed before the supervisor is reaped.
    control: Option<OwnedFd>,
    supervisor: Pid,
    pidfd: Option<OwnedFd>,
    server: Option<Pid>,
    /// What was left of the descendants when that was last heard.
    left: Left,
    /// Whether an answer is owed for a wait that nobody is interested in any more.
    owed: bool,
}

impl Supervised {
    /// Starts a supervisor, which is this program, and has it start the server.
    pub(crate) fn start(
        supervisor: &Path,
        isolation: Isolation,
        server: &Program,
    ) -> Result<Launched, NotStarted> {
        let mut supervised = Self::new(supervisor, isolation).map_err(NotStarted::Unable)?;
        let body = encode(server);
        let (pipes, started) = Pipes::with(|theirs| {
            let control = supervised.control()?;
            let request = Request::Start { bytes: body.len() };
            send_request(control, request, &theirs.map(AsFd::as_fd))
        })
        .map_err(NotStarted::Unable)?;
        started.map_err(NotStarted::Unable)?;
        let control = supervised.control().map_err(NotStarted::Unable)?;
        send_bytes(control, &body).map_err(NotStarted::Unable)?;
        let raw = io::Error::from_raw_os_error;
        loop {
            let (reply, beside) = supervised.receive().map_err(NotStarted::Unable)?;
            match (reply, beside) {
                (Reply::Ready, _) => {}
                (Reply::Started { pid }, mut beside) => {
                    supervised.server = match isolation {
                        Isolation::None => Pid::from_raw(pid),
                        Isolation::Namespace => None,
                    };
                    supervised.pidfd = beside.pop();
                    let Pipes { stdin, stdout, stderr } = pipes;
                    let process = Keeper::Supervised(supervised);
                    return Ok(Launched { process, stdin, stdout, stderr });
                }
                (Reply::Refused { errno }, _) => return Err(NotStarted::Refused(raw(errno))),
                (Reply::Unable { errno }, _) => return Err(NotStarted::Unable(raw(errno))),
                (Reply::Reaped { .. } | Reply::Left(_), _) => {
                    return Err(NotStarted::Unable(io::ErrorKind::InvalidData.into()));
                }
            }
        }
    }

    fn new(supervisor: &Path, isolation: Isolation) -> io::Result<Self> {
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        for timeout in [Timeout::Recv, Timeout::Send] {
            set_socket_timeout(&ours, timeout, Some(ANSWER))?;
        }
        let nowhere = OwnedFd::from(File::options().read(true).write(true).open("/dev/null")?);
        let mut args = vec![CString::new(supervisor.as_os_str().as_bytes())?];
        args.push(CString::new(SUPERVISE)?);
        if isolation == Isolation::Namespace {
            args.push(CString::new(ISOLATE)?);
        }
        let program =
            Program { file: supervisor.to_owned(), args, environment: Vec::new(), directory: None };
        let pid = program.start_locked([&theirs, &nowhere, &nowhere])?;
        Ok(Self {
            control: Some(ours),
            supervisor: pid,
            pidfd: None,
            server: None,
            left: Left::Unseen,
            owed: false,
        })
    }

    fn control(&self) -> io::Result<&OwnedFd> {
        self.control.as_ref().ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    /// The server's number. None if it is another one in our own namespace.
    pub(super) fn pid(&self) -> Option<Pid> {
        self.server
    }

    /// Something that becomes readable when the server ends.
    pub(super) fn pidfd(&self) -> io::Result<OwnedFd> {
        let pidfd = self.pidfd.as_ref().ok_or(Errno::CHILD)?;
        pidfd.try_clone()
    }

    fn ask(&mut self, request: Request) -> io::Result<()> {
        send_request(self.control()?, request, &[])?;
        if std::mem::take(&mut self.owed) {
            self.receive()?;
        }
        Ok(())
    }

    fn receive(&self) -> io::Result<(Reply, Vec<OwnedFd>)> {
        receive_reply(self.control()?)
    }

    /// Asks the server's group to end, the stopped ones too.
    pub(super) fn terminate(&mut self) {
        if self.ask(Request::Terminate).is_err() {
            self.signal(Signal::TERM);
            self.signal(Signal::CONT);
        }
    }

    /// Kills the server's group.
    pub(super) fn kill(&mut self) {
        if self.ask(Request::Kill).is_err() {
            self.signal(Signal::KILL);
        }
    }

    /// Signals the server alone: all that is left to do without a supervisor.
    pub(super) fn signal(&self, signal: Signal) {
        if let Some(pidfd) = &self.pidfd {
            let _ = pidfd_send_signal(pidfd, signal);
        }
    }

    /// Collects the exit status, if the server has ended.
    pub(super) fn reap(&mut self) -> Option<(ExitStatus, ResourceUsage)> {
        self.ask(Request::Reap).ok()?;
        match self.receive().ok()?.0 {
            Reply::Reaped { status, left } => {
                self.left = left;
                status
            }
            _ => None,
        }
    }

    /// The descendants that are left at `end`, or that there are none as soon as that is so.
    pub(super) async fn outlived(&mut self, end: Instant) -> Outlived {
        if self.left == Left::Counted(0) {
            return Outlived::Counted(0);
        }
        let wait = end.saturating_duration_since(Instant::now());
        if self.ask(Request::Await(wait)).is_err() {
            return Outlived::Unseen;
        }
        self.answer().await
    }

    /// Kills all descendants, and says what is left of them at `end`.
    pub(super) async fn kill_strays(&mut self, end: Instant) -> Outlived {
        let wait = end.saturating_duration_since(Instant::now());
        if self.ask(Request::KillStrays(wait)).is_err() {
            return Outlived::Unseen;
        }
        self.answer().await
    }

    /// Waits for what is left.
    async fn answer(&mut self) -> Outlived {
        self.owed = true;
        let arrived = async {
            let control = self.control()?.as_fd();
            #[expect(
                deprecated,
                reason = "it asks of a descriptor what a borrowed one grants: to stay the same"
            )]
            let control = AsyncFd::with_interest(control, Interest::READABLE)?;
            control.readable().await.map(|_guard| ())
        };
        if arrived.await.is_err() {
            return Outlived::Unseen;
        }
        self.owed = false;
        match self.receive() {
            Ok((Reply::Left(left), _)) => {
                self.left = left;
                match left {
                    Left::Counted(count) => Outlived::Counted(count),
                    Left::Unseen => Outlived::Unseen,
                }
            }
            _ => Outlived::Unseen,
        }
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        // It sees that, kills what is left, and ends.
        self.control = None;
        if let Ok(pidfd) = pidfd_open(self.supervisor, PidfdFlags::empty()) {
            let mut fds = [PollFd::new(&pidfd, PollFlags::IN)];
            let wait = Timespec::try_from(LAST_WAIT).ok();
            if poll(&mut fds, wait.as_ref()) != Ok(1) {
                let _ = kill_process(self.supervisor, Signal::KILL);
                self.signal(Signal::KILL);
                let _ = poll(&mut fds, wait.as_ref());
            }
        }
        let _ = waitid(WaitId::Pid(self.supervisor), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
    }
}
