//! `run --config` and `run --package` as a user meets them.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use rstest::rstest;
use serde_json::{Value, json};
use tempfile::TempDir;

const PROBE: &str = env!("CARGO_BIN_EXE_mcp-stdio-probe");

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":31,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#;
const UNKNOWN: &str = r#"{"jsonrpc":"2.0","id":71,"error":{"code":-32601,"message":"no"}}"#;

/// A project with a `.mcp.json` of these servers.
fn project(servers: &Value) -> TempDir {
    let directory = TempDir::new().expect("a temporary directory can be made");
    let text = serde_json::to_string_pretty(&json!({ "mcpServers": servers })).expect("it is JSON");
    fs::write(directory.path().join(".mcp.json"), text).expect("it can be written");
    directory
}

fn demo(name: &str) -> Value {
    json!({ "command": PROBE, "args": ["__demo-server", name] })
}

/// A server made of shell text.
fn shell(script: &str) -> Value {
    json!({ "command": "sh", "args": ["-c", script] })
}

/// Exit status, stdout and stderr.
fn run(directory: &Path, arguments: &[&str]) -> (i32, String, String) {
    outcome(Command::new(PROBE).current_dir(directory).arg("run").args(arguments))
}

fn outcome(command: &mut Command) -> (i32, String, String) {
    let output = command.output().expect("the command runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("a report is UTF-8");
    let status = output.status.code().expect("the command exits");
    (status, text(output.stdout), text(output.stderr))
}

fn parsed(stdout: &str) -> Value {
    serde_json::from_str(stdout).unwrap_or_else(|error| panic!("{error}: {stdout}"))
}

#[test]
fn every_server_of_a_file_has_a_row_and_the_worst_decides() {
    let servers = json!({
        "clean": demo("clean"),
        "banner": demo("banner"),
        "gone": { "command": "/no/such/program" },
        "web": { "type": "http", "url": "https://example.com" },
    });
    let project = project(&servers);
    let (status, stdout, stderr) =
        run(project.path(), &["--config", ".mcp.json", "--format", "json"]);
    assert_eq!(status, 1, "{stderr}");
    let report = parsed(&stdout);
    assert_eq!(report["rows"], "servers");
    let rows: Vec<(&str, &str)> = report["sessions"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| (row["name"].as_str().unwrap(), row["classification"].as_str().unwrap()))
        .collect();
    let wanted = [("banner", "invalid-json"), ("clean", "valid-stdout"), ("gone", "inconclusive")];
    assert_eq!(rows, wanted);
    // Line and column are those of the name in the file, which serde_json writes sorted.
    let configuration = &report["sessions"][0]["configuration"];
    assert_eq!(configuration["file"], ".mcp.json");
    assert_eq!((&configuration["line"], &configuration["column"]), (&json!(3), &json!(5)));
    let (status, stdout, _) = run(project.path(), &["--server", "clean", "--format", "json"]);
    assert_eq!(status, 0, "{stdout}");
    assert_eq!(parsed(&stdout)["configuration"]["server"], "clean");
    assert_eq!(run(project.path(), &["--server", "gone"]).0, 3);
}

#[test]
fn without_a_command_the_project_files_are_used_and_said_to_be() {
    let project = project(&json!({ "clean": demo("clean") }));
    let (status, stdout, stderr) = run(project.path(), &[]);
    assert_eq!(status, 0, "{stderr}");
    assert!(stderr.contains("using .mcp.json (claude-code)"), "{stderr}");
    assert!(stdout.contains(".mcp.json:3:5 names this server"), "{stdout}");
}

#[test]
fn in_a_repository_a_command_is_proposed_and_nothing_is_launched() {
    let directory = TempDir::new().unwrap();
    let manifest = r#"{"name": "a", "version": "1.0.0", "bin": "cli.js"}"#;
    fs::write(directory.path().join("package.json"), manifest).unwrap();
    fs::write(directory.path().join("cli.js"), "require('fs').writeFileSync('ran', '')").unwrap();
    let (status, stdout, stderr) = run(directory.path(), &[]);
    assert_eq!((status, stdout.as_str()), (2, ""));
    assert!(stderr.contains("run --package . (package.json)"), "{stderr}");
    assert!(stderr.contains("run -- node cli.js (package.json)"), "{stderr}");
    assert!(!directory.path().join("ran").exists());
}

#[test]
fn a_list_launches_nothing_and_shows_no_secret() {
    let secret = ["sk", "made", "up", "secret"].join("-");
    let servers = json!({
        "marks": {
            "command": "sh", "args": ["-c", "touch ran; cat", "${API_TOKEN}"], "env": { "KEY": &secret },
        },
    });
    let project = project(&servers);
    for format in ["human", "json"] {
        let (status, stdout, stderr) = outcome(
            Command::new(PROBE)
                .current_dir(project.path())
                .env("API_TOKEN", &secret)
                .args(["run", "--list", "--format", format]),
        );
        assert_eq!(status, 0, "{stderr}");
        assert!(stdout.contains("touch ran") && stdout.contains("KEY"), "{stdout}");
        assert!(!stdout.contains(&secret) && !stderr.contains(&secret), "{stdout}");
    }
    assert!(!project.path().join("ran").exists());
}

#[test]
fn secrets_of_a_configuration_are_in_no_report() {
    let secret = ["hunter", "2", "hunter"].join("");
    let script = r#"echo "argument $0, variable $KEY"; cat >&2"#;
    let directory = TempDir::new().unwrap();
    fs::create_dir(directory.path().join(".vscode")).unwrap();
    let text = json!({
        "inputs": [{ "type": "promptString", "id": "pass", "password": true }],
        "servers": {
            "s": {
                "command": "sh", "args": ["-c", script, "${input:pass}"],
                "env": { "KEY": "${env:LENT}" },
            },
        },
    });
    fs::write(directory.path().join(".vscode/mcp.json"), text.to_string()).unwrap();
    for format in ["human", "json"] {
        let (status, stdout, stderr) = outcome(
            Command::new(PROBE)
                .current_dir(directory.path())
                .env("LENT", &secret)
                .args(["run", "--format", format, "--input"])
                .arg(format!("pass={secret}-input")),
        );
        assert_eq!(status, 1, "{stderr}");
        assert!(!stdout.contains(&secret) && !stderr.contains(&secret), "{stdout}{stderr}");
        assert!(stdout.contains("[REDACTED:"), "{stdout}");
    }
}

#[test]
fn a_reference_that_leads_nowhere_is_an_error_unless_the_client_lets_it_pass() {
    let servers = json!({ "s": { "command": PROBE, "args": ["__demo-server", "clean", "${NO_SUCH_VARIABLE_HERE}"] } });
    let project = project(&servers);
    let (status, stdout, stderr) = run(project.path(), &[]);
    assert_eq!((status, stdout.as_str()), (2, ""));
    assert!(stderr.contains(".mcp.json:7:9: `${NO_SUCH_VARIABLE_HERE}`"), "{stderr}");
    let (_, _, stderr) = run(project.path(), &["--expand", "client", "--server", "s"]);
    assert!(stderr.contains("warning: .mcp.json:7:9:"), "{stderr}");
}

#[rstest]
#[case::syntax("{ \"mcpServers\": { \"a\": } }", ".mcp.json:1:")]
#[case::type_of_args(
    "{\n \"mcpServers\": {\"a\": {\"command\": \"x\", \"args\": 1}}}",
    ".mcp.json:2:47: `args`"
)]
#[case::no_server("{\"mcpServers\": {}}", ".mcp.json: names no server")]
#[case::only_remote(
    "{\"mcpServers\": {\"a\": {\"url\": \"https://example.com\"}}}",
    "no server that would be launched"
)]
#[case::not_utf8("{\"mcpServers\": \"\u{e9}\"}", ".mcp.json:1:17")]
fn a_wrong_file_is_named_by_place_and_reason(#[case] text: &str, #[case] named: &str) {
    let directory = TempDir::new().unwrap();
    let bytes = match named.contains("1:17") {
        // The same text in another encoding.
        true => text.chars().map(|character| u8::try_from(u32::from(character)).unwrap()).collect(),
        false => text.as_bytes().to_vec(),
    };
    fs::write(directory.path().join(".mcp.json"), bytes).unwrap();
    let (status, stdout, stderr) = run(directory.path(), &["--config", ".mcp.json"]);
    assert_eq!((status, stdout.as_str()), (2, ""));
    assert!(stderr.contains(named), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

#[rstest]
#[case::no_such_server(&["--server", "x"], "no server `x`; it has: a")]
#[case::command_too(&["--config", ".mcp.json", "--", "true"], "a command cannot be given")]
#[case::server_of_a_command(&["--server", "x", "--", "true"], "--server is for a configuration")]
#[case::no_jobs(&["--jobs", "0"], "not a number above 0")]
#[case::unknown_format(&["--config", "x", "--config-format", "y"], "not a format")]
#[case::input_without_name(&["--input", "x"], "--input is not ID=VALUE")]
#[case::package_and_config(&["--package", "npm:x", "--config", "x"], "cannot be used with")]
#[case::bin_alone(&["--bin", "x"], "--package")]
#[case::launcher_of_a_file(&["--package", ".", "--launcher"], "a local artefact is")]
#[case::launcher_of_a_crate(&["--package", "cargo:x", "--launcher"], "cargo has no command")]
#[case::not_a_package(&["--package", "npm:--global"], "that is no name of a package")]
#[case::no_such_file(&["--package", "./none.tgz"], "nor a file that is there")]
fn what_cannot_be_meant_is_refused(#[case] arguments: &[&str], #[case] named: &str) {
    let project = project(&json!({ "a": demo("clean") }));
    let (status, stdout, stderr) = run(project.path(), arguments);
    assert_eq!((status, stdout.as_str()), (2, ""), "{stderr}");
    assert!(stderr.contains(named), "{stderr}");
}

#[test]
fn a_server_that_hangs_does_not_hold_up_the_others() {
    let servers = json!({
        "a-hangs": shell("cat >&2"), "b": demo("clean"), "c": demo("banner"), "d": demo("clean"),
    });
    let project = project(&servers);
    let (status, stdout, stderr) =
        run(project.path(), &["--jobs", "2", "--startup-timeout", "5", "--format", "json"]);
    assert_eq!(status, 1, "{stderr}");
    let told: Vec<&str> = stderr.lines().filter(|line| line.contains("/4] ")).collect();
    assert_eq!(told.len(), 4, "{stderr}");
    assert!(told[3].contains("a-hangs: no-response"), "{stderr}");
    assert_eq!(parsed(&stdout)["sessions"][0]["name"], "a-hangs");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "it is about time")]
fn servers_in_two_lanes_do_not_wait_for_one_another() {
    let slow = format!(
        "read a; sleep 0.4; echo '{INITIALIZED}'; read b; read c; echo '{UNKNOWN}'; cat >&2"
    );
    let names = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
    let servers: serde_json::Map<String, Value> =
        names.into_iter().map(|name| (name.to_owned(), shell(&slow))).collect();
    let project = project(&Value::Object(servers));
    let timed = |jobs: &str| {
        let start = Instant::now();
        let (status, stdout, stderr) = run(project.path(), &["--jobs", jobs]);
        assert_eq!(status, 0, "{stdout}{stderr}");
        start.elapsed()
    };
    let (one, two) = (timed("1"), timed("2"));
    assert!(one > Duration::from_secs(4), "{one:?}");
    // Half, and what a machine costs that has other things to do at the same time.
    assert!(two < one.mul_f64(0.8), "one lane {one:?}, two lanes {two:?}");
}

#[test]
fn variables_that_a_file_takes_away_do_not_reach_the_server() {
    let directory = TempDir::new().unwrap();
    let text = json!({ "servers": { "s": {
        "command": "sh", "args": ["-c", "env >&2; exit 1"], "env": { "HOME": null, "MINE": 1 },
    } } });
    fs::write(directory.path().join("mcp.json"), text.to_string()).unwrap();
    let (_, stdout, _) = run(directory.path(), &["--config", "mcp.json", "--format", "json"]);
    let report = parsed(&stdout);
    let names: Vec<&str> = report["environment"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|variable| variable["name"].as_str())
        .collect();
    assert!(names.contains(&"MINE") && names.contains(&"PATH"), "{names:?}");
    assert!(!names.contains(&"HOME"), "{names:?}");
}

/// A bundle whose server is a shell script.
fn bundle(path: &Path, extra: &str) {
    let server = format!("read a; echo '{INITIALIZED}'; read b; read c; echo '{UNKNOWN}'; cat >&2");
    let manifest = json!({
        "manifest_version": "0.3", "name": "in-a-bundle",
        "server": { "type": "binary", "mcp_config": { "command": "sh", "args": ["${__dirname}/server.sh"] } },
    });
    let mut writer = zip::ZipWriter::new(fs::File::create(path).expect("it can be made"));
    for (name, content) in
        [("manifest.json", manifest.to_string()), ("server.sh", server), (extra, String::new())]
    {
        writer.start_file(name, zip::write::SimpleFileOptions::default()).expect("it is open");
        writer.write_all(content.as_bytes()).expect("it can be written");
    }
    writer.finish().expect("it can be written");
}

#[test]
fn a_bundle_is_probed_or_refused_and_nothing_is_left() {
    let directory = TempDir::new().unwrap();
    let temporary = directory.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    let probe = |extra: &str| {
        bundle(&directory.path().join("b.mcpb"), extra);
        outcome(
            Command::new(PROBE)
                .current_dir(directory.path())
                .env("TMPDIR", &temporary)
                .args(["run", "--config", "b.mcpb"]),
        )
    };
    let (status, stdout, stderr) = probe("README.md");
    assert_eq!(status, 0, "{stdout}{stderr}");
    assert!(stdout.contains("b.mcpb:1:"), "{stdout}");
    for extra in ["../outside", "/tmp/outside-of-the-bundle"] {
        let (status, stdout, stderr) = probe(extra);
        assert_eq!((status, stdout.as_str()), (2, ""));
        assert!(stderr.contains("leads out of the bundle"), "{stderr}");
    }
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    let mut beside: Vec<_> =
        fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    beside.sort();
    assert_eq!(beside, ["b.mcpb", "temporary"]);
}

/// A local package of node that prints a banner the first time it is launched.
fn package(directory: &Path) {
    let script = format!(
        "#!/bin/sh\ntest -e '{0}/warm' || echo 'welcome'\ntouch '{0}/warm'\nread a; echo '{INITIALIZED}'; read b; read c; echo '{UNKNOWN}'; cat >&2\n",
        directory.display()
    );
    fs::write(directory.join("cli.sh"), script).expect("it can be written");
    let manifest = r#"{"name": "first-run", "version": "1.0.0", "bin": "cli.sh"}"#;
    fs::write(directory.join("package.json"), manifest).expect("it can be written");
}

#[test]
fn a_local_package_is_probed_cold_and_warm_and_nothing_is_left() {
    let (source, temporary) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    package(source.path());
    let (status, stdout, stderr) = outcome(
        Command::new(PROBE)
            .env("TMPDIR", temporary.path())
            .args(["run", "--format", "json", "--package"])
            .arg(source.path()),
    );
    assert_eq!(status, 1, "{stderr}");
    let report = parsed(&stdout);
    let rows: Vec<&str> = report["sessions"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|row| row["classification"].as_str())
        .collect();
    assert_eq!(rows, ["invalid-json", "valid-stdout"]);
    assert_eq!(report["package"]["name"], "first-run");
    assert_eq!(report["package"]["entry"], "first-run");
    assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
}

#[rstest]
#[case::npm("npm:left-pad", "npm_config_registry", "http://127.0.0.1:9/")]
#[case::pypi("pypi:left-pad-none", "PIP_INDEX_URL", "http://127.0.0.1:9/simple")]
fn a_registry_that_does_not_answer_is_status_3_and_says_nothing_of_the_package(
    #[case] package: &str,
    #[case] variable: &str,
    #[case] nowhere: &str,
) {
    let temporary = TempDir::new().unwrap();
    let (status, stdout, stderr) = outcome(
        Command::new(PROBE)
            .env("TMPDIR", temporary.path())
            .env(variable, nowhere)
            .env("npm_config_fetch_retries", "0")
            .args(["run", "--package", package]),
    );
    assert_eq!((status, stdout.as_str()), (3, ""), "{stderr}");
    assert!(stderr.contains("the registry cannot be reached"), "{stderr}");
    assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
}
