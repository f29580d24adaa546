//! Tests of `evidence`.

use std::time::Duration;

use model::{
    Cut, DeadlineName, Detail, ExitStatus, Finding, FrameBytes, Inconclusive, LaunchFailure,
    Member, Outcome, Phase, RawId, RuleId, TailEnd, Untested, Utf16,
};
use rstest::rstest;
use serde_json::{Value, json};

use super::Evidence;
use crate::facts::{DeadlineFact, Expiry, Mode, RunFacts, StderrFacts};
use crate::samples::{
    advice, after_frames, in_frame, inconclusive, run, secret, stderr, verdict, violation,
};
use crate::{Format, Style, render};

fn json_of(evidence: &Evidence) -> Value {
    serde_json::from_str(&render(&evidence.clone().into(), Format::Json, &Style::default()))
        .unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn the_report_has_these_members() {
    let value = json_of(&Evidence::new(&verdict(Outcome::ValidStdout), run()));
    let mut expected = [
        "schema_version",
        "case",
        "command",
        "classification",
        "verdict",
        "first_violation",
        "advice",
        "layers_reached",
        "not_checked",
        "protocol",
        "timeout_phase",
        "deadlines",
        "stderr",
        "exit_status",
        "child_reaped",
        "cleanup",
        "cut_by_us",
        "reason",
        "reason_detail",
        "accepted",
        "frames",
        "stdout_bytes",
        "executable",
        "cwd",
        "environment",
        "layers_not_reached",
        "events",
        "truncated",
        "redaction",
        "redacted",
        "too_short_to_redact",
    ];
    expected.sort_unstable();
    assert_eq!(keys(&value), expected);
    assert_eq!(keys(&value["stderr"]), ["bytes", "excerpt", "lines"]);
    assert_eq!(
        keys(&value["cleanup"]),
        [
            "at_deadline",
            "containment",
            "process",
            "readers",
            "signals",
            "stdin_at_deadline",
            "steps",
            "strays",
            "strays_killed",
            "usage",
        ]
    );
    assert_eq!(value["cleanup"]["containment"], json!({ "level": "group", "declined": [] }));
}

#[test]
fn a_valid_run() {
    let mut judged = verdict(Outcome::ValidStdout);
    judged.advice.push(advice(RuleId::CarriageReturn, 4));
    let mut facts = run();
    facts.exit_status = Some(ExitStatus::SUCCESS);
    let value = json_of(&Evidence::new(&judged, facts));
    assert_eq!(value["schema_version"], 1);
    assert_eq!(value["verdict"], "valid-stdout");
    assert_eq!(value["classification"], "valid-stdout");
    assert_eq!(value["first_violation"], Value::Null);
    assert_eq!(value["reason"], Value::Null);
    assert_eq!(value["protocol"], "2025-11-25");
    assert_eq!(value["layers_reached"], json!([1, 2]));
    assert_eq!(value["not_checked"], json!(["schema"]));
    assert_eq!(value["command"], json!(["node", "server.js"]));
    assert_eq!(value["exit_status"], json!({ "code": 0 }));
    assert_eq!(value["child_reaped"], true);
    assert_eq!(value["cleanup"]["process"], "clean");
    assert_eq!(value["cleanup"]["steps"], json!([{ "name": "close-stdin", "time_ms": 230 }]));
    assert_eq!(value["environment"][1], json!({ "name": "DEMO_KEY", "source": "set" }));
    assert_eq!(value["advice"][0]["rule"], "carriage-return");
    assert_eq!(value["advice"][0]["count"], 4);
}

#[test]
fn a_violation_in_a_frame() {
    let finding = in_frame(RuleId::InvalidJson, b"INFO \x1b[31mx", 0);
    let value = json_of(&Evidence::new(&violation(finding), run()));
    assert_eq!(value["verdict"], "violation");
    assert_eq!(value["classification"], "invalid-json");
    assert_eq!(
        value["first_violation"],
        json!({
            "rule": "invalid-json",
            "layer": 2,
            "layer_name": "JSON",
            "frame": 2,
            "byte_in_frame": 0,
            "byte_in_stream": 159,
            "time_ms": 212,
            "phase": "discovery",
            "request_id": "\"list-3\"",
            "method": "tools/list",
            "hex_prefix": "494e464f201b5b33316d78",
            "hex_window": {"hex": "494e464f201b5b33316d78", "fault": 0},
            "excerpt": "INFO \\x1b[31mx",
            "hint": "a log line: point the logger at stderr",
        })
    );
}

#[test]
fn a_violation_that_no_frame_shows() {
    let finding = after_frames(RuleId::ExitBeforeResponse, Detail::Exit(ExitStatus::Signal(11)));
    let mut facts = run();
    facts.exit_status = Some(ExitStatus::Signal(11));
    facts.timeout_phase = Some(Phase::Discovery);
    facts.deadlines.push(DeadlineFact {
        name: DeadlineName::Reply,
        budget: Duration::from_secs(10),
        elapsed: Duration::from_millis(10_003),
        expiry: Expiry::Expired,
    });
    let value = json_of(&Evidence::new(&violation(finding), facts));
    let found = &value["first_violation"];
    assert_eq!(found["frame"], Value::Null);
    assert_eq!(found["byte_in_frame"], Value::Null);
    assert_eq!(found["byte_in_stream"], 159);
    assert_eq!(found["hex_prefix"], Value::Null);
    assert_eq!(found["excerpt"], Value::Null);
    assert_eq!(found["detail"], "the process was ended by signal 11");
    assert_eq!(value["exit_status"], json!({ "signal": 11 }));
    assert_eq!(value["timeout_phase"], "discovery");
    assert_eq!(
        value["deadlines"],
        json!([{ "name": "reply", "budget_ms": 10_000, "elapsed_ms": 10_003, "expired": true }])
    );
}

#[test]
fn output_that_ends_inside_a_frame() {
    let finding = Finding {
        detail: Detail::Tail { end: TailEnd::Eof, partial_bytes: 5 },
        ..in_frame(RuleId::PartialFrame, b"{\"a\":", 5)
    };
    let value = json_of(&Evidence::new(&violation(finding), run()));
    assert_eq!(value["first_violation"]["partial_bytes"], 5);
    assert_eq!(value["first_violation"]["end"], "eof");
}

#[rstest]
#[case(Detail::Utf16(Utf16::BigEndian), "the bytes are UTF-16, high byte first")]
#[case(Detail::Missing(Member::ErrorCode), "`error.code` is missing")]
#[case(Detail::Wrong(Member::Jsonrpc), "`jsonrpc` is not \"2.0\"")]
#[case(Detail::Id { got: RawId::new("\"\\u001b\""), sent: Some(RawId::integer(1)) }, "the reply's id is \"\\\\u001b\", the request's was 1")]
#[case(Detail::Id { got: RawId::new("7"), sent: None }, "the reply's id is 7")]
#[case(Detail::Strays(2), "2 processes were left")]
fn a_detail_is_put_in_words(#[case] detail: Detail, #[case] text: &str) {
    let finding = Finding { detail, ..in_frame(RuleId::IdType, b"{}", 0) };
    let value = json_of(&Evidence::new(&violation(finding), run()));
    assert_eq!(value["first_violation"]["detail"], text);
}

#[rstest]
#[case(Inconclusive::TotalTimeout, "total-timeout", Value::Null)]
#[case(Inconclusive::StdoutCap, "stdout-cap", Value::Null)]
#[case(Inconclusive::NotInitialized, "not-initialized", Value::Null)]
#[case(Inconclusive::NothingToJudge, "nothing-to-judge", Value::Null)]
#[case(Inconclusive::Interrupted, "interrupted", Value::Null)]
#[case(Inconclusive::Launch(LaunchFailure::PermissionDenied), "launch", json!("permission-denied"))]
#[case(Inconclusive::Untested(Untested::ToolNotListed { tool: "e\x1bcho".into() }), "call-not-tested", json!("e\\x1bcho"))]
#[case(Inconclusive::Untested(Untested::ReplyNotReadable { method: "tools/list".into() }), "reply-not-readable", json!("tools/list"))]
fn an_inconclusive_run(#[case] why: Inconclusive, #[case] reason: &str, #[case] detail: Value) {
    let value = json_of(&Evidence::new(&inconclusive(why), run()));
    assert_eq!(value["verdict"], "inconclusive");
    assert_eq!(value["classification"], "inconclusive");
    assert_eq!(value["reason"], reason);
    assert_eq!(value["reason_detail"], detail);
}

#[test]
fn a_recording_has_no_command_and_no_process() {
    let facts = RunFacts::new(Mode::Check { input: "out.raw".into() });
    let value = json_of(&Evidence::new(&verdict(Outcome::ValidStdout), facts));
    for member in ["case", "command", "exit_status", "child_reaped", "cleanup", "cwd"] {
        assert_eq!(value[member], Value::Null, "{member}");
    }
}

#[test]
fn a_replayed_case_is_named() {
    let facts = RunFacts::new(Mode::Replay { case: "startup-banner".to_owned() });
    let value = json_of(&Evidence::new(&verdict(Outcome::ValidStdout), facts));
    assert_eq!(value["case"], "startup-banner");
}

#[test]
fn a_secret_is_nowhere_in_a_report() {
    let value = "pa55word-of-the-user";
    let mut finding = in_frame(RuleId::InvalidJson, format!("key {value} x").as_bytes(), 6);
    finding.detail = Detail::Id { got: RawId::new(format!("\"{value}\"")), sent: None };
    let mut facts = run();
    facts.secrets.push(secret("DEMO_KEY", value));
    facts.stderr = stderr(format!("using {value}\n").as_bytes());
    facts.reproduce.push(value.into());
    facts.launch_failure = Some(value.to_owned());
    facts.case = Some(value.to_owned());
    if let Mode::Run(command) = &mut facts.mode {
        command.argv.push(format!("--key={value}").into());
        command.cwd = Some(format!("/srv/{value}").into());
    }
    for judged in [
        violation(finding),
        inconclusive(Inconclusive::Launch(LaunchFailure::System)),
        inconclusive(Inconclusive::Untested(Untested::ToolNotListed { tool: value.into() })),
    ] {
        let evidence = Evidence::new(&judged, facts.clone());
        let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
        for format in Format::ALL {
            let report = render(&evidence.clone().into(), *format, &Style::default());
            assert!(!report.contains(value), "{report}");
            assert!(!report.contains(&hex), "{report}");
            let shown = report.replace("%3A", ":").replace("&#58;", ":").replace("\\[", "[");
            let shown = shown.replace("\\_", "_");
            // A trace holds the events of a run, and this one has none.
            assert!(shown.contains("[REDACTED:DEMO_KEY]") || *format == Format::Trace, "{report}");
        }
    }
}

#[test]
fn the_value_of_a_flag_for_secrets_is_one() {
    let mut facts = run();
    facts.stderr = stderr(b"got tok-12345 and key-67890 and page-size\n");
    if let Mode::Run(command) = &mut facts.mode {
        command.argv = ["x", "--token", "tok-12345", "--api-key=key-67890", "--name", "page-size"]
            .map(Into::into)
            .into();
    }
    let value = json_of(&Evidence::new(&verdict(Outcome::ValidStdout), facts));
    assert_eq!(
        value["stderr"]["excerpt"],
        "got [REDACTED:token] and [REDACTED:api-key] and page-size"
    );
    assert_eq!(
        value["command"],
        json!([
            "x",
            "--token",
            "[REDACTED:token]",
            "--api-key=[REDACTED:api-key]",
            "--name",
            "page-size"
        ])
    );
}

#[rstest]
#[case::docker(&["run", "-e", "API_KEY=sv-123456"])]
#[case::env(&["GITHUB_TOKEN=sv-123456", "cmd"])]
#[case::flag(&["--secret-key", "sv-123456"])]
#[case::header(&["--header", "X-Auth-Token: sv-123456"])]
#[case::query(&["https://example.org/x?api_key=sv-123456&page=2"])]
#[case::credentials(&["--credentials=sv-123456"])]
fn a_secret_in_an_argument_is_shown_nowhere(#[case] args: &[&str]) {
    let mut facts = run();
    facts.stderr = stderr(b"got sv-123456\n");
    if let Mode::Run(command) = &mut facts.mode {
        command.argv = ["x"].iter().chain(args).map(Into::into).collect();
    }
    let evidence = Evidence::new(&verdict(Outcome::ValidStdout), facts);
    let text = json_of(&evidence).to_string();
    assert!(!text.contains("sv-123456"), "{text}");
    assert!(text.contains("[REDACTED:"), "{text}");
}

#[test]
fn names_tell_what_is_secret() {
    for name in ["GITHUB_TOKEN", "api-key", "DB_PASSWORD", "pat"] {
        assert!(crate::names_a_secret(name.as_bytes()), "{name}");
    }
    for name in ["PATH", "HOME", "keyboard", "--page-size", "monkey"] {
        assert!(!crate::names_a_secret(name.as_bytes()), "{name}");
    }
}

#[test]
fn a_secret_cut_by_the_end_of_the_kept_bytes_is_not_shown_in_part() {
    let frame = b"say two words, on";
    let mut finding = in_frame(RuleId::InvalidJson, frame, 0);
    finding.frame_bytes = Some(FrameBytes { prefix: frame.as_slice().into(), len: 5000 });
    let mut facts = run();
    facts.secrets.push(secret("DEMO", "two words, one secret"));
    let value = json_of(&Evidence::new(&violation(finding), facts));
    assert_eq!(value["first_violation"]["excerpt"], "say\\x20\u{2026}");
    assert_eq!(value["first_violation"]["hex_prefix"], "73617920");
}

#[test]
fn a_secret_cut_by_what_stderr_dropped_is_not_shown_in_part() {
    let mut facts = run();
    facts.secrets.push(secret("DEMO", "two words, one secret"));
    facts.stderr = StderrFacts {
        bytes: 1000,
        lines: 9,
        head: b"first\ntwo words, on".to_vec(),
        tail: b"e secret\nlast\n".to_vec(),
        dropped: 967,
    };
    let value = json_of(&Evidence::new(&verdict(Outcome::ValidStdout), facts));
    assert_eq!(value["stderr"], json!({ "bytes": 1000, "lines": 9, "excerpt": "first\nlast" }));
}

#[test]
fn a_secret_across_head_and_tail_of_stderr_is_whole() {
    let mut facts = run();
    facts.secrets.push(secret("DEMO", "one-secret"));
    facts.stderr = StderrFacts { tail: b"secret b\r\n".to_vec(), ..stderr(b"a one-") };
    let value = json_of(&Evidence::new(&verdict(Outcome::ValidStdout), facts));
    assert_eq!(value["stderr"]["excerpt"], "a [REDACTED:DEMO] b");
}

#[test]
fn stderr_that_we_cut_loses_what_could_begin_a_secret() {
    let mut judged = verdict(Outcome::ValidStdout);
    judged.cut_by_us = Cut::ByUs;
    let mut facts = run();
    facts.secrets.push(secret("DEMO", "one-secret"));
    facts.stderr = stderr(b"key one-sec");
    let value = json_of(&Evidence::new(&judged, facts));
    assert_eq!(value["cut_by_us"], true);
    assert_eq!(value["stderr"]["excerpt"], "key\\x20");
}

#[test]
fn an_excerpt_is_a_window_round_the_byte() {
    let frame = [vec![b'a'; 500], b"!".to_vec(), vec![b'b'; 500]].concat();
    let evidence = Evidence::new(&violation(in_frame(RuleId::InvalidJson, &frame, 500)), run());
    let excerpt = evidence.first_violation.unwrap().excerpt.unwrap();
    let (text, caret) = excerpt.marked(crate::Charset::Unicode);
    assert_eq!(&text[caret.clone().unwrap()], "!");
    // A third of the columns show what precedes the byte.
    assert!((30..=50).contains(&caret.unwrap().start));
    assert!(text.starts_with('\u{2026}') && text.ends_with('\u{2026}'));
    assert!((100..=120).contains(&text.chars().count()));
}

#[rstest]
#[case::start(0, 0)]
#[case::escape(1, 1)]
#[case::wide(2, 5)]
#[case::after_wide(5, 8)]
fn the_caret_lies_under_the_byte(#[case] byte: u64, #[case] start: usize) {
    let frame = "a\x1b\u{65e5}b".as_bytes();
    let evidence = Evidence::new(&violation(in_frame(RuleId::InvalidJson, frame, byte)), run());
    let excerpt = evidence.first_violation.unwrap().excerpt.unwrap();
    assert_eq!(excerpt.text.as_str(), "a\\x1b\u{65e5}b");
    assert_eq!(excerpt.caret.map(|caret| caret.start), Some(start));
}

#[test]
fn the_end_of_a_frame_is_the_end_of_its_excerpt() {
    let evidence = Evidence::new(&violation(in_frame(RuleId::SplitMessage, b"{\"a\":", 5)), run());
    let excerpt = evidence.first_violation.unwrap().excerpt.unwrap();
    assert_eq!(excerpt.caret, Some(5..5));
}

#[test]
fn a_byte_that_was_not_kept_has_no_caret() {
    let mut finding = in_frame(RuleId::OversizedFrame, b"{\"a\":\"bbbb", 5000);
    finding.frame_bytes =
        Some(FrameBytes { prefix: b"{\"a\":\"bbbb".as_slice().into(), len: 5000 });
    let evidence = Evidence::new(&violation(finding), run());
    let excerpt = evidence.first_violation.unwrap().excerpt.unwrap();
    assert_eq!(excerpt.caret, None);
    assert_eq!(excerpt.marked(crate::Charset::Ascii).0, "{\"a\":\"...");
}

#[test]
fn a_byte_inside_a_secret_is_marked_by_the_whole_replacement() {
    let mut facts = run();
    facts.secrets.push(secret("D", "secret-value"));
    let finding = in_frame(RuleId::InvalidJson, b"x secret-value y", 6);
    let excerpt =
        Evidence::new(&violation(finding), facts).first_violation.unwrap().excerpt.unwrap();
    assert_eq!(&excerpt.text.as_str()[excerpt.caret.unwrap()], "[REDACTED:D]");
}

#[test]
fn a_report_stays_small_whatever_the_server_writes() {
    let noise = vec![0x1b; 4 * 1024 * 1024];
    let mut judged = violation(in_frame(RuleId::InvalidJson, &noise[..64 * 1024], 0));
    judged.advice = RuleId::ALL.iter().map(|rule| advice(*rule, 1)).collect();
    let mut facts = run();
    facts.stderr = stderr(&noise);
    if let Mode::Run(command) = &mut facts.mode {
        command.argv = vec!["\u{1b}".repeat(10_000).into(); 1000];
    }
    facts.reproduce = vec!["\u{1b}".repeat(100_000).into()];
    let evidence = Evidence::new(&judged, facts);
    for format in Format::ALL {
        assert!(render(&evidence.clone().into(), *format, &Style::default()).len() < 1024 * 1024);
    }
    assert!(evidence.reproduce.is_none());
}
