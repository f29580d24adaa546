//! Tests of `hint`.

use model::{Detail, RuleId, Utf16};
use rstest::rstest;

use super::{Hint, guess};

const MESSAGE: &str = r#"{"jsonrpc":"2.0","id":31,"result":{"a":"}\" {"}}"#;

#[rstest]
#[case::config_loader("[dotenv@17.2.3] injecting env (0) from .env", Hint::ConfigLoader)]
#[case::config_loader_of_another_name("[settings@17] read 0 vars", Hint::ConfigLoader)]
#[case::config_file("Loading configuration from .env.local", Hint::ConfigLoader)]
#[case::script_header("> pkg@1.0.0 start", Hint::ScriptRunner)]
#[case::script_command("> node server.js", Hint::ScriptRunner)]
#[case::yarn("yarn run v1.22.19", Hint::ScriptRunner)]
#[case::yarn_command("$ node server.js", Hint::ScriptRunner)]
#[case::packages("added 80 packages in 3s", Hint::PackageManager)]
#[case::package("added 1 package, and audited 2 packages in 1s", Hint::PackageManager)]
#[case::npm_notice("npm notice New version available", Hint::PackageManager)]
#[case::maven("[INFO] Building demo 1.0", Hint::BuildTool)]
#[case::gradle("> Task :run", Hint::BuildTool)]
#[case::dotnet("Using launch settings from /srv/launchSettings.json...", Hint::BuildTool)]
#[case::python("Traceback (most recent call last):", Hint::PythonTraceback)]
#[case::python_frame("  File \"/srv/a.py\", line 3, in <module>", Hint::PythonTraceback)]
#[case::java_frame("\tat a.b.C.d(C.java:1)", Hint::StackTrace)]
#[case::java_exception("java.lang.IllegalStateException: no", Hint::StackTrace)]
#[case::java_thread("Exception in thread \"main\" x", Hint::StackTrace)]
#[case::node_error("TypeError: x is not a function", Hint::StackTrace)]
#[case::node_frame("    at Module._compile (node:internal/modules:1:2)", Hint::StackTrace)]
#[case::go("panic: runtime error", Hint::StackTrace)]
#[case::rust("thread 'main' panicked at src/main.rs:1:1:", Hint::StackTrace)]
#[case::usage("Usage: demo [OPTIONS] <COMMAND>", Hint::Usage)]
#[case::usage_heading("USAGE", Hint::Usage)]
#[case::clap("error: unexpected argument '--x' found", Hint::Usage)]
#[case::http("Server listening on http://localhost:3000", Hint::HttpServer)]
#[case::http_port("listening on :3000", Hint::HttpServer)]
#[case::http_in_a_log("2026-01-02 12:30:05 INFO app running on port 8080", Hint::HttpServer)]
#[case::json_log(r#"{"level":"info","msg":"ready","time":1}"#, Hint::JsonLogRecord)]
#[case::coloured("\u{1b}[32mready\u{1b}[0m", Hint::ColouredLine)]
#[case::coloured_log("\u{1b}[32mINFO\u{1b}[0m x", Hint::ColouredLine)]
#[case::coloured_trace("\u{1b}[31mTypeError: x\u{1b}[0m", Hint::StackTrace)]
#[case::progress("\r 30% |##  |\r 60% |### |", Hint::ProgressBar)]
#[case::php("Deprecated: x in /srv/a.php on line 3", Hint::InterpreterWarning)]
#[case::node_warning("(node:12) ExperimentalWarning: x", Hint::InterpreterWarning)]
#[case::log_by_time("2026-01-02T12:30:05Z started", Hint::LogLine)]
#[case::log_by_clock("12:30:05.123 main - ready", Hint::LogLine)]
#[case::log_by_level("INFO  ready", Hint::LogLine)]
#[case::log_by_bracketed_level("[WARN] x", Hint::LogLine)]
#[case::log_of_dotnet("info: Microsoft.Hosting.Lifetime[0]", Hint::DotnetConsole)]
#[case::log_by_key("time=\"x\" level=info msg=ready", Hint::Slog)]
#[case::log_by_tag("[store] open", Hint::LogLine)]
#[case::glog("I0000 00:00:00.0 x.cc:1] y", Hint::LogLine)]
#[case::spring_log(
    "2026-01-02T03:04:05.000Z  INFO 42 --- [main] demo.App : Started",
    Hint::SpringBoot
)]
#[case::java_machine("Picked up JAVA_TOOL_OPTIONS: -Xmx1g", Hint::JavaMachine)]
#[case::nest("[Nest] 42  - 01/02/2026, 3:04:05 AM     LOG [NestFactory] Starting", Hint::Nest)]
#[case::node_debugger("Debugger listening on ws://127.0.0.1:9229/x", Hint::NodeDebugger)]
#[case::nodemon("[nodemon] starting `node server.js`", Hint::Watcher)]
#[case::tsc("[3:04:05 AM] Starting compilation in watch mode...", Hint::Watcher)]
#[case::django("Performing system checks...", Hint::Django)]
#[case::rails("=> Booting Puma", Hint::Rails)]
#[case::puma("Puma starting in single mode...", Hint::Rails)]
#[case::ruby("I, [2026-01-02T03:04:05.000000 #42]  INFO -- : ready", Hint::RubyLogger)]
#[case::uvicorn("INFO:     Started server process [42]", Hint::Uvicorn)]
#[case::sqlalchemy("2026-01-02 03:04:05,678 INFO sqlalchemy.engine.Engine SELECT 1", Hint::SqlEcho)]
#[case::prisma("prisma:query SELECT 1", Hint::SqlEcho)]
#[case::python_logging("INFO:root:ready", Hint::PythonLogging)]
#[case::python_logging_format("2026-01-02 03:04:05,678 - demo - INFO - ready", Hint::PythonLogging)]
#[case::docker("Unable to find image 'demo:latest' locally", Hint::ContainerEngine)]
#[case::uv("Using CPython 3.12.3", Hint::VersionManager)]
#[case::nvm("Now using node v20.1.0 (npm v10.1.0)", Hint::VersionManager)]
#[case::shell("sh: 1: nodee: not found", Hint::Shell)]
#[case::go("2026/01/02 03:04:05 ready", Hint::GoLog)]
#[case::env_logger("[2026-01-02T03:04:05Z INFO  demo] ready", Hint::RustLog)]
#[case::tracing("2026-01-02T03:04:05.000000Z  INFO demo: ready", Hint::RustLog)]
#[case::winston("info: ready", Hint::Winston)]
#[case::ruler("====================", Hint::Banner)]
#[case::box_drawing("\u{250c}\u{2500}\u{2500}\u{2510}", Hint::Banner)]
#[case::spring(" :: Spring Boot ::                (v3.2.0)", Hint::SpringBoot)]
#[case::ascii_art("  .   ____          _            __ _ _", Hint::Banner)]
#[case::prompt("Continue (y/N)?", Hint::Prompt)]
fn a_writer_is_recognised(#[case] line: &str, #[case] hint: Hint) {
    assert_eq!(guess(RuleId::InvalidJson, &Detail::None, line.as_bytes()), Some(hint));
}

#[rstest]
#[case::words("fetching x")]
#[case::brace("{")]
#[case::trailing_comma(r#"{"jsonrpc":"2.0","id":31,}"#)]
#[case::empty("")]
#[case::number("1")]
fn no_writer_is_made_up(#[case] line: &str) {
    assert_eq!(guess(RuleId::InvalidJson, &Detail::None, line.as_bytes()), None);
}

#[rstest]
#[case::after_text("[1] x", "", Some(5))]
#[case::before_text("", "READY", Some(0))]
#[case::between_text("[1] ", " bye", Some(4))]
#[case::after_a_brace("{ ", "", Some(2))]
#[case::after_an_object("{\"id\":1}", "", Some(8))]
fn a_message_inside_a_line_is_found(
    #[case] before: &str,
    #[case] after: &str,
    #[case] at: Option<u64>,
) {
    let line = format!("{before}{MESSAGE}{after}");
    let found = guess(RuleId::InvalidJson, &Detail::None, line.as_bytes());
    assert_eq!(found, at.map(|at| Hint::EmbeddedMessage { at }));
}

#[rstest]
#[case::cut(&MESSAGE[..MESSAGE.len() - 1])]
#[case::no_envelope("x {\"id\":1,\"jsonrpc\":\"1.0\",\"result\":{}}")]
#[case::no_json("x {\"jsonrpc\": \"2.0\", method: x}")]
fn what_is_no_complete_message_is_not_found(#[case] line: &str) {
    let found = guess(RuleId::InvalidJson, &Detail::None, line.as_bytes());
    assert!(!matches!(found, Some(Hint::EmbeddedMessage { .. })));
}

#[test]
fn a_message_after_many_false_beginnings_costs_no_more_than_the_first_few() {
    let line = format!("{}{MESSAGE}", "{\"jsonrpc\"".repeat(1000));
    assert_eq!(guess(RuleId::InvalidJson, &Detail::None, line.as_bytes()), None);
}

#[test]
fn utf16_is_recognised_with_and_without_the_detail() {
    let detail = Detail::Utf16(Utf16::LittleEndian);
    assert_eq!(guess(RuleId::DecodeError, &detail, b"\xff\xfew\0"), Some(Hint::Utf16));
    let wide: Vec<u8> = "wsl: x y z".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(guess(RuleId::InvalidJson, &Detail::None, &wide), Some(Hint::Utf16));
}

#[test]
fn a_carriage_return_hints_at_text_mode() {
    assert_eq!(guess(RuleId::CarriageReturn, &Detail::None, b"{}\r"), Some(Hint::CarriageReturn));
}

#[rstest]
#[case(RuleId::IdType)]
#[case(RuleId::NoResponse)]
#[case(RuleId::DuplicateMember)]
fn a_rule_about_a_message_has_no_writer(#[case] rule: RuleId) {
    assert_eq!(guess(rule, &Detail::None, b"INFO x"), None);
}

#[test]
fn no_text_is_longer_than_a_line_of_a_report() {
    let hints = [
        Hint::EmbeddedMessage { at: u64::MAX },
        Hint::ConfigLoader,
        Hint::ScriptRunner,
        Hint::Usage,
        Hint::HttpServer,
    ];
    assert!(hints.iter().all(|hint| hint.to_string().len() < 160));
}

#[rstest]
#[case::at_the_start(b"\x1f\x8b\x08\x00abc", Some(Hint::Compressed))]
#[case::behind_text(b"{\"a\":\"\x1f\x8b\x08\x00", Some(Hint::Compressed))]
#[case::another_byte(b"caf\xe9", None)]
fn compressed_bytes_are_known_by_their_magic_number(
    #[case] frame: &[u8],
    #[case] hint: Option<Hint>,
) {
    assert_eq!(guess(RuleId::DecodeError, &Detail::None, frame), hint);
}
