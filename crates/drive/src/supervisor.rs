//! The supervisor: a process between the probe and a server, to which every orphan among the
//! server's descendants comes, whatever group or session it has moved to.
//!
//! It holds nothing of the server's streams. It does what the probe asks over a socket; when the
//! probe's end of that is gone, because the probe has finished or was killed, it kills whatever is
//! left, and ends. Because it is the parent of all orphans, "no child left" is a proof.
//!
//! It has one thread, blocks every signal, and is started with nothing of the probe's but the
//! socket as its stdin.

use std::collections::HashMap;
use std::ffi::{CString, OsStr};
use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use model::{ExitStatus, ResourceUsage};
use nix::sched::{CloneFlags, unshare};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::process::{
    Pid, PidfdFlags, Resource, WaitId, WaitIdOptions, chdir, getgid, getpgid, getpid, getrlimit,
    getuid, kill_process, kill_process_group, pidfd_open, set_child_subreaper, setrlimit, waitid,
};

use crate::process::wire::{
    Left, Reply, Request, decode, receive_bytes, receive_request, send_reply,
};
use crate::process::{Program, Stat};

/// The first argument with which a command becomes the supervisor.
pub const SUPERVISE: &str = "__supervise";
/// The second one, of a supervisor that first makes a PID namespace.
pub(crate) const ISOLATE: &str = "isolate";
/// The second one, of a supervisor that is the first process of a PID namespace.
const FIRST: &str = "first";

/// Under this name it is listed, so that whoever kills the probe by its name does not kill the
/// supervisor with it.
const NAME: &std::ffi::CStr = c"mcp-supervisor";
/// How long what is left is killed when the probe is gone.
const LAST_BUDGET: Duration = Duration::from_secs(10);
/// How long it is waited for the end of what was killed before it is looked for again: orphans
/// that were a killed process's children are ours only then.
const ROUND: Duration = Duration::from_millis(5);

/// Is the supervisor, with the arguments after [`SUPERVISE`]. To be called before anything else is
/// done in the process.
#[must_use]
pub fn supervise(args: &[impl AsRef<OsStr>]) -> ExitCode {
    let role = args.first().map(|role| role.as_ref().as_bytes());
    let done = match role {
        None => Supervisor::new().and_then(Supervisor::run),
        Some(role) if role == FIRST.as_bytes() => {
            own_proc().and_then(|()| Supervisor::new()).and_then(Supervisor::run)
        }
        Some(role) if role == ISOLATE.as_bytes() => isolate(),
        Some(_) => Err(io::ErrorKind::InvalidInput.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let errno = error.raw_os_error().unwrap_or(Errno::IO.raw_os_error());
            // If this cannot be said either, the end of the socket says as much.
            let _ = send_reply(io::stdin(), Reply::Unable { errno }, &[]);
            ExitCode::FAILURE
        }
    }
}

/// Makes a PID namespace, with the supervisor proper as its first process, and waits for that.
fn isolate() -> io::Result<()> {
    let (user, group) = (getuid(), getgid());
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNS)?;
    // Everybody stays who he is.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{0} {0} 1", user.as_raw()))?;
    fs::write("/proc/self/gid_map", format!("{0} {0} 1", group.as_raw()))?;
    let program = Program {
        file: PathBuf::from("/proc/self/exe"),
        args: [NAME.to_owned(), text(SUPERVISE), text(FIRST)].into(),
        environment: Vec::new(),
        directory: None,
    };
    let streams = [
        io::stdin().as_fd().try_clone_to_owned()?,
        io::stdout().as_fd().try_clone_to_owned()?,
        io::stderr().as_fd().try_clone_to_owned()?,
    ];
    SigSet::all().thread_block()?;
    let first = program.start_with(streams.each_ref())?;
    let ended = retry_on_intr(|| waitid(WaitId::Pid(first), WaitIdOptions::EXITED))?;
    match ended.and_then(|ended| ended.exit_status()) {
        // It has said itself why it could not.
        Some(_) => Ok(()),
        None => Err(Errno::CHILD.into()),
    }
}

fn text(text: &str) -> CString {
    CString::new(text).expect("it holds no NUL byte")
}

/// Puts the processes of this namespace where those of the outer one are seen.
fn own_proc() -> io::Result<()> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None)?;
    Ok(())
}

struct Supervisor {
    control: OwnedFd,
    /// Becomes readable when a child has ended.
    children: SignalFd,
    leader: Option<Leader>,
    /// Until when it is waited for the end of the last descendant, if the probe has asked for it.
    awaiting: Option<Instant>,
}

/// The server.
struct Leader {
    pid: Pid,
    /// Until it is reaped, its number and that of its group are its own.
    reaped: bool,
}

impl Supervisor {
    fn new() -> io::Result<Self> {
        SigSet::all().thread_block()?;
        let _ = rustix::thread::set_name(NAME);
        set_child_subreaper(Some(getpid()))?;
        // A server that dumps its memory dumps what it was told; it may still ask for more.
        let core = getrlimit(Resource::Core);
        let _ = setrlimit(Resource::Core, rustix::process::Rlimit { current: Some(0), ..core });
        let mut ended = SigSet::empty();
        ended.add(Signal::SIGCHLD);
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        let children = SignalFd::with_flags(&ended, flags)?;
        let control = io::stdin().as_fd().try_clone_to_owned()?;
        Ok(Self { control, children, leader: None, awaiting: None })
    }

    /// Does what it is asked for, until nobody is left to ask.
    fn run(mut self) -> io::Result<()> {
        self.reply(Reply::Ready);
        loop {
            let wait = self.awaiting.map(|end| end.saturating_duration_since(now()));
            let asked = self.wait_for_news(wait);
            self.end_waiting();
            if asked {
                match receive_request(&self.control) {
                    Ok(Some((request, descriptors))) => self.obey(request, descriptors),
                    // The probe is gone, or speaks another language.
                    Ok(None) | Err(_) => break,
                }
            }
        }
        self.kill_everything(LAST_BUDGET);
        Ok(())
    }

    /// Waits until something is asked or a child has ended, or for so long. Says whether something
    /// was asked.
    fn wait_for_news(&self, wait: Option<Duration>) -> bool {
        let mut fds =
            [PollFd::new(&self.control, PollFlags::IN), PollFd::new(&self.children, PollFlags::IN)];
        let wait = wait.map(|wait| Timespec::try_from(wait).unwrap_or(Timespec::default()));
        let _ = retry_on_intr(|| poll(&mut fds, wait.as_ref()));
        let asked = !fds[0].revents().is_empty();
        while let Ok(Some(_)) = self.children.read_signal() {}
        asked
    }

    fn obey(&mut self, request: Request, descriptors: Vec<OwnedFd>) {
        if self.awaiting.take().is_some() {
            self.reply(Reply::Left(self.left()));
        }
        match request {
            Request::Start { bytes } => self.start(bytes, descriptors),
            Request::Terminate => {
                self.signal(rustix::process::Signal::TERM);
                self.signal(rustix::process::Signal::CONT);
            }
            Request::Kill => self.signal(rustix::process::Signal::KILL),
            Request::Reap => {
                let status = self.reap_leader();
                self.reply(Reply::Reaped { status, left: self.left() });
            }
            Request::Await(time) => {
                self.awaiting = Some(now() + time);
                self.end_waiting();
            }
            Request::KillStrays(time) => {
                let left = self.kill_everything(time);
                self.reply(Reply::Left(left));
            }
        }
    }

    /// A reply that cannot be sent has nobody who waits for it; the end of the socket follows.
    fn reply(&self, reply: Reply) {
        let _ = send_reply(&self.control, reply, &[]);
    }

    fn start(&mut self, bytes: usize, streams: Vec<OwnedFd>) {
        let started = receive_bytes(&self.control, bytes).and_then(|bytes| {
            let invalid = || io::Error::from(Errno::INVAL);
            let mut program = decode(&bytes).ok_or_else(invalid)?;
            let streams: [OwnedFd; 3] = streams.try_into().map_err(|_| invalid())?;
            if let Some(directory) = program.directory.take() {
                chdir(directory)?;
            }
            let pid = program.start_with(streams.each_ref())?;
            self.leader = Some(Leader { pid, reaped: false });
            Ok((pid, pidfd_open(pid, PidfdFlags::empty())?))
        });
        let sent = match started {
            Ok((pid, pidfd)) => {
                let reply = Reply::Started { pid: pid.as_raw_pid() };
                send_reply(&self.control, reply, &[pidfd.as_fd()])
            }
            Err(error) => {
                let errno = error.raw_os_error().unwrap_or(Errno::IO.raw_os_error());
                send_reply(&self.control, Reply::Refused { errno }, &[])
            }
        };
        // Nobody is there to hear it; the end of the socket follows.
        let _ = sent;
    }

    /// Signals the server's group, and the server itself if it has moved to another.
    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(Leader { pid, reaped: false }) = self.leader {
            let _ = kill_process_group(pid, signal);
            if getpgid(Some(pid)) != Ok(pid) {
                let _ = kill_process(pid, signal);
            }
        }
    }

    fn reap_leader(&mut self) -> Option<(ExitStatus, ResourceUsage)> {
        let leader = self.leader.as_mut().filter(|leader| !leader.reaped)?;
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        let ended = waitid(WaitId::Pid(leader.pid), options).ok()??;
        leader.reaped = true;
        let status = match (ended.exit_status(), ended.terminating_signal()) {
            (Some(code), _) => ExitStatus::Code(code),
            (None, Some(signal)) => ExitStatus::Signal(signal),
            (None, None) => return None,
        };
        // No other child was reaped before, so this is the server's alone.
        Some((status, usage()))
    }

    /// Answers for the descendants if none is left, or if it was waited for long enough.
    fn end_waiting(&mut self) {
        let Some(end) = self.awaiting else {
            return;
        };
        let late = now() >= end;
        if late || reap_orphans() == Children::None {
            self.awaiting = None;
            self.reply(Reply::Left(self.left()));
        }
    }

    /// What is left of the server's descendants.
    fn left(&self) -> Left {
        if self.leader.as_ref().is_some_and(|leader| !leader.reaped) {
            // Not yet of interest, and the server must not be reaped before it is asked for.
            return Left::Unseen;
        }
        match reap_orphans() {
            Children::None => Left::Counted(0),
            Children::Some => descendants().map_or(Left::Unseen, Left::Counted),
        }
    }

    /// Kills every descendant, the server too, and says what is left after so long.
    ///
    /// Only children are killed: until they are reaped, which only we can do, their numbers are
    /// their own. Their own children become ours when they end.
    fn kill_everything(&mut self, budget: Duration) -> Left {
        let end = now() + budget;
        self.signal(rustix::process::Signal::KILL);
        loop {
            if reap_orphans() == Children::None {
                if let Some(leader) = &mut self.leader {
                    leader.reaped = true;
                }
                return Left::Counted(0);
            }
            let Some(children) = children() else {
                return Left::Unseen;
            };
            for child in children {
                let _ = kill_process(child, rustix::process::Signal::KILL);
            }
            if now() >= end {
                return descendants().map_or(Left::Unseen, Left::Counted);
            }
            let mut fds = [PollFd::new(&self.children, PollFlags::IN)];
            let wait = Timespec::try_from(ROUND).ok();
            let _ = poll(&mut fds, wait.as_ref());
            while let Ok(Some(_)) = self.children.read_signal() {}
        }
    }
}

/// Whether we have children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Children {
    /// At least one, which has not ended.
    Some,
    /// None.
    None,
}

/// Reaps every child that has ended.
fn reap_orphans() -> Children {
    loop {
        match waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return Children::Some,
            Err(_) => return Children::None,
        }
    }
}

/// Our children that have not ended. None if processes cannot be seen.
fn children() -> Option<Vec<Pid>> {
    let us = Some(getpid());
    let alive = Stat::all()?.filter(|process| process.parent == us && process.is_alive());
    Some(alive.map(|process| process.pid).collect())
}

/// How many descendants we have that have not ended. None if processes cannot be seen.
fn descendants() -> Option<u32> {
    let processes: HashMap<i32, Stat> =
        Stat::all()?.map(|process| (process.pid.as_raw_pid(), process)).collect();
    let is_descendant = |process: &&Stat| {
        let mut parent = process.parent;
        // No chain is longer than there are processes, unless it has changed while it was read.
        for _ in 0..processes.len() {
            match parent {
                Some(pid) if pid == getpid() => return true,
                Some(pid) => {
                    parent = processes.get(&pid.as_raw_pid()).and_then(|parent| parent.parent);
                }
                None => return false,
            }
        }
        false
    };
    let alive = processes.values().filter(|process| process.is_alive());
    u32::try_from(alive.filter(is_descendant).count()).ok()
}

/// What our children used that were reaped, with theirs that they reaped.
fn usage() -> ResourceUsage {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else {
        return ResourceUsage::default();
    };
    let time = |time: nix::sys::time::TimeVal| {
        let (seconds, micros) = (time.tv_sec(), time.tv_usec());
        Duration::from_secs(seconds.unsigned_abs()) + Duration::from_micros(micros.unsigned_abs())
    };
    ResourceUsage {
        user: time(usage.user_time()),
        system: time(usage.system_time()),
        max_rss_bytes: usage.max_rss().unsigned_abs() * 1024,
    }
}

#[expect(clippy::disallowed_methods, reason = "this is a part of the process layer")]
fn now() -> Instant {
    Instant::now()
}
