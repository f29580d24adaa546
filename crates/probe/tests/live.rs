//! `jsonl` reports, which are written while the session goes on.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::{Value, json};
use tempfile::TempDir;

const PROBE: &str = env!("CARGO_BIN_EXE_mcp-stdio-probe");

/// Puts a secret on both outputs, in pieces, then waits until the gate is opened, and ends. Should
/// nobody open it, a deadline of the probe ends it.
const WAITS: &str = "read line; printf sword >&2; printf 'fi''sh-1234\\n' >&2; \
    printf '{\"jsonrpc\":\"2.0\",\"method\":\"notifications/sword'; printf 'fi''sh-1234\"}\\n'; \
    read word <\"$GATE\"; exit 5";

/// The probe; a test that fails before it has ended ends it, and its supervisor the server.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

#[test]
#[expect(clippy::disallowed_methods, reason = "assert_cmd cannot read before the end")]
fn a_line_is_there_before_the_session_has_ended() {
    let directory = TempDir::new().expect("a temporary directory can be made");
    let gate = directory.path().join("gate");
    mkfifoat(CWD, &gate, Mode::RUSR | Mode::WUSR).expect("a pipe can be made");
    let mut command = Command::new(PROBE);
    command.args(["run", "--format", "jsonl", "--env", "KEY=swordfish-1234", "--env"]);
    command.arg(format!("GATE={}", gate.display())).args(["--", "sh", "-c", WAITS]);
    let mut probe = Running(command.stdout(Stdio::piped()).spawn().expect("the probe starts"));
    let mut stdout = BufReader::new(probe.0.stdout.take().expect("it is piped"));
    let mut text = String::new();
    let mut next = || {
        let start = text.len();
        stdout.read_line(&mut text).expect("a report is UTF-8");
        parsed(&text[start..])
    };
    assert_eq!(next()["type"], "session");
    let frame = std::iter::repeat_with(&mut next).find(|line| line["event"] == "frame");
    assert_eq!(frame.expect("there is no end")["method"], "notifications/[REDACTED:KEY]");
    // Only now may the server end: whatever came before was written before its end.
    // Open for both, so that it does not wait for a server that is gone.
    let mut gate = File::options().read(true).write(true).open(&gate).expect("it is there");
    gate.write_all(b"go\n").expect("it takes a line");
    stdout.read_to_string(&mut text).expect("a report is UTF-8");
    let verdict = parsed(text.lines().last().expect("there are lines"));
    assert_eq!(verdict["classification"], "exit-before-response");
    assert!(text.contains("\"event\":\"exited\",\"status\":{\"code\":5}"), "{text}");
    assert!(!text.contains("fish"), "{text}");
}

#[test]
fn each_server_of_a_file_has_its_lines_under_its_name() {
    let directory = TempDir::new().expect("a temporary directory can be made");
    let demo = |name: &str| json!({ "command": PROBE, "args": ["__demo-server", name] });
    let servers = json!({ "mcpServers": { "good": demo("clean"), "bad": demo("banner") } });
    let config = directory.path().join("mcp.json");
    fs::write(&config, servers.to_string()).expect("it can be written");
    let report = directory.path().join("report.jsonl");
    let mut command = assert_cmd::Command::new(PROBE);
    command.env_remove("GITHUB_ACTIONS").env_remove("GITHUB_STEP_SUMMARY");
    command.args(["run", "--config-format", "claude-code", "--config"]).arg(&config);
    command.arg("--format").arg(format!("jsonl={}", report.display()));
    let output = command.output().expect("the probe runs");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), b"".as_slice()));
    let text = fs::read_to_string(report).expect("it was written");
    for (name, classification) in [("good", "valid-stdout"), ("bad", "invalid-json")] {
        let lines: Vec<Value> =
            text.lines().map(parsed).filter(|line| line["session"] == name).collect();
        assert_eq!(lines[0]["type"], "session", "{text}");
        let last = lines.last().expect("there are lines");
        assert_eq!(
            (&last["type"], &last["classification"]),
            (&json!("verdict"), &json!(classification))
        );
        assert_eq!(lines.iter().filter(|line| line["type"] == "verdict").count(), 1);
    }
}

#[test]
fn each_session_of_a_profile_has_its_lines_under_its_name() {
    let directory = TempDir::new().expect("a temporary directory can be made");
    let [lines, report] = ["report.jsonl", "report.json"].map(|name| directory.path().join(name));
    let mut command = assert_cmd::Command::new(PROBE);
    command.env_remove("GITHUB_ACTIONS").env_remove("GITHUB_STEP_SUMMARY");
    command.args(["run", "--profile", "full", "--format"]);
    command.arg(format!("jsonl={}", lines.display())).arg("--format");
    command.arg(format!("json={}", report.display())).args(["--", PROBE, "__demo-server", "clean"]);
    assert_eq!(command.output().expect("the probe runs").status.code(), Some(0));
    let lines = fs::read_to_string(lines).expect("it was written");
    let report = parsed(&fs::read_to_string(report).expect("it was written"));
    let sessions = report["sessions"].as_array().expect("there are several");
    assert!(sessions.len() > 2);
    for session in sessions {
        let of_it = lines.lines().map(parsed).filter(|line| line["session"] == session["name"]);
        let of_it: Vec<Value> = of_it.collect();
        assert_eq!(of_it[0]["type"], "session", "{session}");
        let events = of_it.iter().filter(|line| line["type"] == "event").count();
        assert_eq!(Some(events), session["events"].as_array().map(Vec::len), "{session}");
        let last = of_it.last().expect("there are lines");
        assert_eq!(last["classification"], session["classification"]);
    }
}

#[test]
fn both_ways_of_launching_have_their_lines() {
    let mut command = assert_cmd::Command::new(PROBE);
    command.args(["run", "--format", "jsonl", "--compare-command"]);
    command.arg(format!("{PROBE} __demo-server clean"));
    let output = command.args(["--", PROBE, "__demo-server", "banner"]).output();
    let text = String::from_utf8(output.expect("the probe runs").stdout).expect("it is UTF-8");
    let lines: Vec<Value> = text.lines().map(parsed).collect();
    for (name, classification) in [("launched", "invalid-json"), ("alone", "valid-stdout")] {
        let of_it: Vec<&Value> = lines.iter().filter(|line| line["session"] == name).collect();
        assert_eq!(of_it[0]["type"], "session", "{text}");
        assert_eq!(of_it.last().expect("there are lines")["classification"], classification);
    }
    let violation = lines.iter().find(|line| line["type"] == "violation").expect("there is one");
    assert!(violation["hint"].as_str().is_some_and(|hint| hint.starts_with("the launcher")));
}
