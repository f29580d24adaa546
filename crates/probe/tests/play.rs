//! Every case that a process can play, played and probed, gives exactly its oracle.

use std::collections::BTreeMap;
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use corpus::{Case, compare, embedded, expectation_for, spoken_revision};
use drive::LaunchSpec;
use model::ReapState;
use serde_json::Value;

/// Cases played at the same time: most of their time is waiting.
const AT_ONCE: usize = 8;

const PROGRAM: &str = env!("CARGO_BIN_EXE_mcp-stdio-probe");

#[expect(clippy::disallowed_methods, reason = "the command itself is what is tested")]
fn command(arguments: &[&str]) -> Output {
    Command::new(PROGRAM).args(arguments).output().expect("the command runs")
}

/// Whether `run` comes to what a case says when it is played, by its id.
fn listed() -> BTreeMap<String, bool> {
    let output = command(&["play", "--list", "--list-format", "json"]);
    let list: Vec<Value> = serde_json::from_slice(&output.stdout).expect("a list of cases");
    let row = |row: &Value| {
        let live = row["not_playable"].is_null() && row["other_client"].is_null();
        (row["id"].as_str().expect("an id").to_owned(), live)
    };
    list.iter().map(row).collect()
}

#[test]
fn play_of_each_case_probed_gives_exactly_its_oracle() {
    let listed = listed();
    let cases: Vec<Case> = embedded().into_iter().filter(|case| listed[&case.file.id]).collect();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let differences = differences(case);
                    wrong.lock().expect("no test thread panics").extend(differences);
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("no test thread panics");
    wrong.sort();
    assert!(cases.len() > 400, "{} cases can be played", cases.len());
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

/// What a server writes to a client that sends these lines and then nothing more.
fn played(case: &str, lines: &[&str]) -> String {
    let output = assert_cmd::Command::new(PROGRAM)
        .args(["play", case])
        .write_stdin(lines.join("\n") + "\n")
        .output()
        .expect("the command runs");
    String::from_utf8(output.stdout).expect("the case is UTF-8")
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":"x","method":"tools/list"}"#;

#[test]
fn another_client_gets_its_own_ids_back() {
    let stdout = played("ok-plain", &[INITIALIZE, INITIALIZED, LIST]);
    let frames: Vec<Value> =
        stdout.lines().map(|line| serde_json::from_str(line).expect("a message")).collect();
    let ids: Vec<&Value> = frames.iter().map(|frame| &frame["id"]).collect();
    assert_eq!(ids, [&Value::from(0), &Value::from("x")], "{stdout}");
    assert_eq!(frames[1]["result"]["tools"][0]["name"], "echo", "{stdout}");
}

#[test]
fn a_client_that_goes_on_where_ours_stops_meets_an_ordinary_server() {
    let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    let stdout = played("startup-banner", &[INITIALIZE, INITIALIZED, ping, LIST]);
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{stdout}");
    assert!(serde_json::from_str::<Value>(lines[0]).is_err(), "the banner is there: {stdout}");
    assert_eq!(lines[2], r#"{"jsonrpc":"2.0","id":7,"result":{}}"#);
    assert!(lines[3].contains(r#""id":"x","result":{"tools""#), "{stdout}");
}

#[test]
fn a_client_that_asks_for_less_gets_what_comes_at_the_end() {
    // The good-bye line comes when stdin ends, whether or not the tools were listed.
    let stdout = played("inc-0034-good-bye-line", &[INITIALIZE]);
    let last = stdout.lines().last().expect("it writes lines");
    assert!(serde_json::from_str::<Value>(last).is_err(), "{stdout}");
}

#[test]
fn the_list_says_what_is_found_and_what_cannot_be_played() {
    let output = command(&["play", "--list"]);
    let list = String::from_utf8(output.stdout).expect("a list is UTF-8");
    let row = |id: &str| {
        list.lines().find(|line| line.starts_with(id)).unwrap_or_else(|| panic!("{id}: {list}"))
    };
    let banner = row("inc-0001-version-line-at-startup");
    assert!(
        banner.contains("  invalid-json  ") && banner.ends_with(" [banner startup]"),
        "{banner}"
    );
    assert!(row("ctl-0056-recording-of-2026-07-28").ends_with("without a client side"));
    let idle = "its client waits while no request is pending";
    assert!(list.lines().any(|line| line.starts_with("syn-0204") && line.ends_with(idle)));
}

fn differences(case: &Case) -> Vec<String> {
    let id = &case.file.id;
    let launch = LaunchSpec::new(PROGRAM).args(["play", id]);
    let run = probe::rehearse(case, launch).expect("the case's calls are TOOL=JSON");
    let version = spoken_revision(case);
    let Some(expected) = expectation_for(&case.file, version) else {
        return vec![format!("{id}: no oracle for {version}")];
    };
    let mut differences = compare(expected, &run.verdict);
    if run.telemetry.cleanup.child_reaped != ReapState::Reaped {
        differences.push("the server was not reaped".to_owned());
    }
    differences.into_iter().map(|difference| format!("{id}: {difference}")).collect()
}
