//! Which software a report is about: the package of the command, and what `--version-cmd` prints.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use assert_cmd::Command;
use rstest::rstest;
use serde_json::{Value, json};
use tempfile::TempDir;

const PROBE: &str = env!("CARGO_BIN_EXE_mcp-stdio-probe");

fn run(directory: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(PROBE);
    command.env_remove("GITHUB_ACTIONS").env_remove("GITHUB_STEP_SUMMARY");
    command.current_dir(directory).arg("run").args(arguments);
    let output = command.output().expect("the command runs");
    let status = output.status.code().expect("the command exits");
    (status, String::from_utf8(output.stdout).expect("a report is UTF-8"))
}

fn report(directory: &Path, options: &[&str], server: &[&str]) -> Value {
    let arguments = [&["--format", "json"], options, &["--"], server].concat();
    let (_, stdout) = run(directory, &arguments);
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}"))
}

const CLEAN: [&str; 3] = [PROBE, "__demo-server", "clean"];

#[rstest]
#[case::stdout("echo v9.1; echo noise >&2", json!({ "code": 0 }), json!(["v9.1"]))]
#[case::stderr("echo 'java 21' >&2; exit 3", json!({ "code": 3 }), json!(["java 21"]))]
#[case::secret("echo 1 $KEY", json!({ "code": 0 }), json!(["1 [REDACTED:KEY]"]))]
#[case::escapes("printf '1\\033[31m\\r\\n2\\n'", json!({ "code": 0 }), json!(["1\\x1b[31m", "2"]))]
#[case::flood("while echo v; do :; done", json!(null), json!(["v", "v", "v", "v", "v", "v", "v", "v"]))]
#[case::hang("echo v1; exec sleep 600", json!(null), json!(["v1"]))]
fn what_the_command_prints_is_told_and_judged_by_nobody(
    #[case] script: &str,
    #[case] exit_status: Value,
    #[case] output: Value,
) {
    let directory = TempDir::new().expect("a temporary directory can be made");
    let line = format!("sh -c {}", shlex::try_quote(script).expect("it has no NUL"));
    let options = ["--version-cmd", &line, "--env", "KEY=swordfish-1234"];
    let report = report(directory.path(), &options, &CLEAN);
    assert_eq!(report["classification"], "valid-stdout", "{report}");
    assert_eq!(report["version"]["output"], output);
    if !exit_status.is_null() {
        assert_eq!(report["version"]["exit_status"], exit_status);
    }
    assert_eq!(
        report["stderr"]["bytes"].as_u64(),
        self::report(directory.path(), &[], &CLEAN)["stderr"]["bytes"].as_u64()
    );
}

#[test]
fn a_command_that_is_not_there_costs_nothing_but_its_answer() {
    let directory = TempDir::new().expect("a temporary directory can be made");
    let report = report(directory.path(), &["--version-cmd", "/no/such/program -v"], &CLEAN);
    assert_eq!(report["classification"], "valid-stdout");
    let version = json!({
        "command": ["/no/such/program", "-v"], "exit_status": null, "output": [],
    });
    assert_eq!(report["version"], version);
    let (status, _) = run(directory.path(), &["--version-cmd", "'", "--", "true"]);
    assert_eq!(status, 2);
}

/// A package with a program of shell text.
fn package() -> TempDir {
    let directory = TempDir::new().expect("a temporary directory can be made");
    let put = |path: &str, text: &str| {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().expect("it has one")).expect("it can be made");
        fs::write(&path, text).expect("it can be written");
        path
    };
    put("package.json", r#"{ "name": "@demo/server", "version": "1.2.3" }"#);
    put("elsewhere/empty", "");
    let program = put("dist/server", "#!/bin/sh\necho banner\n");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    directory
}

#[test]
fn the_package_of_the_command_is_named() {
    let package = package();
    let report = report(package.path(), &[], &["dist/server"]);
    let software = json!({
        "ecosystem": "npm",
        "name": "@demo/server",
        "version": "1.2.3",
        "manifest": "./package.json",
    });
    assert_eq!(report["software"], software);
    let (status, human) = run(package.path(), &["--", "dist/server"]);
    assert_eq!(status, 1);
    assert!(human.contains("package @demo/server 1.2.3 (npm), as ./package.json says"), "{human}");
}

#[test]
fn the_path_of_the_package_does_not_say_whose_home_it_is_in() {
    let homes = [package(), package()];
    let reports = homes.each_ref().map(|home| {
        let mut command = Command::new(PROBE);
        command.env_remove("GITHUB_ACTIONS").env_remove("GITHUB_STEP_SUMMARY");
        let home = home.path().canonicalize().expect("it is there");
        command.env("HOME", &home).env("TMPDIR", "/var/tmp");
        command.current_dir(home.join("elsewhere"));
        command.args(["run", "--format", "json", "--", "../dist/server"]);
        let output = command.output().expect("the command runs");
        let report: Value = serde_json::from_slice(&output.stdout).expect("it is a report");
        report["software"].clone()
    });
    assert_eq!(reports[0]["manifest"], "~/package.json");
    assert_eq!(reports[0], reports[1]);
}
