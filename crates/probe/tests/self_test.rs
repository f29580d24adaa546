//! `self-test -- COMMAND` and `play --mutate`: a server of the user's own, corrupted while it runs.

use assert_cmd::Command;
use rstest::rstest;

const PROBE: &str = env!("CARGO_BIN_EXE_mcp-stdio-probe");

fn outcome(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(PROBE).args(arguments).output().expect("the command runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it writes UTF-8");
    (output.status.code().expect("it exits"), text(output.stdout), text(output.stderr))
}

#[test]
fn every_corruption_of_a_clean_server_is_caught() {
    let (status, stdout, stderr) = outcome(&["self-test", "--", PROBE, "__demo-server", "clean"]);
    assert_eq!((status, stderr.as_str()), (0, ""), "{stdout}");
    let corruptions: usize = stdout
        .split_once("clean; ")
        .and_then(|(_, rest)| rest.split_once(' '))
        .and_then(|(number, _)| number.parse().ok())
        .expect("it says how many");
    assert!(corruptions > 80, "{stdout}");
    assert!(stdout.contains(" 0 not caught"), "{stdout}");
    assert!(stdout.contains("operators do not apply to what this server writes: "), "{stdout}");
}

#[rstest]
#[case::dirty(&["__demo-server", "banner"], "the untouched session is not clean: invalid-json")]
#[case::no_server(&["__no-such-task"], "the untouched session is not clean: ")]
fn a_server_that_is_not_clean_proves_nothing(#[case] server: &[&str], #[case] reason: &str) {
    let (status, stdout, stderr) = outcome(&[&["self-test", "--", PROBE], server].concat());
    assert_eq!((status, stdout.as_str()), (2, ""));
    assert!(stderr.contains(reason), "{stderr}");
}

#[rstest]
#[case("insert-banner", "error[invalid-json]")]
#[case("duplicate-reply", "error[duplicate-response]")]
#[case("die-inside-frame", "error[partial-frame]")]
#[case("exit-before-reply", "error[exit-before-response]")]
fn a_corrupted_server_is_a_negative_control(#[case] operator: &str, #[case] finding: &str) {
    let corrupted = ["run", "--", PROBE, "play", "--mutate", operator, "--"];
    let (status, stdout, _) =
        outcome(&[&corrupted[..], &[PROBE, "__demo-server", "clean"]].concat());
    assert_eq!(status, 1, "{stdout}");
    assert!(stdout.starts_with(finding), "{stdout}");
}

#[test]
fn a_client_with_ids_of_its_own_gets_the_corruption_too() {
    let ask = |lines: &[&str]| {
        let output = Command::new(PROBE)
            .args(["play", "--mutate", "insert-banner", "--", PROBE, "__demo-server", "clean"])
            .write_stdin(lines.join("\n") + "\n")
            .output()
            .expect("the command runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it writes UTF-8");
        (text(output.stdout), text(output.stderr))
    };
    let initialize = r#"{"jsonrpc":"2.0","id":"mine","method":"initialize","params":{}}"#;
    let list = r#"{"jsonrpc":"2.0","id":5,"method":"tools/list"}"#;
    let is_json = |line: &&str| serde_json::from_str::<serde_json::Value>(line).is_ok();
    let (stdout, stderr) = ask(&[initialize, list]);
    assert!(stdout.lines().any(|line| !is_json(&line)), "{stdout}");
    assert!(!stderr.contains("had no occasion"), "{stderr}");
    // Who never asks gets no corruption, and is told so.
    let (stdout, stderr) = ask(&[initialize]);
    assert!(stdout.lines().all(|line| is_json(&line)), "{stdout}");
    assert!(stderr.contains("insert-banner had no occasion"), "{stderr}");
}

#[test]
fn every_operator_is_listed_and_no_other_is_played() {
    let (status, stdout, _) = outcome(&["play", "--list-operators"]);
    assert_eq!(status, 0);
    assert_eq!(stdout.lines().count(), mutate::Operator::all().count());
    let other = ["play", "--mutate", "no-such-operator", "--", PROBE, "__demo-server", "clean"];
    let (status, _, stderr) = outcome(&other);
    assert_eq!(status, 2);
    assert!(stderr.contains("no operator is named no-such-operator"), "{stderr}");
}
