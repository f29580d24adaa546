//! What can happen in one run, in the order in which it happened.

use std::borrow::Cow;
use std::time::Duration;

use crate::ids::RawId;
use crate::phase::Phase;

/// The sequence number of an event, counted from 0 without gaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seq(pub u64);

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// Its place in the order.
    pub seq: Seq,
    /// Monotonic time since the launch began. Never decides a verdict.
    pub at: Duration,
    /// What happened.
    pub kind: EventKind<'a>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind<'a> {
    /// The server's process could not be started.
    LaunchFailed(LaunchFailure),
    /// The client side went on to its next step.
    StepBegan(Phase),
    /// The client side is about to write a message. Pushed before its first byte is written.
    Sent(Sent),
    /// Bytes of a message of ours were accepted by the pipe.
    WriteProgress {
        /// Bytes of the message accepted so far.
        written: u64,
        /// The message's length.
        total: u64,
    },
    /// The server's stdin takes no more bytes (the read end is closed).
    WriteFailed,
    /// stdin was closed.
    StdinClosed {
        /// Who closed it.
        by: Side,
    },
    /// Bytes came on stdout. How they are cut carries no meaning.
    Stdout(Cow<'a, [u8]>),
    /// stdout reached its end.
    StdoutEof,
    /// Bytes came on stderr.
    Stderr(Cow<'a, [u8]>),
    /// stderr reached its end.
    StderrEof,
    /// A deadline passed. Pushed only after stdout was found empty.
    Deadline(DeadlineName),
    /// A cap of the run was reached and reading stopped.
    CapReached(CapName),
    /// We sent a signal to the server's process group.
    Signalled(Signal),
    /// The launched process ended. Comes after `StdoutEof` or `LeakWindowEnded`.
    Exited(ExitStatus),
    /// The time in which stdout may stay open after the launched process ended is over.
    LeakWindowEnded {
        /// Whether stdout was still held open.
        stdout: Held,
    },
    /// Processes of the server's group that outlived the launched process.
    Census {
        /// How many.
        strays: u32,
    },
    /// A step of the scenario could not be carried out, and nobody is at fault yet.
    Untested(Untested),
    /// The client side no longer waits for the replies that are still open.
    GaveUp,
    /// We closed our end of stdout, as the scenario says.
    StdoutClosed,
    /// What the server's processes used of a processor since stdin was closed.
    Usage {
        /// Processor time.
        cpu: Duration,
        /// The time that passed.
        wall: Duration,
    },
    /// The run was stopped from outside before its session ended.
    Stopped,
}

impl EventKind<'_> {
    /// The same, with bytes of its own.
    #[must_use]
    pub fn into_owned(self) -> EventKind<'static> {
        match self {
            Self::Stdout(bytes) => EventKind::Stdout(Cow::Owned(bytes.into_owned())),
            Self::Stderr(bytes) => EventKind::Stderr(Cow::Owned(bytes.into_owned())),
            Self::LaunchFailed(failure) => EventKind::LaunchFailed(failure),
            Self::StepBegan(phase) => EventKind::StepBegan(phase),
            Self::Sent(sent) => EventKind::Sent(sent),
            Self::WriteProgress { written, total } => EventKind::WriteProgress { written, total },
            Self::WriteFailed => EventKind::WriteFailed,
            Self::StdinClosed { by } => EventKind::StdinClosed { by },
            Self::StdoutEof => EventKind::StdoutEof,
            Self::StderrEof => EventKind::StderrEof,
            Self::Deadline(name) => EventKind::Deadline(name),
            Self::CapReached(name) => EventKind::CapReached(name),
            Self::Signalled(signal) => EventKind::Signalled(signal),
            Self::Exited(status) => EventKind::Exited(status),
            Self::LeakWindowEnded { stdout } => EventKind::LeakWindowEnded { stdout },
            Self::Census { strays } => EventKind::Census { strays },
            Self::Untested(what) => EventKind::Untested(what),
            Self::GaveUp => EventKind::GaveUp,
            Self::StdoutClosed => EventKind::StdoutClosed,
            Self::Usage { cpu, wall } => EventKind::Usage { cpu, wall },
            Self::Stopped => EventKind::Stopped,
        }
    }
}

/// A message of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sent {
    /// A request.
    Request {
        /// Its id.
        id: RawId,
        /// Its method.
        method: Box<str>,
        /// Its params as JSON text, from which the detector reads what the client declares: its
        /// capabilities, a progress token, a revision. None if it has none, or if they are not
        /// known.
        params: Option<Box<str>>,
        /// Whether the reply's bytes are wanted back.
        keep_body: KeepBody,
    },
    /// A notification.
    Notification {
        /// Its method.
        method: Box<str>,
    },
    /// A reply to a request of the server.
    Reply {
        /// The server's id, as it stood on the wire.
        id: RawId,
    },
    /// Bytes that are no message, as the scenario says.
    Malformed,
}

/// Whether the bytes of a reply are handed back to whoever sent the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeepBody {
    /// They are.
    Keep,
    /// They are not.
    Drop,
}

/// One of the two ends of the transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The probe.
    Client,
    /// The server.
    Server,
}

/// Whether a pipe was still held open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Held {
    /// Some process still holds it.
    Open,
    /// It had reached its end.
    Closed,
}

macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vmeta])* $variant),* }

        impl $name {
            /// Every value, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name used in reports and cases.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $name {
            type Err = ();

            /// Parses the name used in reports and cases.
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|value| value.name() == text).ok_or(())
            }
        }
    };
}

named! {
    /// A deadline of the run.
    DeadlineName {
        /// From the launch to the first reply.
        Startup = "startup",
        /// From a request to its reply; absolute, not moved by notifications.
        Reply = "reply",
        /// From the end of stdout, which we did not cause, to the exit of the process.
        ExitGrace = "exit-grace",
        /// From the closing of stdin to the exit of the process.
        ShutdownEof = "shutdown-eof",
        /// From SIGTERM to the exit of the process.
        ShutdownTerm = "shutdown-term",
        /// From SIGKILL to the collection of the exit status.
        ShutdownKill = "shutdown-kill",
        /// From the launch to the last step before the shutdown ladder.
        Total = "total",
    }
}

named! {
    /// A cap of the run.
    CapName {
        /// Bytes of stdout in one run.
        TotalStdout = "total-stdout",
    }
}

named! {
    /// A signal that we send.
    Signal {
        /// SIGTERM.
        Term = "SIGTERM",
        /// SIGKILL.
        Kill = "SIGKILL",
        /// SIGCONT, with every SIGTERM: a stopped process hears no other but SIGKILL.
        Cont = "SIGCONT",
    }
}

named! {
    /// Why a server's process could not be started.
    LaunchFailure {
        /// The program is in no directory of PATH, or the path names nothing.
        ProgramNotFound = "program-not-found",
        /// The program is there, its interpreter is not.
        InterpreterNotFound = "interpreter-not-found",
        /// The working directory is not there.
        DirectoryNotFound = "directory-not-found",
        /// The program may not be executed, or is a directory.
        PermissionDenied = "permission-denied",
        /// The file is in no format that the kernel can execute.
        NotExecutable = "not-executable",
        /// The arguments and the environment are too long.
        ArgumentsTooLong = "arguments-too-long",
        /// An argument or a variable holds a NUL byte.
        InvalidArgument = "invalid-argument",
        /// The machine had no room for another process, or anything else.
        System = "system",
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExitStatus {
    /// With an exit code.
    Code(i32),
    /// By a signal, given by number.
    Signal(i32),
}

impl ExitStatus {
    /// Exit code 0.
    pub const SUCCESS: Self = Self::Code(0);
}

/// A step of a scenario that could not be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untested {
    /// A tool was to be called that the server does not list.
    ToolNotListed {
        /// The tool's name, as the user gave it.
        tool: Box<str>,
    },
    /// A list has more pages than are asked for.
    ListNotFinished {
        /// The list's method.
        method: Box<str>,
    },
    /// A reply that the next step depends on was valid, but held what the driver cannot read.
    ReplyNotReadable {
        /// The request's method.
        method: Box<str>,
    },
    /// The server has no tool that the step could call.
    NoTool,
}
