//! The command as a user meets it: exit statuses, streams, refusals, and nothing raw.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use assert_cmd::Command;
use rstest::rstest;
use serde_json::Value;
use tempfile::TempDir;

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":31,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#;
const UNKNOWN: &str = r#"{"jsonrpc":"2.0","id":71,"error":{"code":-32601,"message":"no"}}"#;

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-stdio-probe"));
    // Where these tests run must not show in what they see.
    command.env_remove("GITHUB_ACTIONS").env_remove("GITHUB_STEP_SUMMARY");
    command
}

fn demo_server(name: &str) -> [&str; 3] {
    [env!("CARGO_BIN_EXE_mcp-stdio-probe"), "__demo-server", name]
}

/// Runs a server made of shell text; gives the exit status, stdout and stderr.
fn run_shell(options: &[&str], script: &str) -> (i32, String, String) {
    outcome(command().arg("run").args(options).args(["--", "sh", "-c", script]))
}

fn outcome(command: &mut Command) -> (i32, String, String) {
    let output = command.output().expect("the command runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("a report is UTF-8");
    let status = output.status.code().expect("the command exits");
    (status, text(output.stdout), text(output.stderr))
}

fn json(stdout: &str) -> Value {
    serde_json::from_str(stdout).expect("stdout is one JSON report")
}

#[test]
fn a_clean_server_is_status_0_and_one_line() {
    let (status, stdout, stderr) =
        outcome(command().args(["run", "--"]).args(demo_server("clean")));
    assert_eq!(status, 0);
    assert!(stdout.starts_with("ok: stdout carried only MCP messages"), "{stdout}");
    assert_eq!(stderr, "");
}

#[test]
fn a_banner_is_status_1_at_its_first_byte() {
    let run = ["run", "--format", "json", "--"];
    let (status, stdout, _) = outcome(command().args(run).args(demo_server("banner")));
    assert_eq!(status, 1);
    let report = json(&stdout);
    assert_eq!(report["schema_version"], 1);
    assert_eq!(report["classification"], "invalid-json");
    assert_eq!(report["first_violation"]["frame"], 1);
    assert_eq!(report["first_violation"]["byte_in_stream"], 0);
    assert_eq!(report["first_violation"]["phase"], "startup");
    assert_eq!(report["first_violation"]["method"], "initialize");
    assert_eq!(report["child_reaped"], true);
    assert_eq!(report["cleanup"]["process"], "clean");
    assert_eq!(report["cleanup"]["readers"], "clean");
}

#[test]
fn demo_judges_both_of_its_servers_rightly() {
    let (status, stdout, stderr) = outcome(command().arg("demo"));
    assert_eq!(status, 0);
    assert!(stdout.contains("ok: stdout carried only MCP messages"));
    assert!(stdout.contains("error[invalid-json]"));
    assert!(stderr.contains("both came out as they must"));
}

#[rstest]
#[case::program("no-such-program-anywhere", &[], "no-such-program-anywhere")]
#[case::path("./no/such/program", &[], "no/such/program")]
#[case::directory("sh", &["--cwd", "/no/such/directory"], "/no/such/directory")]
#[case::permission("/etc/passwd", &[], "/etc/passwd")]
fn a_server_that_cannot_be_launched_is_status_3(
    #[case] program: &str,
    #[case] options: &[&str],
    #[case] named: &str,
) {
    let (status, stdout, _) = outcome(command().arg("run").args(options).args(["--", program]));
    assert_eq!(status, 3, "{stdout}");
    assert!(stdout.contains(named), "{stdout}");
}

#[test]
fn a_missing_interpreter_is_told_apart_from_a_missing_program() {
    let directory = TempDir::new().unwrap();
    let script = directory.path().join("server");
    fs::write(&script, "#!/no/such/interpreter\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let mut run = command();
    let (status, stdout, _) = outcome(run.args(["run", "--format", "json", "--"]).arg(&script));
    assert_eq!(status, 3);
    assert_eq!(json(&stdout)["reason"], "launch");
    assert!(stdout.contains("/no/such/interpreter"), "{stdout}");
}

#[test]
fn an_error_reply_to_initialize_is_inconclusive() {
    let script = format!(
        "read line; echo '{}'; cat >&2",
        r#"{"jsonrpc":"2.0","id":31,"error":{"code":-32602,"message":"unsupported"}}"#
    );
    let (status, stdout, _) = run_shell(&["--format", "json"], &script);
    assert_eq!(status, 4);
    assert_eq!(json(&stdout)["reason"], "not-initialized");
}

#[test]
fn a_tool_that_is_not_listed_is_inconclusive() {
    let mut run = command();
    run.args(["run", "--format", "json", "--call", "no-such-tool={}", "--"]);
    let (status, stdout, _) = outcome(run.args(demo_server("clean")));
    assert_eq!(status, 4);
    assert_eq!(json(&stdout)["reason"], "call-not-tested");
}

#[test]
fn a_spent_budget_is_inconclusive() {
    let options = ["--format", "json", "--total-timeout", "0.2"];
    let (status, stdout, _) = run_shell(&options, "cat >&2");
    assert_eq!(status, 4);
    assert_eq!(json(&stdout)["reason"], "total-timeout");
}

#[rstest]
#[case::no_task(&[])]
#[case::unknown_task(&["jump"])]
#[case::unknown_option(&["run", "--no-such-option", "--", "true"])]
#[case::no_command(&["run"])]
#[case::no_command_after_dashes(&["run", "--"])]
#[case::empty_command(&["run", "--", ""])]
#[case::missing_file(&["check", "/no/such/file"])]
#[case::directory_without_recording(&["check", "/"])]
#[case::deadline_not_a_number(&["run", "--reply-timeout", "soon", "--", "true"])]
#[case::deadline_negative(&["run", "--reply-timeout=-1", "--", "true"])]
#[case::deadline_not_finite(&["run", "--reply-timeout", "inf", "--", "true"])]
#[case::call_without_equals(&["run", "--call", "echo", "--", "true"])]
#[case::call_without_object(&["run", "--call", "echo=[1]", "--", "true"])]
#[case::call_without_json(&["run", "--call", "echo={", "--", "true"])]
#[case::variable_without_name(&["run", "--env", "=x", "--", "true"])]
#[case::unknown_rule(&["explain", "no-such-rule"])]
#[case::unknown_denial(&["run", "--deny", "no-such-rule", "--", "true"])]
#[case::unknown_format(&["run", "--format", "xml", "--", "true"])]
#[case::two_formats_to_stdout(&["run", "--format", "json", "--format", "human", "--", "true"])]
#[case::unwritable_report(&["run", "--format", "json=/no/such/directory/x", "--", "true"])]
#[case::unknown_revision(&["run", "--protocol", "1999-01-01", "--", "true"])]
#[case::escape_in_an_option(&["run", "--\u{1b}[31m", "--", "true"])]
fn bad_input_gets_one_clear_line_and_status_2(#[case] arguments: &[&str]) {
    let (status, stdout, stderr) = outcome(command().args(arguments));
    assert_eq!(status, 2, "{stderr}");
    assert_eq!(stdout, "");
    assert!(stderr.starts_with("mcp-stdio-probe: error: "), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.len() > 35, "{stderr}");
    assert_safe(&stderr);
}

#[test]
fn secrets_are_shown_only_where_that_was_asked_for_twice_in_ci() {
    let run = |ci: Option<&str>, extra: &[&str]| {
        let mut command = command();
        command.env_remove("CI").envs(ci.map(|ci| ("CI", ci)));
        command.args(["run", "--env", "DEMO_KEY=pa55word-of-the-user", "--startup-timeout", "20"]);
        command.args(extra).args(["--", "sh", "-c", "echo key $DEMO_KEY"]);
        outcome(&mut command)
    };
    let (_, stdout, _) = run(None, &[]);
    assert!(stdout.contains("key [REDACTED:DEMO_KEY]") && !stdout.contains("pa55"), "{stdout}");
    let (status, stdout, stderr) = run(None, &["--no-redact"]);
    assert_eq!(status, 1);
    assert!(stdout.contains("key pa55word-of-the-user"), "{stdout}");
    assert!(stdout.contains("nothing was redacted"), "{stdout}");
    assert!(stderr.contains("do not publish"), "{stderr}");
    let (status, stdout, _) = run(Some("true"), &["--no-redact"]);
    assert_eq!((status, stdout.as_str()), (2, ""));
    assert_eq!(run(Some("true"), &["--no-redact", "--yes-leak"]).0, 1);
}

#[test]
fn a_report_is_the_same_for_two_homes_users_and_temporary_directories() {
    let report = |user: &str| {
        let root = TempDir::new().expect("a temporary directory can be made");
        let [home, temporary] = ["home", "temporary"].map(|name| root.path().join(name).join(user));
        for directory in [&home, &temporary] {
            fs::create_dir_all(directory).expect("it can be made");
        }
        let script = home.join("server.sh");
        // It reads to the end, so that nothing depends on when it ends.
        let text = "echo \"$HOME $USER\" >&2; echo $0 $TMPDIR >&2; pwd; cat >/dev/null";
        fs::write(&script, text).expect("it can be written");
        let mut command = command();
        command.env("HOME", &home).env("USER", user).env("LOGNAME", user);
        command.env("TMPDIR", &temporary).current_dir(&home);
        command.args(["run", "--inherit-env", "--format", "json", "--", "sh"]).arg(&script);
        let (_, stdout, _) = outcome(&mut command);
        let mut report = json(&stdout);
        without_times(&mut report);
        report
    };
    // As long as each other, since the bytes that the server writes are counted.
    assert_eq!(report("alice-one"), report("bobby-two"));
}

/// Takes out what tells of a clock.
fn without_times(value: &mut Value) {
    match value {
        Value::Object(members) => {
            // What a process used differs as its times do.
            members.retain(|name, _| !name.ends_with("_ms") && name != "usage");
            members.values_mut().for_each(without_times);
            if let Some(Value::Array(events)) = members.get_mut("events") {
                // stdout and stderr have no order against each other, and how many reads stderr
                // takes depends on the scheduler; its bytes are counted elsewhere.
                events.retain(|event| event["event"] != "stderr");
                events.sort_by_key(Value::to_string);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(without_times),
        _ => {}
    }
}

#[test]
fn every_format_can_be_asked_for_at_once() {
    let directory = TempDir::new().expect("a temporary directory can be made");
    let names = ["json", "jsonl", "junit", "sarif", "github", "tap", "md", "html", "trace"];
    let mut command = command();
    command.arg("run");
    for name in names {
        let file = directory.path().join(name);
        command.args(["--format", &format!("{name}={}", file.display())]);
    }
    let (status, stdout, _) = outcome(command.args(["--", "sh", "-c", "echo banner"]));
    assert_eq!((status, stdout.as_str()), (1, ""));
    for name in names {
        let text = fs::read_to_string(directory.path().join(name)).expect("it was written");
        assert!(text.contains("invalid-json"), "{name}: {text}");
    }
}

#[test]
fn in_github_actions_a_finding_is_annotated_and_summarised() {
    let directory = TempDir::new().expect("a temporary directory can be made");
    let summary = directory.path().join("summary.md");
    let mut command = command();
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &summary);
    let (status, stdout, _) = outcome(command.args(["run", "--", "sh", "-c", "echo banner"]));
    assert_eq!(status, 1);
    assert!(stdout.starts_with("error[invalid-json]"), "{stdout}");
    assert!(stdout.contains("\n::error title=error[invalid-json]%3A sh::"), "{stdout}");
    let summary = fs::read_to_string(summary).expect("it was written");
    assert!(summary.starts_with("### error"), "{summary}");
}

#[test]
fn a_secret_that_lost_its_name_is_not_repeated() {
    let secret = ["top", "secret", "value"].join("-");
    let (status, _, stderr) = outcome(command().args(["run", "--env", &secret, "--", "true"]));
    assert_eq!(status, 2);
    assert!(!stderr.contains(&secret), "{stderr}");
}

#[test]
fn values_of_variables_are_in_no_report() {
    let secret = ["hunter", "2", "hunter"].join("");
    let variable = format!("TOKEN={secret}");
    let script = r#"echo "token is $TOKEN"; echo "on stderr: $TOKEN" >&2; cat >&2"#;
    for format in ["human", "json"] {
        let (status, stdout, stderr) = run_shell(&["--env", &variable, "--format", format], script);
        assert_eq!(status, 1);
        assert!(!stdout.contains(&secret) && !stderr.contains(&secret), "{stdout}");
        assert!(stdout.contains("[REDACTED:TOKEN]"), "{stdout}");
    }
}

#[test]
fn the_environment_is_that_of_a_client_unless_asked_otherwise() {
    let script = "env >&2; cat >&2";
    let seen = |options: &[&str]| {
        let mut run = command();
        run.env("STRAY_VARIABLE", "stray").arg("run").args(["--format", "json"]).args(options);
        let report =
            json(&outcome(run.args(["--startup-timeout", "0.3", "--", "sh", "-c", script])).1);
        let names = report["environment"].as_array().expect("a list").iter();
        let names: Vec<String> =
            names.map(|variable| variable["name"].as_str().expect("a name").to_owned()).collect();
        names
    };
    let usual = seen(&[]);
    assert!(usual.contains(&"PATH".to_owned()) && usual.contains(&"HOME".to_owned()));
    assert!(!usual.contains(&"STRAY_VARIABLE".to_owned()));
    assert_eq!(seen(&["--env-minimal"]), ["PATH"]);
    assert!(seen(&["--inherit-env"]).contains(&"STRAY_VARIABLE".to_owned()));
}

#[rstest]
#[case::escape(r"\033[31mred\033[0m \033]0;title\007")]
#[case::carriage_return(r"hidden\rshown")]
#[case::bidirectional("\u{202e}gnp.exe \u{2066}")]
#[case::actions_command("::error title=x::forged")]
#[case::old_actions_command("x ##[error]forged")]
#[case::azure_command("##vso[task.setvariable variable=x]y")]
#[case::gitlab_section(r"section_start:1:x\r\033[0K")]
#[case::c1_and_nul(r"\0302\033 \000 \177")]
fn nothing_of_the_server_reaches_the_terminal_raw(#[case] text: &str) {
    // The text goes where a report shows it: on stdout, and on stderr beside a silence.
    for script in
        [format!("printf '{text}\\n'; cat >&2"), format!("printf '{text}\\n' >&2; exit 1")]
    {
        for options in [&["--color", "never"][..], &["--format", "json"]] {
            let (status, stdout, stderr) = run_shell(options, &script);
            assert_eq!(status, 1);
            assert_safe(&stdout);
            assert_safe(&stderr);
        }
    }
}

/// No control character but the newline, no invisible one, no line that a CI runner obeys.
#[track_caller]
fn assert_safe(text: &str) {
    for character in text.chars().filter(|character| *character != '\n') {
        assert!(!character.is_control(), "{character:?} in {text}");
        let invisible = ('\u{200b}'..='\u{200f}').contains(&character)
            || ('\u{202a}'..='\u{202e}').contains(&character)
            || ('\u{2060}'..='\u{2069}').contains(&character);
        assert!(!invisible, "{character:?} in {text}");
    }
    for line in text.lines() {
        assert!(!line.trim_start().starts_with("::"), "{line}");
        for command in ["##[", "##vso[", "section_start:", "section_end:"] {
            assert!(!line.contains(command), "{line}");
        }
    }
}

#[test]
fn a_deadline_that_passes_is_a_finding_of_its_phase() {
    let script = format!("read line; echo '{INITIALIZED}'; cat >&2");
    let options = ["--format", "json", "--reply-timeout", "0.2"];
    let (status, stdout, _) = run_shell(&options, &script);
    assert_eq!(status, 1);
    let report = json(&stdout);
    assert_eq!(report["classification"], "no-response");
    assert_eq!(report["timeout_phase"], "call");
    assert_eq!(report["first_violation"]["frame"], Value::Null);
}

#[test]
fn advice_fails_only_when_it_is_denied() {
    let script = format!(
        "read a; printf '%s\\r\\n' '{INITIALIZED}'; read b; read c; echo '{UNKNOWN}'; cat >&2; exit 3"
    );
    let (status, stdout, _) = run_shell(&["--format", "json"], &script);
    assert_eq!(status, 0, "{stdout}");
    let advice = json(&stdout)["advice"].clone();
    let rules: Vec<&str> =
        advice.as_array().expect("a list").iter().filter_map(|one| one["rule"].as_str()).collect();
    assert_eq!(rules, ["carriage-return", "nonzero-exit"]);
    assert_eq!(run_shell(&["--deny", "carriage-return"], &script).0, 1);
    assert_eq!(run_shell(&["--deny", "advice"], &script).0, 1);
    assert_eq!(
        run_shell(
            &["--deny", "advice", "--allow", "carriage-return", "--allow", "nonzero-exit"],
            &script
        )
        .0,
        0
    );
}

#[test]
fn a_recording_is_private_and_check_reads_it_to_the_same_finding() {
    let directory = TempDir::new().unwrap();
    let recording = directory.path().join("rec");
    let script = format!("read a; echo '{INITIALIZED}'; read b; echo listing; cat >&2");
    let record = recording.display().to_string();
    let (status, live, _) = run_shell(&["--format", "json", "--record", &record], &script);
    assert_eq!(status, 1);
    for file in ["case.json", "stdout.raw", "stderr.raw"] {
        let mode = fs::metadata(recording.join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    let (status, replayed, _) =
        outcome(command().args(["check", "--format", "json"]).arg(&recording));
    assert_eq!(status, 1);
    let (live, replayed) = (json(&live), json(&replayed));
    for member in ["rule", "frame", "byte_in_frame", "byte_in_stream", "phase", "method"] {
        assert_eq!(
            live["first_violation"][member], replayed["first_violation"][member],
            "{member}"
        );
    }
    let (status, _, stderr) = run_shell(&["--record", &record], "exit 0");
    assert_eq!(status, 2, "{stderr}");
}

#[test]
fn check_judges_files_and_standard_input_alike() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("stdout.raw");
    let bytes = format!("{INITIALIZED}\n\n");
    fs::write(&file, &bytes).unwrap();
    let check = ["check", "--format", "json"];
    let (status, from_file, _) = outcome(command().args(check).arg(&file));
    assert_eq!(status, 1);
    assert_eq!(json(&from_file)["classification"], "empty-frame");
    assert_eq!(json(&from_file)["not_checked"], serde_json::json!(["correlation"]));
    let (status, from_pipe, _) = outcome(command().args(check).arg("-").write_stdin(bytes));
    assert_eq!(status, 1);
    assert_eq!(json(&from_file)["first_violation"], json(&from_pipe)["first_violation"]);
    let (status, nothing, _) = outcome(command().args(check).arg("-").write_stdin(""));
    assert_eq!(status, 4);
    assert_eq!(json(&nothing)["reason"], "nothing-to-judge");
}

#[test]
fn check_judges_several_files_side_by_side() {
    let directory = TempDir::new().unwrap();
    let file = |name: &str, bytes: &str| {
        let path = directory.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let reply = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let files = [
        file("good", &format!("{reply}\n{reply}\n")),
        file("banner", &format!("ready\n{reply}\n")),
        file("empty", ""),
        file("blank", &format!("{reply}\n\n")),
    ];
    for jobs in ["1", "3"] {
        let check = ["check", "--format", "json", "--jobs", jobs];
        let (status, report, _) = outcome(command().args(check).args(&files));
        assert_eq!(status, 1);
        let report = json(&report);
        assert_eq!(report["rows"], "recordings");
        assert_eq!(report["classification"], "invalid-json");
        let rows = report["sessions"].as_array().unwrap().iter();
        let rows: Vec<_> = rows.map(|row| row["classification"].as_str().unwrap()).collect();
        assert_eq!(rows, ["valid-stdout", "invalid-json", "inconclusive", "empty-frame"]);
    }
    let (status, human, _) = outcome(command().arg("check").args(&files));
    assert_eq!(status, 1);
    assert!(human.contains("4 recordings"), "{human}");
    let (status, _, _) = outcome(command().arg("check").args([&files[0], &files[2]]));
    assert_eq!(status, 4);
    let (status, _, stderr) = outcome(command().args(["check", "-", "-"]).write_stdin(""));
    assert_eq!((status, stderr.contains("only once")), (2, true), "{stderr}");
}

#[test]
fn check_judges_alike_however_large_a_recording_is() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("stdout.raw");
    let small = r#"{"jsonrpc":"2.0","id":1,"result":{"text":"a"}}"#;
    let large =
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"text":"{}"}}}}"#, "x".repeat(700_000));
    let before = format!("{}\n{large}\n{small}\n", [small; 9000].join("\n"));
    for tail in ["no message\n", "no newline"] {
        let bytes = format!("{before}{tail}");
        fs::write(&path, &bytes).unwrap();
        let check = ["check", "--format", "json"];
        let (_, from_file, _) = outcome(command().args(check).arg(&path));
        let (_, from_pipe, _) = outcome(command().args(check).arg("-").write_stdin(bytes.clone()));
        let found = json(&from_file)["first_violation"].clone();
        assert_eq!(found, json(&from_pipe)["first_violation"]);
        assert_eq!(found["frame"], 9003);
        let place = before.len() + if tail.ends_with('\n') { 1 } else { tail.len() };
        assert_eq!(found["byte_in_stream"], place);
    }
}

#[test]
fn reports_go_to_files_beside_stdout() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("report.json");
    let format = format!("json={}", file.display());
    let run = ["run", "--format", "human", "--format", &format, "--"];
    let (status, stdout, _) = outcome(command().args(run).args(demo_server("clean")));
    assert_eq!(status, 0);
    assert!(stdout.starts_with("ok:"));
    assert_eq!(json(&fs::read_to_string(file).unwrap())["verdict"], "valid-stdout");
}

#[test]
fn the_working_directory_is_the_current_one_or_an_empty_one() {
    let list = "ls -a >&2; pwd >&2; exit 1";
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("witness"), "").unwrap();
    let excerpt = |options: &[&str]| {
        let mut run = command();
        run.current_dir(directory.path()).args(["run", "--format", "json"]).args(options);
        let report = json(&outcome(run.args(["--", "sh", "-c", list])).1);
        report["stderr"]["excerpt"].as_str().expect("a text").to_owned()
    };
    assert!(excerpt(&[]).contains("witness"));
    assert!(!excerpt(&["--cwd", "temp"]).contains("witness"));
    assert!(!Path::new("temp").exists());
}

#[test]
fn rules_lists_every_rule_and_explain_explains_each() {
    let (status, list, _) = outcome(command().arg("rules"));
    assert_eq!(status, 0);
    for rule in model::RuleId::ALL {
        assert!(list.lines().any(|line| line.starts_with(&format!("{rule} "))), "{rule}");
        let (status, text, _) = outcome(command().args(["explain", rule.name()]));
        assert_eq!(status, 0);
        assert!(text.starts_with(rule.name()) && text.len() > 200, "{text}");
    }
}

#[test]
fn a_scenario_is_played_by_its_name_or_its_file() {
    let (status, stdout, _) = outcome(
        command().args(["run", "--scenario", "odd-messages", "--"]).args(demo_server("clean")),
    );
    assert_eq!(status, 0, "{stdout}");
    assert!(stdout.starts_with("ok: stdout carried only MCP messages: 6 messages"), "{stdout}");
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("mine.json");
    let play = |text: &str| {
        fs::write(&file, text).unwrap();
        let run = command()
            .args(["run", "--scenario"])
            .arg(&file)
            .arg("--")
            .args(demo_server("clean"))
            .output()
            .unwrap();
        (run.status.code(), String::from_utf8(run.stderr).unwrap())
    };
    let (status, _) = play(r#"{"scenario":1,"title":"nothing","steps":["initialize"]}"#);
    assert_eq!(status, Some(0));
    let (status, stderr) = play("{\"scenario\":1,\"title\":\"t\",\n\"steps\":[\"lists\"]}");
    assert_eq!(status, Some(2));
    assert!(
        stderr.contains("mine.json, line 2: the step needs `initialize` before it"),
        "{stderr}"
    );
}

#[rstest]
#[case(&["--scenario", "no-such"], "neither a file nor a built-in scenario (session,")]
#[case(&["--scenario", "session", "--protocol", "2026-07-28"], "does not begin as a session")]
#[case(&["--scenario", "stateless-session", "--protocol", "2025-06-18"], "does not begin as")]
#[case(&["--profile", "full", "--scenario", "session"], "cannot be used with")]
#[case(&["--vary", "a:B=1"], "need --profile full")]
#[case(&["--profile", "full", "--vary", "B=1"], "not NAME:VARIABLE=VALUE")]
fn what_cannot_be_played_is_refused(#[case] options: &[&str], #[case] reason: &str) {
    let (status, stdout, stderr) =
        outcome(command().arg("run").args(options).arg("--").args(demo_server("clean")));
    assert_eq!((status, stdout.as_str()), (2, ""));
    assert!(stderr.contains(reason), "{stderr}");
}

#[test]
fn the_full_profile_of_a_clean_server_is_clean_in_every_session() {
    let full =
        ["run", "--profile", "full", "--call", "echo={\"text\":\"hi\"}", "--vary", "mine:A=1"];
    let (status, stdout, stderr) =
        outcome(command().args(full).args(["--format", "json", "--"]).args(demo_server("clean")));
    assert_eq!(status, 0, "{stdout}{stderr}");
    let report = json(&stdout);
    let sessions = report["sessions"].as_array().unwrap();
    let names: Vec<&str> = sessions.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names[0], "plain");
    for name in ["quiet", "close-after-burst-3", "home-again", "directory-foreign", "mine"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert!(sessions.iter().all(|row| row["verdict"] == "valid-stdout"), "{stdout}");
    assert!(stderr.contains("protocol-2026-07-28 left out"), "{stderr}");
}

#[test]
fn a_line_that_only_one_session_shows_is_found_and_named() {
    let script = format!(
        "if [ \"$DEBUG\" = '*' ]; then echo debugging; fi\n\
         while read -r line; do case $line in\n\
         *'\"initialize\"'*) echo '{INITIALIZED}';; *'\"id\":71'*) echo '{UNKNOWN}';;\n\
         *'\"ping\"'*) id=${{line#*'\"id\":'}}; echo '{{\"jsonrpc\":\"2.0\",\"id\":'\"${{id%%,*}}\"',\"result\":{{}}}}';;\n\
         esac; done"
    );
    let (status, stdout, stderr) = run_shell(&["--profile", "full", "--format", "json"], &script);
    assert_eq!(status, 1, "{stdout}{stderr}");
    let report = json(&stdout);
    assert_eq!(report["classification"], "invalid-json");
    let sessions = report["sessions"].as_array().unwrap();
    let violated: Vec<_> = sessions.iter().filter(|row| row["verdict"] != "valid-stdout").collect();
    assert_eq!(violated.len(), 1, "{stdout}");
    assert_eq!(violated[0]["name"], "debug-all");
    assert_eq!(violated[0]["differs_from_plain"][0]["what"], "classification");
}
