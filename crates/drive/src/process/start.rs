//! Starting a process that has nothing of ours but what it was given.
//!
//! It has the descriptors 0, 1 and 2 and no other, no blocked and no ignored signal, and a session
//! and process group of its own, hence no controlling terminal. All of that is asked of
//! `posix_spawn`: no code runs between fork and exec, and our memory is not copied, so that the
//! cost does not grow with our own size.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use nix::sched::{CloneFlags, unshare};
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn};
use nix::sys::signal::{SigSet, Signal};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, chdir};

use super::Keeper;
use super::direct::Guard;

/// The first descriptor that is not a standard stream.
const FIRST_OTHER: RawFd = 3;

/// `POSIX_SPAWN_SETSID` of the system's library, for which there is no name here.
const SET_SESSION: PosixSpawnFlags = PosixSpawnFlags::from_bits_retain(0x80);

/// Held while a process is started, for as long as we have its ends of the pipes. A process that
/// another thread starts at that time would hold them open until it executes its program.
static STARTING: Mutex<()> = Mutex::new(());

/// A program to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// Its file.
    pub(crate) file: PathBuf,
    /// Its arguments; the first is the name by which it is called.
    pub(crate) args: Vec<CString>,
    /// Its environment.
    pub(crate) environment: Vec<CString>,
    /// Its working directory, if not our own.
    pub(crate) directory: Option<PathBuf>,
}

/// A process that was launched, and our ends of its pipes.
pub(crate) struct Launched {
    /// The process.
    pub(crate) process: Keeper,
    /// Where its stdin is written.
    pub(crate) stdin: OwnedFd,
    /// Where its stdout is read.
    pub(crate) stdout: OwnedFd,
    /// Where its stderr is read.
    pub(crate) stderr: OwnedFd,
}

/// Our ends of three pipes.
pub(super) struct Pipes {
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

impl Pipes {
    /// Makes them, and does something with the other ends, which are closed after that. No other
    /// thread starts anything meanwhile.
    pub(super) fn with<T>(act: impl FnOnce([&OwnedFd; 3]) -> T) -> io::Result<(Self, T)> {
        let _one_at_a_time = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        let (their_stdin, stdin) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stdout, their_stdout) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stderr, their_stderr) = pipe_with(PipeFlags::CLOEXEC)?;
        let done = act([&their_stdin, &their_stdout, &their_stderr]);
        Ok((Self { stdin, stdout, stderr }, done))
    }
}

impl Program {
    /// Starts it, as the leader of a session, with three pipes.
    ///
    /// # Errors
    ///
    /// What the kernel says, or the system's library.
    pub(crate) fn start(&self) -> io::Result<Launched> {
        let (pipes, started) = Pipes::with(|theirs| self.start_with(theirs))?;
        let Pipes { stdin, stdout, stderr } = pipes;
        let process = Keeper::Direct(Guard::new(started?));
        Ok(Launched { process, stdin, stdout, stderr })
    }

    /// The same, with our own stderr as its own: nothing comes from the third pipe.
    ///
    /// # Errors
    ///
    /// What the kernel says, or the system's library.
    pub(crate) fn start_sharing_stderr(&self) -> io::Result<Launched> {
        let shared = io::stderr().as_fd().try_clone_to_owned()?;
        let (pipes, started) =
            Pipes::with(|[stdin, stdout, _]| self.start_with([stdin, stdout, &shared]))?;
        let Pipes { stdin, stdout, stderr } = pipes;
        let process = Keeper::Direct(Guard::new(started?));
        Ok(Launched { process, stdin, stdout, stderr })
    }

    /// Starts it with these as its streams, while no other thread starts anything.
    pub(super) fn start_locked(&self, streams: [&OwnedFd; 3]) -> io::Result<Pid> {
        let _one_at_a_time = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        self.start_with(streams)
    }

    /// Starts it with these as its stdin, stdout and stderr.
    ///
    /// # Errors
    ///
    /// What the kernel says, or the system's library.
    pub(crate) fn start_with(&self, streams: [&OwnedFd; 3]) -> io::Result<Pid> {
        make_children_ours_to_reap()?;
        match &self.directory {
            None => self.spawn(streams),
            Some(directory) => in_directory(directory, || self.spawn(streams)),
        }
    }

    fn spawn(&self, stdio: [&OwnedFd; 3]) -> io::Result<Pid> {
        let Actions { actions, moved: _moved } = Actions::new(stdio)?;
        let mut attributes = PosixSpawnAttr::init()?;
        attributes.set_flags(
            PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF
                | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK
                | SET_SESSION,
        )?;
        attributes.set_sigdefault(&SigSet::all())?;
        attributes.set_sigmask(&SigSet::empty())?;
        let (file, args) = (self.file.as_path(), &self.args);
        let pid = posix_spawn(file, &actions, &attributes, args, &self.environment)?;
        Ok(Pid::from_raw(pid.as_raw()).expect("a process that was started has a number"))
    }
}

/// What becomes of the descriptors in the new process.
struct Actions {
    actions: PosixSpawnFileActions,
    /// Descriptors that were in the way of a standard stream, moved out of it.
    moved: Vec<OwnedFd>,
}

impl Actions {
    fn new(stdio: [&OwnedFd; 3]) -> io::Result<Self> {
        let mut actions = PosixSpawnFileActions::init()?;
        let mut moved = Vec::new();
        for (target, fd) in (0..).zip(stdio) {
            let mut source = fd.as_raw_fd();
            if source < FIRST_OTHER {
                let copy = fcntl_dupfd_cloexec(fd, FIRST_OTHER)?;
                source = copy.as_raw_fd();
                moved.push(copy);
            }
            actions.add_dup2(source, target)?;
        }
        // Whoever started us, or a library beside us, may have left descriptors open that are not
        // closed by exec. To close one that is gone meanwhile is no error.
        for fd in open_descriptors()?.filter(|fd| *fd >= FIRST_OTHER) {
            actions.add_close(fd)?;
        }
        Ok(Self { actions, moved })
    }
}

/// Our own descriptors.
fn open_descriptors() -> io::Result<impl Iterator<Item = RawFd>> {
    let entries = fs::read_dir("/proc/self/fd")?;
    Ok(entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()))
}

/// Does something in another working directory, which this process as a whole does not enter.
fn in_directory<T: Send>(
    directory: &Path,
    act: impl FnOnce() -> io::Result<T> + Send,
) -> io::Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, || {
            // From here on the working directory is this thread's alone, and ends with it.
            unshare(CloneFlags::CLONE_FS)?;
            chdir(directory)?;
            act()
        })?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Whoever started us may have had SIGCHLD ignored, and we with it. Then the kernel reaps every
/// child by itself, and nobody learns how it ended. A handler that does nothing mends that.
fn make_children_ours_to_reap() -> io::Result<()> {
    static IGNORED: OnceLock<bool> = OnceLock::new();
    if !*IGNORED.get_or_init(|| is_ignored(Signal::SIGCHLD)) {
        return Ok(());
    }
    static HANDLED: Mutex<Option<Arc<AtomicBool>>> = Mutex::new(None);
    let mut handled = HANDLED.lock().unwrap_or_else(PoisonError::into_inner);
    if handled.is_none() {
        let arrived = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(Signal::SIGCHLD as i32, Arc::clone(&arrived))?;
        *handled = Some(arrived);
    }
    Ok(())
}

/// Whether this process ignores a signal. Not if that cannot be told.
#[must_use]
pub fn is_ignored(signal: Signal) -> bool {
    let Ok(status) = fs::read_to_string("/proc/self/status") else {
        return false;
    };
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal as i32 - 1) & 1 == 1)
}
