//! `judge` grades toy detectors, of which everybody can say what they are worth.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::time::Duration;

use assert_cmd::Command;
use serde_json::Value;

/// Judges a detector that is made of shell text; `$@` is the server's command.
fn judge(options: &[&str], script: &str) -> (i32, Value) {
    let (status, stdout, stderr) = outcome(options, &["sh", "-c", script, "detector", "{server}"]);
    let sheet = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}"));
    (status, sheet)
}

fn outcome(options: &[&str], detector: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_mcp-stdio-probe"))
        .args(["judge", "--format", "json"])
        .args(options)
        .arg("--")
        .args(detector)
        .timeout(Duration::from_secs(120))
        .output()
        .expect("the command runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("a sheet is UTF-8");
    (output.status.code().expect("the command exits"), text(output.stdout), text(output.stderr))
}

/// The grades of the cases of which this is true.
fn grades(sheet: &Value, of: impl Fn(&str) -> bool) -> BTreeSet<&str> {
    let answers = sheet["answers"].as_array().expect("a list of answers").iter();
    let grades: BTreeSet<&str> = answers
        .filter(|answer| of(answer["rule"].as_str().expect("a rule")))
        .map(|answer| answer["grade"].as_str().expect("a grade"))
        .collect();
    assert!(!grades.is_empty(), "{sheet}");
    grades
}

fn is_valid(rule: &str) -> bool {
    rule == "valid-stdout"
}

#[test]
fn one_that_always_says_yes_misses_everything_and_raises_no_alarm() {
    let (status, sheet) = judge(&["--family", "recordings"], "exit 0");
    assert_eq!(status, 1);
    assert_eq!(grades(&sheet, is_valid), BTreeSet::from(["passed"]));
    assert_eq!(grades(&sheet, |rule| !is_valid(rule)), BTreeSet::from(["missed"]));
}

#[test]
fn one_that_always_says_no_catches_everything_and_raises_only_false_alarms() {
    let (status, sheet) = judge(&["--family", "recordings"], "exit 1");
    assert_eq!(status, 1);
    assert_eq!(grades(&sheet, is_valid), BTreeSet::from(["false alarm"]));
    assert_eq!(grades(&sheet, |rule| !is_valid(rule)), BTreeSet::from(["caught"]));
}

#[test]
fn one_that_skips_blank_lines_misses_just_them() {
    // It takes every line for a message that stands in braces or brackets.
    let strict = r"! LC_ALL=C grep -aqv '^[[:space:]]*[{[].*[]}][[:space:]]*$'";
    let skipping = r"LC_ALL=C grep -av '^[[:space:]]*$' | ".to_owned() + &strict[2..];
    let options = ["--stdin", "--rule", "empty-frame", "--rule", "not-an-object", "--rule"];
    let options = [&options[..], &["content-length-header", "--rule", "valid-stdout"]].concat();
    let (status, sheet) = judge(&options, strict);
    assert_eq!(status, 0, "{sheet}");
    let (status, sheet) = judge(&options, &format!("! {{ {skipping}; }}"));
    assert_eq!(status, 1);
    // Where text follows the blank line, it is caught by that.
    assert_eq!(grades(&sheet, |rule| rule == "empty-frame"), BTreeSet::from(["caught", "missed"]));
    let others = grades(&sheet, |rule| !is_valid(rule) && rule != "empty-frame");
    assert_eq!(others, BTreeSet::from(["caught"]));
    assert_eq!(grades(&sheet, is_valid), BTreeSet::from(["passed"]));
}

#[test]
fn the_probe_itself_is_right_for_the_right_reason() {
    let probe = env!("CARGO_BIN_EXE_mcp-stdio-probe");
    let options = ["--reason", r"*=classification.*(empty-frame|invalid-json|decode-error)"];
    let rules = ["--rule", "empty-frame", "--rule", "decode-error", "--rule", "valid-stdout"];
    let detector = [probe, "run", "--format", "json", "--", "{server}"];
    let options = [&options[..], &rules, &["--family", "recordings"]].concat();
    let (status, stdout, stderr) = outcome(&options, &detector);
    let sheet: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stderr}"));
    assert_eq!(status, 0, "{sheet}");
    assert_eq!(grades(&sheet, is_valid), BTreeSet::from(["passed"]));
    assert_eq!(grades(&sheet, |rule| !is_valid(rule)), BTreeSet::from(["right reason"]));
}

#[test]
fn one_that_hangs_does_not_stop_the_run() {
    let cases = ["--case", "startup-banner", "--case", "ok-plain", "--timeout", "0.5"];
    let (status, sheet) = judge(&cases, "sleep 600");
    assert_eq!(status, 1);
    assert_eq!(grades(&sheet, |_| true), BTreeSet::from(["hung"]));
    assert_eq!(sheet["answers"].as_array().map(Vec::len), Some(2));
}

#[test]
fn one_that_leaves_processes_behind_is_told_of_and_they_are_ended() {
    // A number of seconds that nobody else sleeps for, so that they can be looked for.
    let script = "sleep 61234 & setsid sh -c 'sleep 61234 & sleep 61234' & exit 1";
    let (status, sheet) = judge(&["--case", "startup-banner"], script);
    assert_eq!(status, 1);
    let answer = &sheet["answers"][0];
    assert_eq!(answer["grade"], "caught");
    assert_eq!(answer["right"], false);
    let leaked = answer["leaked"].as_array().expect("a list of command lines");
    assert!(leaked.len() >= 3, "{leaked:?}");
    for entry in std::fs::read_dir("/proc").expect("/proc can be read").flatten() {
        // A process that ends while it is looked at is not left.
        let Ok(line) = std::fs::read(entry.path().join("cmdline")) else { continue };
        assert_ne!(line, b"sleep\x0061234\0", "{:?}", entry.path());
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the command itself is what is tested")]
fn when_the_judge_is_killed_the_detector_goes_with_it() {
    let directory = tempfile::TempDir::new().expect("a directory");
    let pipe = directory.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    // It holds the pipe open for as long as it lives.
    let script = format!("exec 3>'{}'; echo here >&3; exec sleep 600", pipe.display());
    let mut judge = std::process::Command::new(env!("CARGO_BIN_EXE_mcp-stdio-probe"))
        .args(["judge", "--case", "startup-banner", "--", "sh", "-c", &script, "x", "{server}"])
        .spawn()
        .expect("the command runs");
    let mut reader = BufReader::new(File::open(&pipe).expect("the pipe opens"));
    let mut line = String::new();
    reader.read_line(&mut line).expect("it says that it is here");
    assert_eq!(line, "here\n");
    judge.kill().expect("it is ours");
    judge.wait().expect("it is ours");
    let left = reader.read_to_string(&mut line).expect("the pipe ends with the detector");
    assert_eq!(left, 0);
}

#[test]
fn what_a_session_never_came_to_is_not_missed_but_unreached() {
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
    let script = format!("echo '{request}' | \"$@\" >/dev/null");
    let cases = ["--case", "startup-banner", "--case", "tool-call-print"];
    let (_, sheet) = judge(&cases, &script);
    let grade = |case: &str| {
        let answers = sheet["answers"].as_array().expect("a list of answers");
        let answer = answers.iter().find(|answer| answer["case"] == case);
        answer.expect("the case was asked")["grade"].clone()
    };
    assert_eq!(grade("startup-banner"), "missed");
    assert_eq!(grade("tool-call-print"), "unreached");
}

#[test]
fn a_detector_may_take_a_configuration_file() {
    let detector = ["sh", "-c", r#"grep -q '"mcpServers".*"play"' "$0" && exit 7"#, "{config}"];
    let (_, stdout, _) = outcome(&["--case", "startup-banner"], &detector);
    let sheet: Value = serde_json::from_str(&stdout).expect("a sheet");
    assert_eq!(sheet["answers"][0]["exit_status"], 7, "{sheet}");
}

#[test]
fn what_cannot_be_examined_is_no_grade() {
    let (status, stdout, stderr) = outcome(&[], &["no-such-detector-anywhere", "{server}"]);
    assert_eq!((status, stdout.as_str()), (3, ""), "{stderr}");
    let (status, _, stderr) = outcome(&[], &["true"]);
    assert_eq!(status, 2, "{stderr}");
    let (status, _, stderr) =
        outcome(&["--case", "ctl-0056-recording-of-2026-07-28"], &["true", "{server}"]);
    assert_eq!(status, 4, "{stderr}");
    assert!(stderr.contains("no process can play it"), "{stderr}");
}

#[test]
fn the_table_has_a_row_for_each_rule_and_names_what_went_wrong() {
    for (format, bar) in [("table", ""), ("md", "| ")] {
        let output = Command::new(env!("CARGO_BIN_EXE_mcp-stdio-probe"))
            .args(["judge", "--format", format, "--case", "startup-banner", "--case", "ok-plain"])
            .args(["--", "sh", "-c", "echo all is well", "x", "{server}"])
            .output()
            .expect("the command runs");
        let text = String::from_utf8(output.stdout).expect("a table is UTF-8");
        for row in ["invalid-json", "valid-stdout", "all"] {
            assert!(text.lines().any(|line| line.starts_with(&format!("{bar}{row}"))), "{text}");
        }
        assert!(text.contains("missed") && text.contains("startup-banner"), "{text}");
        assert!(text.contains("2 cases, 1 right, 1 wrong"), "{text}");
    }
}
