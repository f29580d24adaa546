//! Running programs from tasks: cargo, npm, and the installed command.

use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};

use crate::workspace::{self, Workspace};

/// Why a program did not do what it was to do.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It could not be started.
    Start { program: String, source: io::Error },
    /// It ended with an error; the last lines of its stderr.
    Status { program: String, tail: String },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { program, source } => write!(f, "{program} cannot be started: {source}"),
            Self::Status { program, tail } => write!(f, "{program} failed: {tail}"),
        }
    }
}

/// A program, with its output still going to the terminal.
#[expect(clippy::disallowed_methods, reason = "tasks run tools, they do not probe servers")]
pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.stdin(Stdio::null());
    command
}

/// cargo, in the workspace.
pub(crate) fn cargo() -> Command {
    let mut command = program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace::root());
    command
}

/// Runs a program to its end and takes its output.
pub(crate) fn output(command: &mut Command) -> Result<Output, Failure> {
    let program = command.get_program().display().to_string();
    command.output().map_err(|source| Failure::Start { program, source })
}

/// Runs a program to its end, its output going where ours goes.
pub(crate) fn status(command: &mut Command) -> Result<ExitStatus, Failure> {
    let program = command.get_program().display().to_string();
    command.status().map_err(|source| Failure::Start { program, source })
}

/// Runs a program that must succeed.
pub(crate) fn succeed(command: &mut Command) -> Result<Output, Failure> {
    let output = output(command)?;
    if output.status.success() {
        return Ok(output);
    }
    let program = command.get_program().display().to_string();
    let stderr = String::from_utf8(output.stderr).unwrap_or_default();
    let tail: Vec<&str> = stderr.lines().rev().take(5).collect();
    let tail = tail.into_iter().rev().collect::<Vec<_>>().join(" / ");
    Err(Failure::Status { program, tail })
}

/// Installs the command as a user would, and gives its path.
pub(crate) fn install() -> Result<PathBuf, Failure> {
    let root = target_directory().join("installed");
    succeed(
        cargo()
            .args(["install", "--quiet", "--locked", "--force", "--path", "crates/probe", "--root"])
            .arg(&root)
            .arg("--target-dir")
            .arg(target_directory()),
    )?;
    Ok(root.join("bin/mcp-stdio-probe"))
}

/// Builds the fixture servers of a workspace and gives the directory that they are in.
pub(crate) fn build_fixtures(workspace: &Workspace) -> Result<PathBuf, Failure> {
    // A copy of this workspace must not write over what was built of this one.
    let target = match workspace.root() == workspace::root() {
        true => target_directory(),
        false => workspace.path("target"),
    };
    succeed(
        cargo()
            .current_dir(workspace.root())
            .args(["build", "--quiet", "--package", "fixture-servers", "--bins", "--target-dir"])
            .arg(&target),
    )?;
    Ok(target.join("debug"))
}

/// Builds one fixture server of this workspace as it would be released, and gives its file.
pub(crate) fn build_released_fixture(name: &str) -> Result<PathBuf, Failure> {
    let target = target_directory();
    let build = ["build", "--quiet", "--release", "--package", "fixture-servers", "--bin", name];
    succeed(cargo().args(build).arg("--target-dir").arg(&target))?;
    Ok(target.join("release").join(name))
}

/// Where cargo puts what it builds: this program lies in it, or in `deps` if it is a test.
pub(crate) fn target_directory() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    let mut directories = own.ancestors().skip(1).filter(|path| !path.ends_with("deps"));
    directories.nth(1).map_or_else(|| workspace::root().join("target"), Path::to_owned)
}
