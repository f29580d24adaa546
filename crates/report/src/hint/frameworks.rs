//! Recognises frameworks and their loggers by the form of their lines.

use super::line::{has_any, starts_with_any};

/// The shape of a text: every digit is `0`, so that times and dates can be told by their form.
fn shape(text: &str, characters: usize) -> String {
    let zero = |character: char| if character.is_ascii_digit() { '0' } else { character };
    text.chars().take(characters).map(zero).collect()
}

/// `[Nest] 4242  - 01/02/2026, 1:02:03 AM     LOG [NestFactory] Starting ...`.
pub(super) fn is_nest(text: &str) -> bool {
    text.starts_with("[Nest] ")
}

/// The banner, and the log that carries a process id between dashes.
pub(super) fn is_spring_boot(text: &str) -> bool {
    text.contains(":: Spring Boot ::")
        || text.contains("Tomcat started on port")
        || text.contains(" --- [") && has_any(text, &[" INFO ", " WARN ", " ERROR ", " DEBUG "])
}

pub(super) fn is_java_machine(text: &str) -> bool {
    starts_with_any(
        text,
        &["Picked up JAVA_TOOL_OPTIONS", "Picked up _JAVA_OPTIONS", "OpenJDK 64-Bit Server VM"],
    ) || text.starts_with("Java HotSpot(TM)")
}

pub(super) fn is_node_debugger(text: &str) -> bool {
    starts_with_any(
        text,
        &["Debugger listening on ws://", "Debugger attached", "Waiting for the debugger"],
    )
}

pub(super) fn is_watcher(text: &str) -> bool {
    starts_with_any(text, &["[nodemon]", "[tsx]", "[watchexec", "Watching for file changes"])
        || text.contains("File change detected. Starting incremental compilation")
        || text.contains("Starting compilation in watch mode")
        || starts_with_any(text, &["Restarting 'dist", "Completed running '"])
}

pub(super) fn is_django(text: &str) -> bool {
    starts_with_any(
        text,
        &[
            "Performing system checks",
            "Watching for file changes with StatReloader",
            "Django version ",
        ],
    )
}

pub(super) fn is_rails(text: &str) -> bool {
    starts_with_any(
        text,
        &["=> Booting Puma", "=> Rails ", "=> Run `", "Puma starting in", "* Puma version"],
    ) || text.starts_with("* Listening on http")
}

/// `I, [2026-01-02T03:04:05.000000 #42]  INFO -- : text`.
pub(super) fn is_ruby_logger(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|level| "DIWEFA".contains(level))
        && letters.as_str().starts_with(", [")
        && text.contains(" -- ")
}

/// `INFO:     Started server process [42]`.
pub(super) fn is_uvicorn(text: &str) -> bool {
    starts_with_any(text, &["INFO:     ", "WARNING:  ", "ERROR:    "])
        || has_any(text, &["Uvicorn running on", "Waiting for application startup"])
}

/// `INFO:root:text`, `2026-01-02 03:04:05,678 - name - INFO - text`.
pub(super) fn is_python_logging(text: &str) -> bool {
    let levels = ["DEBUG:", "INFO:", "WARNING:", "ERROR:", "CRITICAL:"];
    let named = levels.iter().filter_map(|level| text.strip_prefix(level)).any(|rest| {
        rest.split_once(':').is_some_and(|(name, _)| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        })
    });
    named || shape(text, 24).starts_with("0000-00-00 00:00:00,000")
}

/// `info: Microsoft.Hosting.Lifetime[0]`.
pub(super) fn is_dotnet_console(text: &str) -> bool {
    let levels = ["trce: ", "dbug: ", "info: ", "warn: ", "fail: ", "crit: "];
    levels.iter().filter_map(|level| text.strip_prefix(level)).any(|category| {
        let category = category.trim_end();
        category.ends_with(']') && category.contains('[') && !category.contains(' ')
    })
}

/// `2026/01/02 03:04:05 text`.
pub(super) fn is_go_log(text: &str) -> bool {
    shape(text, 20).starts_with("0000/00/00 00:00:00")
}

/// `time=2026-01-02T03:04:05.000Z level=INFO msg=text`.
pub(super) fn is_slog(text: &str) -> bool {
    text.contains("level=") && text.contains("msg=")
}

/// `[2026-01-02T03:04:05Z INFO  name] text`, `2026-01-02T03:04:05.000000Z  INFO name: text`.
pub(super) fn is_rust_log(text: &str) -> bool {
    let inner = text.strip_prefix('[').unwrap_or(text);
    let dated = shape(inner, 20).starts_with("0000-00-00T00:00:00");
    let levels = ["Z TRACE ", "Z DEBUG ", "Z  INFO ", "Z INFO ", "Z  WARN ", "Z WARN ", "Z ERROR "];
    dated && has_any(inner, &levels)
}

/// `info: text`.
pub(super) fn is_winston(text: &str) -> bool {
    starts_with_any(
        text,
        &["silly: ", "debug: ", "verbose: ", "http: ", "info: ", "warn: ", "error: "],
    )
}

pub(super) fn is_sql_echo(text: &str) -> bool {
    text.starts_with("prisma:query")
        || text.contains("sqlalchemy.engine")
        || starts_with_any(text, &["Executing (default): ", "Hibernate: ", "query: SELECT"])
}

pub(super) fn is_container_engine(text: &str) -> bool {
    text.starts_with("Unable to find image '")
        || text.contains(": Pulling from ")
        || starts_with_any(text, &["Status: Downloaded newer image", "Trying to pull "])
        || text.ends_with(": Pulling fs layer")
        || text.ends_with(": Pull complete")
}

pub(super) fn is_version_manager(text: &str) -> bool {
    starts_with_any(
        text,
        &[
            "Now using node v",
            "Found '",
            "Using CPython ",
            "Using Python ",
            "Creating virtual environment at",
            "Creating a virtualenv",
            "mise ",
            "info: downloading component",
            "info: syncing channel updates",
        ],
    )
}

pub(super) fn is_shell(text: &str) -> bool {
    let complaint = [": not found", ": command not found", ": No such file or directory"];
    let shells = ["sh: ", "bash: ", "zsh: ", "/bin/sh: ", "dash: "];
    starts_with_any(text, &shells) && complaint.iter().any(|end| text.trim_end().ends_with(end))
        || text.ends_with("is not recognized as an internal or external command,")
}
