//! Starting the process.

use std::env;
use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::{Containment, ContainmentLevel};

use super::error::{LaunchError, NulIn};
use super::{ContainmentSpec, Cwd, Environment, LaunchSpec, Variable, resolve};
use crate::process::{Isolation, Launched, NotStarted, Program, Supervised};

/// How often a program is tried that somebody holds open for writing.
const BUSY_TRIES: u32 = 5;
/// How long between two tries.
const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// A command whose program, environment and working directory are known.
pub(crate) struct Prepared {
    /// The program's file.
    pub(crate) executable: PathBuf,
    /// The working directory.
    pub(crate) directory: PathBuf,
    /// The variables that it is given.
    pub(crate) variables: Vec<Variable>,
    program: Program,
    stderr: Stderr,
    bytes: usize,
}

/// Where the stderr of a process goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stderr {
    /// Into a pipe of ours.
    Pipe,
    /// Where ours goes.
    Shared,
}

impl Prepared {
    /// Checks everything that one error number of a failed launch would not tell apart.
    pub(crate) fn new(spec: &LaunchSpec) -> Result<Self, LaunchError> {
        let environment = Environment::new(spec.env, &spec.set, &spec.unset, env::vars_os());
        check(spec, &environment)?;
        let directory = working_directory(&spec.cwd)?;
        let executable = resolve::resolve(&spec.program, environment.path(), &directory)?;
        let program = Program {
            file: executable.clone(),
            // A program may look at the name by which it was called, as a client would call it.
            args: [&spec.program].into_iter().chain(&spec.args).map(c_string).collect(),
            environment: environment
                .iter()
                .map(|(name, value)| c_string([name, value].join(OsStr::new("="))))
                .collect(),
            directory: match spec.cwd {
                Cwd::Current => None,
                Cwd::Dir(_) => Some(directory.clone()),
            },
        };
        Ok(Self {
            executable,
            directory,
            variables: environment.variables(),
            program,
            stderr: Stderr::Pipe,
            bytes: length(spec, &environment),
        })
    }

    /// Gives the process our own stderr instead of a pipe.
    pub(crate) fn sharing_stderr(mut self) -> Self {
        self.stderr = Stderr::Shared;
        self
    }

    /// Starts the process, as the leader of a session of its own, with three pipes, held together
    /// as well as it can be had.
    ///
    /// A program that was written a moment ago may still be open in a child that another thread
    /// is just forking. That passes, so it is tried again.
    pub(crate) async fn spawn(
        &self,
        containment: &ContainmentSpec,
    ) -> Result<(Launched, Containment), LaunchError> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.start(containment) {
                Ok(launched) => return Ok(launched),
                Err(error)
                    if error.kind() == io::ErrorKind::ExecutableFileBusy && tries <= BUSY_TRIES =>
                {
                    tokio::time::sleep(BUSY_PAUSE).await;
                }
                Err(error) => return Err(resolve::refusal(&self.executable, error, self.bytes)),
            }
        }
    }

    /// Tries one level after another, from the one that is asked for downwards.
    fn start(&self, asked: &ContainmentSpec) -> io::Result<(Launched, Containment)> {
        let supervised = match asked {
            ContainmentSpec::Group => None,
            ContainmentSpec::Supervised(path) => Some((path, &SUPERVISED[1..])),
            ContainmentSpec::Isolated(path) => Some((path, &SUPERVISED[..])),
        };
        let mut declined = Vec::new();
        if let Some((path, levels)) = supervised {
            for (level, isolation) in levels {
                match Supervised::start(path, *isolation, &self.program) {
                    Ok(launched) => return Ok((launched, Containment { level: *level, declined })),
                    Err(NotStarted::Refused(error)) => return Err(error),
                    Err(NotStarted::Unable(error)) => {
                        declined.push((*level, error.to_string().into()));
                    }
                }
            }
        }
        let launched = match self.stderr {
            Stderr::Pipe => self.program.start()?,
            Stderr::Shared => self.program.start_sharing_stderr()?,
        };
        Ok((launched, Containment { level: ContainmentLevel::Group, declined }))
    }
}

/// The levels that need a supervisor, the highest first.
const SUPERVISED: [(ContainmentLevel, Isolation); 2] = [
    (ContainmentLevel::Namespace, Isolation::Namespace),
    (ContainmentLevel::Supervisor, Isolation::None),
];

fn c_string(text: impl AsRef<OsStr>) -> CString {
    let text: OsString = text.as_ref().to_owned();
    CString::new(text.into_vec()).expect("what holds a NUL byte was refused before")
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
