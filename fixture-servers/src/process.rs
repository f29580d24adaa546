//! Mistakes that concern the process and not its messages, made without unsafe code.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio, exit};
use std::thread;
use std::time::Duration;

use crate::out::log;
use crate::watchdog;

/// What the arguments ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The server with its defect.
    Defective,
    /// The server without its defect.
    Sane,
    /// The defective server again, in the same process, after `start_over_after`.
    StartedOver,
    /// The child of `hold_stdout_in_a_child`.
    Holder,
    /// The child of `give_stdin_to_a_child`.
    Eater,
}

const SANE: &str = "--sane";
const STARTED_OVER: &str = "--inner";
const HOLDER: &str = "--hold";
const EATER: &str = "--eat";
const HOLDING_TIME: Duration = Duration::from_secs(10);

impl Role {
    pub(crate) fn from_arguments() -> Self {
        match env::args().nth(1).as_deref() {
            None => Self::Defective,
            Some(SANE) => Self::Sane,
            Some(STARTED_OVER) => Self::StartedOver,
            Some(HOLDER) => Self::Holder,
            Some(EATER) => Self::Eater,
            Some(_) => {
                log("the only argument of a fixture is --sane");
                exit(64)
            }
        }
    }
}

/// Lives on whatever happens to stdin.
pub fn live_on() -> ! {
    loop {
        thread::park();
    }
}

/// Runs a shell command, such as a redirection or a trap, in this process, then starts the
/// fixture over in it. Does nothing in a fixture that was started over.
pub fn start_over_after(shell: &str) {
    if Role::from_arguments() == Role::StartedOver {
        return;
    }
    let error = command("/bin/sh".as_ref())
        .arg("-c")
        .arg(format!(r#"{shell}; exec "$0" "$@""#))
        .arg(env::current_exe().expect("the system tells the path of this program"))
        .arg(STARTED_OVER)
        .exec();
    log(format!("cannot execute /bin/sh: {error}"));
    exit(71)
}

/// Starts a child that inherits stdout and outlives the server by some seconds.
pub fn hold_stdout_in_a_child() {
    let child = itself(HOLDER).stdin(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Err(error) = child {
        cannot_start(&error);
    }
}

/// Starts a child that inherits stdin and reads whatever comes, does this, and waits until the
/// child has read to the end.
pub fn give_stdin_to_a_child(and: impl FnOnce()) {
    match itself(EATER).stdout(Stdio::null()).stderr(Stdio::null()).spawn() {
        Ok(mut child) => {
            and();
            if let Err(error) = child.wait() {
                log(format!("cannot wait for the child: {error}"));
            }
        }
        Err(error) => cannot_start(&error),
    }
}

fn itself(role: &str) -> Command {
    let program = env::current_exe().expect("the system tells the path of this program");
    let mut command = command(program.as_ref());
    command.arg(role);
    command
}

fn cannot_start(error: &io::Error) -> ! {
    log(format!("cannot start the child: {error}"));
    exit(71)
}

/// The life of a child that reads stdin.
pub(crate) fn eat() -> ! {
    watchdog::start();
    // Whatever ends it, there is nothing left to read.
    let _ = io::copy(&mut io::stdin(), &mut io::sink());
    exit(0)
}

/// The child's life. It has no watchdog, since to outlive its parent is what it is for.
pub(crate) fn hold() -> ! {
    watchdog::wait(HOLDING_TIME);
    exit(0)
}

#[expect(clippy::disallowed_methods, reason = "four fixtures need a shell or a child")]
fn command(program: &OsStr) -> Command {
    Command::new(program)
}
