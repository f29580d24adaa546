//! Starting the process.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::error::{LaunchError, NulIn};
use super::{Cwd, Environment, LaunchSpec, Variable, resolve};

/// How often a program is tried that somebody holds open for writing.
const BUSY_TRIES: u32 = 5;
/// How long between two tries.
const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// Held while a process is started. A process that another thread starts at the same time would,
/// until it executes its program, hold the other side of our pipes open.
static STARTING: Mutex<()> = Mutex::new(());

/// A command whose program, environment and working directory are known.
pub(crate) struct Prepared {
    /// The program's file.
    pub(crate) executable: PathBuf,
    /// The working directory.
    pub(crate) directory: PathBuf,
    /// The variables that it is given.
    pub(crate) variables: Vec<Variable>,
    command: Command,
    bytes: usize,
}

impl Prepared {
    /// Checks everything that one error number of a failed launch would not tell apart.
    pub(crate) fn new(spec: &LaunchSpec) -> Result<Self, LaunchError> {
        let environment = Environment::new(spec.env, &spec.set, env::vars_os());
        check(spec, &environment)?;
        let directory = working_directory(&spec.cwd)?;
        let executable = resolve::resolve(&spec.program, environment.path(), &directory)?;
        #[expect(clippy::disallowed_methods, reason = "this is where servers are launched")]
        let mut command = Command::new(&executable);
        command
            // A program may look at the name by which it was called, as a client would call it.
            .arg0(&spec.program)
            .args(&spec.args)
            .env_clear()
            .envs(environment.iter())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        if let Cwd::Dir(_) = spec.cwd {
            command.current_dir(&directory);
        }
        Ok(Self {
            executable,
            directory,
            variables: environment.variables(),
            command,
            bytes: length(spec, &environment),
        })
    }

    /// Gives the process our own stderr instead of a pipe.
    pub(crate) fn sharing_stderr(mut self) -> Self {
        self.command.stderr(Stdio::inherit());
        self
    }

    /// Starts the process, as the leader of a process group of its own, with three pipes.
    ///
    /// A program that was written a moment ago may still be open in a child that another thread
    /// is just forking. That passes, so it is tried again.
    pub(crate) async fn spawn(&mut self) -> Result<Child, LaunchError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let started = {
                let _one_at_a_time = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
                self.command.spawn()
            };
            match started {
                Ok(child) => return Ok(child),
                Err(error)
                    if error.kind() == io::ErrorKind::ExecutableFileBusy && tries <= BUSY_TRIES =>
                {
                    tokio::time::sleep(BUSY_PAUSE).await;
                }
                Err(error) => return Err(resolve::refusal(&self.executable, error, self.bytes)),
            }
        }
    }
}

fn check(spec: &LaunchSpec, environment: &Environment) -> Result<(), LaunchError> {
    let nul = |text: &OsStr| text.as_bytes().contains(&0);
    if nul(&spec.program) {
        return Err(LaunchError::Nul(NulIn::Program));
    }
    if let Some(index) = spec.args.iter().position(|arg| nul(arg)) {
        return Err(LaunchError::Nul(NulIn::Argument(index + 1)));
    }
    if let Cwd::Dir(directory) = &spec.cwd
        && nul(directory.as_os_str())
    {
        return Err(LaunchError::Nul(NulIn::Directory));
    }
    if environment.iter().any(|(name, value)| nul(name) || nul(value)) {
        return Err(LaunchError::Nul(NulIn::Variable));
    }
    // What we inherited may hold such names; it is passed on as it is.
    match spec.set.iter().find(|(name, _)| name.is_empty() || name.as_bytes().contains(&b'=')) {
        Some((name, _)) => Err(LaunchError::VariableName { name: name.clone() }),
        None => Ok(()),
    }
}

fn working_directory(cwd: &Cwd) -> Result<PathBuf, LaunchError> {
    let ours = env::current_dir()
        .map_err(|_| LaunchError::DirectoryNotFound { directory: PathBuf::from(".") });
    let directory: PathBuf = match cwd {
        Cwd::Current => ours?,
        Cwd::Dir(directory) if directory.is_absolute() => directory.clone(),
        Cwd::Dir(directory) => ours?.join(directory).components().collect(),
    };
    enterable(&directory).map(|()| directory)
}

fn enterable(directory: &Path) -> Result<(), LaunchError> {
    use rustix::fs::{Access, AtFlags, CWD, accessat};

    let denied = || LaunchError::PermissionDenied { path: directory.to_owned() };
    match directory.metadata() {
        Ok(metadata) if metadata.is_dir() => {
            accessat(CWD, directory, Access::EXEC_OK, AtFlags::EACCESS).map_err(|_| denied())
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(denied()),
        Ok(_) | Err(_) => Err(LaunchError::DirectoryNotFound { directory: directory.to_owned() }),
    }
}

/// What the kernel counts: every string with its NUL.
fn length(spec: &LaunchSpec, environment: &Environment) -> usize {
    let args: usize = spec.args.iter().map(|arg| arg.len() + 1).sum();
    let variables: usize =
        environment.iter().map(|(name, value)| name.len() + value.len() + 2).sum();
    spec.program.len() + 1 + args + variables
}
