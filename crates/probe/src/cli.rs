//! The command: one module a task.

mod args;
mod check;
mod compare;
mod configured;
mod corrupt;
mod demo;
mod demo_server;
mod era;
mod judge;
mod list;
mod listing;
pub(crate) mod live;
mod output;
mod package;
mod play;
mod profile;
mod progress;
mod record;
mod run;
mod self_test;
mod servers;
mod status;
pub(crate) mod stop;
mod tap;
mod version;

use std::ffi::OsString;
use std::fmt;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use report::{Cap, Untrusted};

use args::{Arguments, Task};
pub use status::Status;

/// The name of the command.
pub(crate) const NAME: &str = "mcp-stdio-probe";

/// The longest message.
const MESSAGE: Cap = Cap { columns: 1000, bytes: 4000 };

/// What the user must mend: one line, exit status 2.
#[derive(Debug)]
pub(crate) struct UsageError(String);

impl UsageError {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for UsageError {
    /// Everything that a user or a file name may hold is made safe here.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = Untrusted::new(self.0.as_bytes()).text(MESSAGE);
        f.write_str(text.as_str())
    }
}

/// The command line as it is understood, to make manual pages and completions of.
#[must_use]
pub fn command_line() -> clap::Command {
    Arguments::command()
}

/// Runs the command with the given arguments, program name first.
pub fn main(args: impl IntoIterator<Item = OsString>) -> Status {
    let arguments = match Arguments::try_parse_from(args) {
        Ok(arguments) => arguments,
        Err(error) => return refused(&error),
    };
    if matches!(arguments.command, Task::Run(_) | Task::Demo(_)) {
        stop::listen();
    }
    let done = match &arguments.command {
        Task::Run(arguments) => run::run(arguments),
        Task::Check(arguments) => check::check(arguments),
        Task::Tap(arguments) => tap::tap(arguments),
        Task::Demo(arguments) => demo::demo(arguments),
        Task::SelfTest(arguments) => self_test::self_test(arguments),
        Task::Play(arguments) => play::play(arguments),
        Task::Judge(arguments) => judge::judge(arguments),
        Task::Detector(arguments) => judge::detector(arguments),
        Task::Rules => output::print(&report::rules()),
        Task::Explain { rule } => output::print(&report::explain(*rule, &output::style(None))),
        Task::DemoServer { server } => Ok(demo_server::serve(*server)),
    };
    done.unwrap_or_else(|error| {
        output::say(&format!("error: {error}"));
        Status::Usage
    })
}

/// Help and version are what was asked for; anything else gets one clear line.
fn refused(error: &clap::Error) -> Status {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return output::print(&error.to_string()).unwrap_or(Status::Internal);
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        output::say("error: no task was given; try --help");
        return Status::Usage;
    }
    // The first paragraph says what is wrong; usage and tips follow it.
    let text = error.to_string();
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let line: Vec<&str> = paragraph.split_whitespace().collect();
    let line = line.join(" ");
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    // The most usual slip: the server's command without the dashes before it.
    let hint = match error.kind() {
        ErrorKind::UnknownArgument => "; the server's command goes after `--`; try --help",
        _ => "; try --help",
    };
    output::say(&format!("error: {}{hint}", UsageError::new(line)));
    Status::Usage
}
