//! Recognises the writers of well-known lines by how the lines begin.

use super::{Hint, frameworks};

/// How many bytes of a line are looked at.
const MAX_BYTES: usize = 1024;

/// What probably wrote a line.
pub(super) fn writer(line: &[u8]) -> Option<Hint> {
    let line = &line[..line.len().min(MAX_BYTES)];
    if is_utf16(line) {
        return Some(Hint::Utf16);
    }
    // The UTF-8 text up to the first byte that is none: enough to know a writer by.
    let text = line.utf8_chunks().next()?.valid();
    let coloured = text.starts_with("\u{1b}[");
    let plain = without_colours(text);
    let guess = RECOGNISERS.iter().find(|(_, matches)| matches(&plain)).map(|(hint, _)| *hint);
    match guess {
        None | Some(Hint::LogLine) if coloured => Some(Hint::ColouredLine),
        guess => guess,
    }
}

type Recogniser = fn(&str) -> bool;

/// The recognisers, the most telling first.
const RECOGNISERS: &[(Hint, Recogniser)] = &[
    (Hint::ProgressBar, is_progress_bar),
    (Hint::ConfigLoader, is_config_loader),
    (Hint::PackageManager, is_package_manager),
    (Hint::BuildTool, is_build_tool),
    (Hint::ScriptRunner, is_script_runner),
    (Hint::PythonTraceback, is_python_traceback),
    (Hint::StackTrace, is_stack_trace),
    (Hint::SpringBoot, frameworks::is_spring_boot),
    (Hint::JavaMachine, frameworks::is_java_machine),
    (Hint::Nest, frameworks::is_nest),
    (Hint::NodeDebugger, frameworks::is_node_debugger),
    (Hint::Watcher, frameworks::is_watcher),
    (Hint::Django, frameworks::is_django),
    (Hint::Rails, frameworks::is_rails),
    (Hint::RubyLogger, frameworks::is_ruby_logger),
    (Hint::Uvicorn, frameworks::is_uvicorn),
    (Hint::SqlEcho, frameworks::is_sql_echo),
    (Hint::PythonLogging, frameworks::is_python_logging),
    (Hint::DotnetConsole, frameworks::is_dotnet_console),
    (Hint::ContainerEngine, frameworks::is_container_engine),
    (Hint::VersionManager, frameworks::is_version_manager),
    (Hint::Shell, frameworks::is_shell),
    (Hint::Usage, is_usage),
    (Hint::JsonLogRecord, is_json_log_record),
    (Hint::HttpServer, is_http_server),
    (Hint::Slog, frameworks::is_slog),
    (Hint::RustLog, frameworks::is_rust_log),
    (Hint::GoLog, frameworks::is_go_log),
    (Hint::Winston, frameworks::is_winston),
    (Hint::InterpreterWarning, is_interpreter_warning),
    (Hint::LogLine, is_log_line),
    (Hint::Banner, is_banner),
    (Hint::Prompt, is_prompt),
];

/// Every second byte of ASCII text in UTF-16 is NUL.
fn is_utf16(line: &[u8]) -> bool {
    let sample = &line[..line.len().min(64) & !1];
    let nul =
        |parity: usize| sample.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    sample.len() >= 4 && (nul(0) > sample.len() / 4) != (nul(1) > sample.len() / 4)
}

/// The text without its colour sequences (`ESC [ … letter`).
fn without_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        rest = after
            .find(|character: char| character.is_ascii_alphabetic())
            .map_or("", |letter| &after[letter + 1..]);
    }
    out.push_str(rest);
    out
}

pub(super) fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

pub(super) fn starts_with_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.starts_with(word))
}

fn is_progress_bar(text: &str) -> bool {
    let redrawn = text.trim_end_matches('\r').contains('\r');
    redrawn && text.contains('%') || has_any(text, &["%|"])
}

fn is_config_loader(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let reads = ["load", "inject", "read", "using", "parsed"];
    has_any(&text, &["[dotenv", "dotenv@", "injecting env", "dotenvx"])
        || text.contains(".env") && has_any(&text, &reads)
        // `[name@17.2] read 0 vars`
        || text.starts_with('[')
            && text.split_once('@').is_some_and(|(name, rest)| {
                !name.contains(' ') && rest.starts_with(|first: char| first.is_ascii_digit())
            })
            && has_any(&text, &reads)
}

fn is_package_manager(text: &str) -> bool {
    let counted = |verb: &str| {
        text.strip_prefix(verb).and_then(|rest| rest.split_once(' ')).is_some_and(
            |(count, rest)| count.parse::<u64>().is_ok() && rest.starts_with("package"),
        )
    };
    let verbs = ["added ", "removed ", "changed ", "Installed ", "Resolved ", "Audited "];
    verbs.iter().any(|verb| counted(verb))
        || starts_with_any(
            text,
            &[
                "up to date, audited",
                "up to date in",
                "npm WARN",
                "npm warn",
                "npm notice",
                "npm ERR!",
                "Need to install the following packages",
                "Requirement already satisfied",
                "Collecting ",
                "Successfully installed ",
                "Lockfile is up to date",
            ],
        )
}

fn is_build_tool(text: &str) -> bool {
    starts_with_any(
        text,
        &[
            "[INFO] Scanning for projects",
            "[INFO] Building ",
            "[INFO] ---",
            "> Task :",
            "BUILD SUCCESS",
            "BUILD FAILED",
            "Starting a Gradle Daemon",
            "Downloading https://",
            "Using launch settings from",
            "Building...",
            "dotnet watch",
            "  Determining projects to restore",
            "   Compiling ",
            "    Finished ",
        ],
    )
}

/// `> package@1.0.0 start`, then `> node server.js`; `$ node server.js`.
fn is_script_runner(text: &str) -> bool {
    starts_with_any(text, &["> ", "$ ", "yarn run v"])
}

fn is_python_traceback(text: &str) -> bool {
    text.starts_with("Traceback (most recent call last)")
        || text.trim_start().starts_with("File \"") && text.contains(", line ")
        || text.contains("During handling of the above exception")
}

fn is_stack_trace(text: &str) -> bool {
    let indented = text.trim_start();
    let frame = indented.len() < text.len()
        && indented.starts_with("at ")
        && (indented.contains('(') || indented.contains(':'));
    // `TypeError: …`, `java.lang.IllegalStateException: …`
    let named = text.split(':').next().is_some_and(|name| {
        text.len() > name.len()
            && (name.ends_with("Error") || name.ends_with("Exception"))
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'$'))
    });
    frame
        || named
        || starts_with_any(
            text,
            &[
                "Exception in thread",
                "Caused by: ",
                "Uncaught ",
                "Unhandled ",
                "panic: ",
                "goroutine ",
            ],
        )
        || text.starts_with("thread '") && text.contains("panicked at")
        || text.starts_with("PHP Fatal error")
        || text.starts_with("Fatal error: Uncaught")
}

fn is_usage(text: &str) -> bool {
    let lower = text.trim_start().to_ascii_lowercase();
    let after_usage = lower.strip_prefix("usage");
    after_usage.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', ' ', '\r']))
        || starts_with_any(
            &lower,
            &[
                "error: unexpected argument",
                "error: the following required arguments",
                "error: unrecognized subcommand",
                "error: unknown option",
                "unknown option",
                "unknown command",
                "missing required argument",
            ],
        )
        || lower.contains("--help")
}

fn is_http_server(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let serves = ["listening", "running", "started", "serving", "available", "ready", "server"];
    let port = lower.match_indices(':').any(|(at, _)| {
        let digits = lower[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let before = lower[..at].chars().next_back();
        // A port follows a host, a bracket or a blank; `12:30:05` is a time.
        (2..=5).contains(&digits) && before.is_none_or(|before| !before.is_ascii_digit())
    });
    let word = lower
        .split_once("port ")
        .is_some_and(|(_, rest)| rest.starts_with(|first: char| first.is_ascii_digit()));
    has_any(&lower, &serves)
        && (port || word || has_any(&lower, &["http://", "https://", "0.0.0.0", "127.0.0.1"]))
}

fn is_json_log_record(text: &str) -> bool {
    text.starts_with('{')
        && has_any(text, &["\"level\"", "\"lvl\"", "\"severity\"", "\"loglevel\"", "\"@l\""])
        && has_any(
            text,
            &[
                "\"msg\"",
                "\"message\"",
                "\"time\"",
                "\"timestamp\"",
                "\"ts\"",
                "\"@t\"",
                "\"event\"",
            ],
        )
        && !text.contains("\"jsonrpc\"")
}

fn is_interpreter_warning(text: &str) -> bool {
    starts_with_any(
        text,
        &[
            "Deprecated: ",
            "PHP Deprecated",
            "PHP Warning",
            "Warning: ",
            "Notice: ",
            "(node:",
            "<br />",
        ],
    ) || has_any(
        text,
        &["DeprecationWarning", "FutureWarning", "ExperimentalWarning", "UserWarning"],
    )
}

const LEVELS: [&str; 15] = [
    "trace",
    "debug",
    "verbose",
    "info",
    "information",
    "notice",
    "warn",
    "warning",
    "error",
    "err",
    "fatal",
    "critical",
    "success",
    "dbug",
    "fail",
];

fn is_log_line(text: &str) -> bool {
    let text = text.trim_start();
    let inner = text.trim_start_matches(['[', '(', '<', '*']);
    let word: String = inner
        .chars()
        .take_while(char::is_ascii_alphabetic)
        .collect::<String>()
        .to_ascii_lowercase();
    let levelled = LEVELS.contains(&word.as_str())
        && inner[word.len()..].starts_with([' ', ':', ']', ')', '>', '\t', '-', '|', '[', '=']);
    let tagged = text.starts_with('[') && text.contains(']') || has_any(text, &["level=", "lvl="]);
    levelled || tagged || starts_with_time(inner) || is_glog(inner)
}

/// A date `2026-01-02`, `2026/01/02`, or a time `12:30:05`.
fn starts_with_time(text: &str) -> bool {
    let shape: String = text
        .chars()
        .take(10)
        .map(|character| if character.is_ascii_digit() { '0' } else { character })
        .collect();
    starts_with_any(&shape, &["0000-00-00", "0000/00/00", "00:00:00", "00/00/0000"])
}

/// `I0102 12:30:05.000000 file.cc:1] text`, also with a file at once: `I0000 x.cc:1]`.
fn is_glog(text: &str) -> bool {
    text.starts_with(['I', 'W', 'E', 'F'])
        && text.len() > 5
        && text.as_bytes()[1..5].iter().all(u8::is_ascii_digit)
        && text.as_bytes()[5] == b' '
}

fn is_banner(text: &str) -> bool {
    let text = text.trim_end();
    let drawn = |character: char| matches!(character, '\u{2500}'..='\u{259f}');
    let ruler = |character: char| "=-_*#~+.".contains(character);
    let art = |character: char| " _/\\|()'`.,-=<>:;\"".contains(character);
    let trimmed = text.trim_start();
    trimmed.starts_with(drawn)
        || trimmed.len() >= 4 && trimmed.chars().take(4).all(ruler)
        || trimmed.len() >= 6 && trimmed.chars().all(art)
        || text.contains(":: Spring Boot ::")
}

fn is_prompt(text: &str) -> bool {
    let text = text.trim_end();
    text.ends_with('?')
        || has_any(text, &["(y/n)", "(Y/n)", "(y/N)", "[y/N]", "[Y/n]", "[y/n]"])
        || starts_with_any(text, &["Enter ", "Password", "Username", "Press "])
}
