//! `tap`: nothing that passes is changed, whatever it is, and all of it is judged.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};

use rstest::rstest;
use tempfile::TempDir;

const PROBE: &str = env!("CARGO_BIN_EXE_mcp-stdio-probe");

#[expect(clippy::disallowed_methods, reason = "the client's side of a tap is this test")]
fn command(program: &str) -> Command {
    Command::new(program)
}

fn tap(options: &[&str], script: &str) -> Child {
    command(PROBE)
        .arg("tap")
        .args(options)
        .args(["--", "sh", "-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the tap starts")
}

/// Status, stdout and stderr after these bytes and the end of stdin.
fn outcome(mut tap: Child, input: &[u8]) -> (Option<i32>, Vec<u8>, String) {
    let mut stdin = tap.stdin.take().expect("stdin is a pipe");
    let input = input.to_vec();
    // A server that answers while it reads must not make this test wait for itself.
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = tap.wait_with_output().expect("the tap ends");
    _ = writer.join().expect("the writer ends");
    (output.status.code(), output.stdout, String::from_utf8(output.stderr).expect("UTF-8"))
}

#[rstest]
#[case::empty(b"")]
#[case::no_newline(b"half a line")]
#[case::binary(b"\x00\xff\xfe\r\n\n\n\x1b[31m")]
#[case::message(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n")]
fn bytes_pass_unchanged_in_both_directions(#[case] bytes: &[u8]) {
    let (status, stdout, _) = outcome(tap(&[], "cat"), bytes);
    assert_eq!((status, stdout.as_slice()), (Some(0), bytes));
}

#[test]
fn more_than_any_pipe_holds_passes_unchanged() {
    let bytes: Vec<u8> = (0..3_000_000_u32).map(|at| (at % 251) as u8).collect();
    let (status, stdout, _) = outcome(tap(&[], "cat"), &bytes);
    assert_eq!(status, Some(0));
    assert!(stdout == bytes, "{} bytes came back", stdout.len());
}

#[test]
fn files_and_no_input_at_all_serve_as_well_as_pipes() {
    let directory = TempDir::new().expect("a temporary directory");
    let (input, output) = (directory.path().join("in"), directory.path().join("out"));
    let text = "line\n".repeat(50_000);
    fs::write(&input, &text).expect("it can be written");
    let status = command(PROBE)
        .args(["tap", "--", "cat"])
        .stdin(File::open(&input).expect("it can be read"))
        .stdout(File::create(&output).expect("it can be written"))
        .stderr(Stdio::null())
        .status()
        .expect("the tap runs");
    assert_eq!(status.code(), Some(0));
    assert_eq!(fs::read_to_string(&output).expect("it can be read"), text);
    let nothing = command(PROBE)
        .args(["tap", "--", "cat"])
        .stdin(Stdio::null())
        .output()
        .expect("the tap runs");
    assert_eq!((nothing.status.code(), nothing.stdout.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn status_and_stderr_are_the_servers_own() {
    let (status, stdout, stderr) = outcome(tap(&[], "cat; echo log >&2; exit 7"), b"");
    assert_eq!((status, stdout.as_slice(), stderr.as_str()), (Some(7), &b""[..], "log\n"));
}

#[test]
fn a_violation_is_told_on_stderr_at_once_and_the_session_goes_on() {
    let mut tap = tap(&[], "echo banner; cat");
    let mut stderr = tap.stderr.take().expect("stderr is a pipe");
    let mut told = [0; 19];
    // Before anything was sent: the server still waits for its input.
    stderr.read_exact(&mut told).expect("it tells");
    assert_eq!(&told, b"error[invalid-json]");
    let (status, stdout, _) = outcome(tap, b"later\n");
    assert_eq!((status, stdout.as_slice()), (Some(0), &b"banner\nlater\n"[..]));
}

#[test]
fn a_report_goes_to_a_file_and_never_to_the_client() {
    let directory = TempDir::new().expect("a temporary directory");
    let report = directory.path().join("report.json");
    let target = format!("json={}", report.display());
    let (_, stdout, _) = outcome(tap(&["--format", &target], "echo banner"), b"");
    assert_eq!(stdout, b"banner\n");
    let report: serde_json::Value =
        serde_json::from_slice(&fs::read(&report).expect("it was written")).expect("it is JSON");
    assert_eq!(report["classification"], "invalid-json");
    let (status, stdout, stderr) = outcome(tap(&["--format", "json"], "echo banner"), b"");
    assert_eq!((status, stdout.as_slice()), (Some(2), &b""[..]));
    assert!(stderr.contains("stdout is the client's"), "{stderr}");
}

#[test]
fn a_session_through_a_tap_is_the_session_without_it() {
    let directory = TempDir::new().expect("a temporary directory");
    let log = directory.path().join("log.jsonl");
    let run = |server: &[&str]| {
        let report = command(PROBE)
            .args(["run", "--format", "json", "--"])
            .args(server)
            .output()
            .expect("the probe runs");
        let report: serde_json::Value = serde_json::from_slice(&report.stdout).expect("JSON");
        [&report["classification"], &report["stdout_bytes"], &report["exit_status"]]
            .map(Clone::clone)
    };
    let server = [PROBE, "__demo-server", "clean"];
    let log_option = log.display().to_string();
    let tapped = [&[PROBE, "tap", "--log", &log_option, "--"], &server[..]].concat();
    assert_eq!(run(&tapped), run(&server));
    let log = fs::read_to_string(&log).expect("it was written");
    let entries: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    let from = |side: &str| entries.iter().filter(|entry| entry["from"] == side).count();
    assert_eq!((from("client"), from("server")), (4, 3), "{log}");
    assert!(entries.iter().zip(1..).all(|(entry, seq)| entry["seq"] == seq));
}

#[test]
fn the_signal_that_would_have_ended_the_server_ends_it() {
    let mut tap = tap(&[], "echo ready; exec cat");
    // Held open: the end of stdin would end the server too.
    let _stdin = tap.stdin.take().expect("stdin is a pipe");
    let mut stdout = tap.stdout.take().expect("stdout is a pipe");
    let mut ready = [0; 6];
    stdout.read_exact(&mut ready).expect("the server runs");
    let pid = rustix::process::Pid::from_raw(tap.id().cast_signed()).expect("it has a number");
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it can be signalled");
    let status = tap.wait().expect("the tap ends");
    assert_eq!((status.signal(), status.code()), (Some(15), None));
}
