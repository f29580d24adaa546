//! Why a server could not be launched, told apart as far as one error number allows.

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;

use model::LaunchFailure;

/// Why a server could not be launched, with what was looked for. Its text is one line.
#[derive(Debug)]
pub enum LaunchError {
    /// The program is in no directory of PATH, or its path names nothing.
    ProgramNotFound {
        /// The program as it was given.
        program: OsString,
        /// The files that were looked for, in order.
        tried: Vec<PathBuf>,
    },
    /// The program is there, what its first line or its header names to run it is not.
    InterpreterNotFound {
        /// The program's file.
        file: PathBuf,
        /// The interpreter of its `#!` line. None if the file has no such line.
        interpreter: Option<OsString>,
    },
    /// The working directory is not there, or is not a directory.
    DirectoryNotFound {
        /// The working directory.
        directory: PathBuf,
    },
    /// A file may not be executed, or a directory may not be entered.
    PermissionDenied {
        /// The file or directory.
        path: PathBuf,
    },
    /// The program's path names a directory.
    IsDirectory {
        /// The directory.
        path: PathBuf,
    },
    /// The kernel can execute no file of this format. A shell would run it, clients do not.
    NotExecutable {
        /// The program's file.
        file: PathBuf,
    },
    /// The arguments and the environment are longer than the kernel takes.
    ArgumentsTooLong {
        /// Their length in bytes.
        bytes: usize,
    },
    /// A NUL byte, which no argument can hold.
    Nul(NulIn),
    /// A variable's name is empty or holds `=`.
    VariableName {
        /// The name.
        name: OsString,
    },
    /// The machine had no room for another process, or anything else.
    System {
        /// What was being done.
        action: &'static str,
        /// What the kernel said.
        source: io::Error,
    },
}

/// Where a NUL byte was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NulIn {
    /// In the program.
    Program,
    /// In the argument with this number, counted from 1.
    Argument(usize),
    /// In the name or the value of a variable.
    Variable,
    /// In the working directory.
    Directory,
}

impl LaunchError {
    /// The kind, as the detector is told.
    #[must_use]
    pub fn kind(&self) -> LaunchFailure {
        match self {
            Self::ProgramNotFound { .. } => LaunchFailure::ProgramNotFound,
            Self::InterpreterNotFound { .. } => LaunchFailure::InterpreterNotFound,
            Self::DirectoryNotFound { .. } => LaunchFailure::DirectoryNotFound,
            Self::PermissionDenied { .. } | Self::IsDirectory { .. } => {
                LaunchFailure::PermissionDenied
            }
            Self::NotExecutable { .. } => LaunchFailure::NotExecutable,
            Self::ArgumentsTooLong { .. } => LaunchFailure::ArgumentsTooLong,
            Self::Nul(_) | Self::VariableName { .. } => LaunchFailure::InvalidArgument,
            Self::System { .. } => LaunchFailure::System,
        }
    }
}

// Names of files come from the user and may hold anything; the debug form of a path is escaped
// and stays on one line.
impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ProgramNotFound { program, tried } => {
                write!(f, "no program {program:?}; looked for ")?;
                match tried.as_slice() {
                    [] => f.write_str("nothing, since PATH is empty"),
                    files => {
                        for (index, file) in files.iter().enumerate() {
                            let comma = if index == 0 { "" } else { ", " };
                            write!(f, "{comma}{file:?}")?;
                        }
                        Ok(())
                    }
                }
            }
            Self::InterpreterNotFound { file, interpreter: Some(interpreter) } => write!(
                f,
                "{file:?} is there, but the interpreter of its first line, {interpreter:?}, is not"
            ),
            Self::InterpreterNotFound { file, interpreter: None } => {
                write!(f, "{file:?} is there, but the dynamic loader that it names is not")
            }
            Self::DirectoryNotFound { directory } => {
                write!(f, "no working directory {directory:?}")
            }
            Self::PermissionDenied { path } => write!(f, "no permission to execute {path:?}"),
            Self::IsDirectory { path } => write!(f, "{path:?} is a directory"),
            Self::NotExecutable { file } => write!(
                f,
                "{file:?} has no format that the kernel can execute (no `#!` line, or built for \
                 another machine)"
            ),
            Self::ArgumentsTooLong { bytes } => write!(
                f,
                "the arguments and the environment are {bytes} bytes long, which the kernel does \
                 not take"
            ),
            Self::Nul(NulIn::Program) => f.write_str("the program's name holds a NUL byte"),
            Self::Nul(NulIn::Argument(number)) => write!(f, "argument {number} holds a NUL byte"),
            Self::Nul(NulIn::Variable) => f.write_str("a variable holds a NUL byte"),
            Self::Nul(NulIn::Directory) => f.write_str("the working directory holds a NUL byte"),
            Self::VariableName { name } => {
                write!(f, "{name:?} cannot be the name of a variable")
            }
            Self::System { action, source } => write!(f, "cannot {action}: {source}"),
        }
    }
}

impl Error for LaunchError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::System { source, .. } => Some(source),
            _ => None,
        }
    }
}
