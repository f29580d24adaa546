//! Running an ecosystem's client to its end: in a process group of its own, which is gone when
//! this returns, whatever happens.

use std::ffi::OsStr;
use std::fs::File;
use std::future::Future;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::pin::Pin;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::error::InstallError;

/// As much of the end of an output as is read.
const KEPT: u64 = 64 * 1024;

/// Runs clients one after the other, in the same directory and by the same deadline.
pub(crate) struct Tools<'a> {
    /// Where their output goes, and where they run.
    pub(crate) directory: &'a Path,
    /// How long each may take.
    pub(crate) deadline: Duration,
    /// Completes when they are to end early.
    pub(crate) stop: Pin<&'a mut dyn Future<Output = ()>>,
}

/// How a client ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// The end of its stdout.
    pub(crate) stdout: String,
    /// The end of its stderr.
    pub(crate) stderr: String,
}

impl Ended {
    /// The last lines that say something, on one line.
    pub(crate) fn tail(&self) -> String {
        let text = if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr };
        let lines: Vec<&str> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        lines[lines.len().saturating_sub(4)..].join(" / ")
    }

    /// The first line with one of these texts, without what the client puts before it.
    pub(crate) fn line_with(&self, texts: &[&str]) -> Option<String> {
        let lines = self.stderr.lines().chain(self.stdout.lines()).map(str::trim);
        lines
            .filter(|line| texts.iter().any(|text| line.contains(text)))
            .map(|line| {
                line.trim_start_matches("npm error ").trim_start_matches("ERROR: ").to_owned()
            })
            .next()
    }
}

/// A group that is killed when it goes out of scope.
struct Group {
    child: Child,
    pid: Option<Pid>,
}

impl Drop for Group {
    fn drop(&mut self) {
        // The leader is not reaped yet, so its number cannot belong to another group.
        if let Some(pid) = self.pid {
            // A group that has gone already is what is wanted.
            _ = kill_process_group(pid, Signal::KILL);
        }
        _ = self.child.wait();
    }
}

impl Tools<'_> {
    /// Runs a client to its end.
    ///
    /// # Errors
    ///
    /// If it cannot be started, does not end in time, or is to end early. That it failed is no
    /// error here.
    pub(crate) async fn run<A: AsRef<OsStr>>(
        &mut self,
        client: &'static str,
        program: impl AsRef<OsStr>,
        args: impl IntoIterator<Item = A>,
    ) -> Result<Ended, InstallError> {
        let io_error = |source| InstallError::Io { action: "run the package's client", source };
        // A client that is stopped leaves its own temporary files behind; they go with the prefix.
        let temporary = self.directory.join(".tmp");
        std::fs::create_dir_all(&temporary).map_err(io_error)?;
        let output = || tempfile::tempfile_in(self.directory);
        let (mut stdout, mut stderr) = (output().map_err(io_error)?, output().map_err(io_error)?);
        let child = command(program.as_ref(), self.directory)
            .args(args)
            .env("TMPDIR", &temporary)
            .stdout(stdout.try_clone().map_err(io_error)?)
            .stderr(stderr.try_clone().map_err(io_error)?)
            .spawn()
            .map_err(|source| InstallError::NoClient { client, source })?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let mut group = Group { child, pid };
        let exited = exit_of(pid);
        tokio::select! {
            exited = exited => exited.map_err(io_error)?,
            () = tokio::time::sleep(self.deadline) => {
                return Err(InstallError::TimedOut { client, after: self.deadline });
            }
            () = self.stop.as_mut() => return Err(InstallError::Stopped),
        }
        if let Some(pid) = group.pid.take() {
            _ = kill_process_group(pid, Signal::KILL);
        }
        let status = group.child.wait().map_err(io_error)?;
        Ok(Ended {
            status,
            stdout: end_of(&mut stdout).map_err(io_error)?,
            stderr: end_of(&mut stderr).map_err(io_error)?,
        })
    }
}

/// Completes when the process has ended. It is not reaped by that.
async fn exit_of(pid: Option<Pid>) -> io::Result<()> {
    let pid = pid.ok_or(io::ErrorKind::NotFound)?;
    let pidfd = pidfd_open(pid, PidfdFlags::empty())?;
    #[expect(
        deprecated,
        reason = "it asks of a descriptor what an OwnedFd grants: to stay the same, and open"
    )]
    let descriptor = AsyncFd::with_interest(pidfd, Interest::READABLE)?;
    descriptor.readable().await?.retain_ready();
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "an installer is no server: nothing of it is judged")]
fn command(program: &OsStr, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(directory)
        .stdin(Stdio::null())
        .env("NO_COLOR", "1")
        .env("npm_config_update_notifier", "false")
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .env("PIP_NO_INPUT", "1")
        .process_group(0);
    command
}

fn end_of(file: &mut File) -> io::Result<String> {
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(KEPT)))?;
    let mut bytes = Vec::new();
    file.take(KEPT).read_to_end(&mut bytes)?;
    // An installer's words are a hint for a person; a byte that is no text is no loss.
    Ok(bytes.utf8_chunks().map(|chunk| chunk.valid()).collect())
}
