//! A guess at what wrote a line that is no message. Never part of a verdict.

mod frameworks;
mod line;
mod message;

#[cfg(test)]
mod tests;

use std::fmt;

use model::{Detail, RuleId};

/// The magic number of gzip with its only method (RFC 1952 section 2.3.1).
const GZIP: &[u8] = &[0x1f, 0x8b, 0x08];

/// What probably wrote a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hint {
    /// A complete MCP message stands inside the line.
    EmbeddedMessage {
        /// The byte of the line at which the message begins.
        at: u64,
    },
    /// A loader of configuration files (dotenv and its like).
    ConfigLoader,
    /// npm, pnpm or yarn, announcing the script that it runs.
    ScriptRunner,
    /// A package manager that installs.
    PackageManager,
    /// A build tool in the launch line.
    BuildTool,
    /// A Python traceback.
    PythonTraceback,
    /// An uncaught error or its stack trace.
    StackTrace,
    /// The text for wrong arguments, or for none.
    Usage,
    /// An HTTP server.
    HttpServer,
    /// Python's logging module.
    PythonLogging,
    /// Uvicorn or another ASGI server.
    Uvicorn,
    /// Django's development server.
    Django,
    /// NestJS.
    Nest,
    /// Winston, with its simple format.
    Winston,
    /// Node's own debugger.
    NodeDebugger,
    /// A program that restarts the server when a file changes.
    Watcher,
    /// Spring Boot.
    SpringBoot,
    /// The Java virtual machine itself.
    JavaMachine,
    /// The console logger of .NET.
    DotnetConsole,
    /// Go's log package.
    GoLog,
    /// Go's slog, or another logger of its form.
    Slog,
    /// Rust's tracing or env_logger.
    RustLog,
    /// Ruby's Logger.
    RubyLogger,
    /// Rails or Puma.
    Rails,
    /// A database library that echoes its statements.
    SqlEcho,
    /// A container engine that pulls an image.
    ContainerEngine,
    /// A virtual environment or version manager.
    VersionManager,
    /// A shell's own complaint.
    Shell,
    /// A logger that writes JSON records.
    JsonLogRecord,
    /// A line with colours.
    ColouredLine,
    /// A progress bar.
    ProgressBar,
    /// A warning of the interpreter.
    InterpreterWarning,
    /// A logger.
    LogLine,
    /// A banner.
    Banner,
    /// A question to the user.
    Prompt,
    /// A stream in text mode on Windows, or a terminal.
    CarriageReturn,
    /// A writer that encodes as UTF-16.
    Utf16,
    /// Compressed data.
    Compressed,
    /// The launcher: the server alone is clean.
    Launcher,
    /// The server itself: alone it makes the same mistake.
    Server,
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::EmbeddedMessage { at: 0 } => {
                "a complete MCP message begins this line: what follows it was written without a \
                 newline between"
            }
            Self::EmbeddedMessage { at } => {
                return write!(
                    f,
                    "a complete MCP message stands inside this line at byte {at}, counted from 0: \
                     what precedes it was written without a newline"
                );
            }
            Self::ConfigLoader => {
                "a configuration loader's notice: such loaders have an option to be quiet"
            }
            Self::ScriptRunner => {
                "a script runner's header: launch the program itself, or make the runner silent \
                 (npm --silent, pnpm --silent, yarn --silent)"
            }
            Self::PackageManager => {
                "a package manager's output: install before the server is launched"
            }
            Self::BuildTool => "a build tool's output: build first, then launch the built program",
            Self::PythonTraceback => "a Python traceback",
            Self::StackTrace => "an uncaught error or its stack trace",
            Self::Usage => "usage text: were the arguments right?",
            Self::HttpServer => {
                "an HTTP server's start-up line: was it started for the stdio transport?"
            }
            Self::PythonLogging => {
                "a line of Python's logging: logging.basicConfig(stream=sys.stderr)"
            }
            Self::Uvicorn => {
                "an ASGI server's log: was the server started for the stdio transport?"
            }
            Self::Django => "Django's development server: it serves HTTP, not stdio",
            Self::Nest => "a NestJS log line: give the application a logger that writes to stderr",
            Self::Winston => "a Winston log line: set stderrLevels on the console transport",
            Self::NodeDebugger => "Node's debugger: launch without --inspect",
            Self::Watcher => {
                "a watcher that restarts the server: launch the program itself, not nodemon or \
                 a --watch mode"
            }
            Self::SpringBoot => {
                "Spring Boot's banner or log: spring.main.banner-mode=off, and no console \
                 appender on stdout"
            }
            Self::JavaMachine => {
                "a notice of the Java virtual machine: unset JAVA_TOOL_OPTIONS, or give \
                 -Xlog:disable -Xlog:all=warning:stderr"
            }
            Self::DotnetConsole => {
                "the console logger of .NET: set LogToStandardErrorThreshold to Trace"
            }
            Self::GoLog => "a line of Go's log package: leave its output at os.Stderr",
            Self::Slog => "a structured log line: give the handler os.Stderr",
            Self::RustLog => "a line of a Rust logger: .with_writer(std::io::stderr)",
            Self::RubyLogger => "a line of Ruby's Logger: Logger.new($stderr)",
            Self::Rails => "Rails or Puma at startup: it serves HTTP, not stdio",
            Self::SqlEcho => "a database library that echoes statements: switch its echo off",
            Self::ContainerEngine => "a container engine that pulls an image: pull it beforehand",
            Self::VersionManager => {
                "a version manager or virtual environment: prepare it before the server is launched"
            }
            Self::Shell => "a shell's complaint: is the command in the launch line right?",
            Self::JsonLogRecord => "a JSON log record: point the logger at stderr",
            Self::ColouredLine => {
                "a coloured line, made for a terminal: point the logger at stderr"
            }
            Self::ProgressBar => "a progress bar",
            Self::InterpreterWarning => {
                "a warning of the language's runtime: have warnings shown on stderr"
            }
            Self::LogLine => "a log line: point the logger at stderr",
            Self::Banner => "a banner",
            Self::Prompt => "a question to the user: nobody can answer it",
            Self::CarriageReturn => "stdout in text mode on Windows, or a terminal in the way",
            Self::Launcher => {
                "the launcher, not the server: launched without it, the server is clean"
            }
            Self::Server => "the server itself: launched without its launcher, it does the same",
            Self::Compressed => {
                "compressed data (1f 8b begins a gzip stream): stdout carries text alone"
            }
            Self::Utf16 => "text in UTF-16, as PowerShell and some Windows tools write it",
        };
        f.write_str(text)
    }
}

/// Guesses at the writer of a frame, from the finding's rule and the first bytes of the frame.
#[must_use]
pub fn guess(rule: RuleId, detail: &Detail, frame: &[u8]) -> Option<Hint> {
    if matches!(detail, Detail::Utf16(_)) {
        return Some(Hint::Utf16);
    }
    if rule == RuleId::DecodeError && frame.windows(3).any(|bytes| bytes == GZIP) {
        return Some(Hint::Compressed);
    }
    match rule {
        RuleId::CarriageReturn => Some(Hint::CarriageReturn),
        RuleId::InvalidJson
        | RuleId::DecodeError
        | RuleId::SplitMessage
        | RuleId::PartialFrame
        | RuleId::NotAnObject
        | RuleId::JsonrpcVersion
        | RuleId::UnknownKind => {
            let embedded = match rule {
                RuleId::InvalidJson | RuleId::DecodeError | RuleId::PartialFrame => {
                    message::find(frame)
                }
                _ => None,
            };
            embedded.map(|at| Hint::EmbeddedMessage { at }).or_else(|| line::writer(frame))
        }
        _ => None,
    }
}
