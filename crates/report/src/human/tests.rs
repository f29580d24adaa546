//! Tests of `human`.

use std::borrow::Cow;
use std::time::Duration;

use model::{
    DeadlineName, Detail, Event, EventKind, ExitStatus, FrameBytes, Inconclusive, KeepBody,
    LaunchFailure, Outcome, PendingRequest, RawId, RuleId, Sent, Seq, Untested,
};
use proptest::prelude::*;
use rstest::rstest;

use crate::Timeline;
use crate::facts::{DeadlineFact, Expiry, Mode, RunFacts};
use crate::safe::tests::hostile_bytes;
use crate::samples::{
    advice, after_frames, hostile_runs, in_frame, inconclusive, obeys_ci_command, run, stderr,
    verdict, violation,
};
use crate::{Charset, Color, Evidence, Format, Report, Style, explain, render, rules};

fn human(judged: &model::Verdict, facts: RunFacts) -> String {
    human_in(judged, facts, Style::default())
}

fn human_in(judged: &model::Verdict, facts: RunFacts, style: Style) -> String {
    render(&Evidence::new(judged, facts).into(), Format::Human, &style)
}

#[track_caller]
fn assert_holds(report: &str, pieces: &[&str]) {
    for piece in pieces {
        assert!(report.contains(piece), "{piece:?} is missing in:\n{report}");
    }
}

#[test]
fn a_violation_says_what_where_why_and_what_to_do() {
    let finding = in_frame(RuleId::InvalidJson, b"[dotenv@17.2.3] injecting env (0)", 1);
    let report = human(&violation(finding), run());
    assert!(report.starts_with(
        "error[invalid-json]: a line on stdout is not JSON\n \
         --> stdout frame 2 (the 2nd line), byte 1 (byte 160 of the stream), counted from 0, phase\n  \
         |   discovery, 212 ms\n  \
         |\n2 | [dotenv@17.2.3] injecting env (0)\n  |  ^ not JSON from here\n  |\n"
    ));
    assert_holds(
        &report,
        &[
            "this line of stdout was reserved for an MCP message",
            "\"The server MUST NOT write anything to its",
            "what clients do: ",
            "the client was waiting for the reply to tools/list, id \"list-3\"",
            "= hint: a configuration loader's notice",
            "capabilities were not tested",
            "= help: stdout is reserved for MCP messages: send logs to stderr",
            "  |       mcp-stdio-probe run -- node server.js\n",
            "= help: mcp-stdio-probe explain invalid-json\n",
        ],
    );
}

#[test]
fn the_gutter_is_as_wide_as_the_frame_number() {
    let mut finding = in_frame(RuleId::InvalidJson, b"x", 0);
    finding.position = model::Position::InFrame {
        frame: model::FrameNo(1234),
        byte: model::FrameOffset(0),
        stream: model::StreamOffset(0),
    };
    let report = human(&violation(finding), run());
    assert_holds(
        &report,
        &[
            "\n    --> stdout frame 1234 (the 1234th line)",
            "\n1234 | x\n     | ^ not",
            "\n     = note",
        ],
    );
}

#[test]
fn silence_is_explained_by_deadline_and_stderr() {
    let mut facts = run();
    facts.stderr = stderr(b"first\n\x1b[31mwaiting for ::x\n");
    facts.deadlines.push(DeadlineFact {
        name: DeadlineName::Reply,
        budget: Duration::from_millis(1500),
        elapsed: Duration::from_millis(1500),
        expiry: Expiry::Expired,
    });
    let report = human(&violation(after_frames(RuleId::NoResponse, Detail::None)), facts);
    assert_holds(
        &report,
        &[
            "--> stdout after the last frame (159 bytes in all), phase discovery, 212 ms\n",
            "the reply deadline of 1.5 s passed",
            "stderr (2 lines, 27 bytes) says:\n",
            "  |       first\n  |       \\x1b[31mwaiting for \\x3a:x\n",
        ],
    );
    assert!(!report.contains("capabilities"));
}

#[rstest]
#[case::late(b"{\"id\":7,\"result\":{}}\n", true)]
#[case::of_another_request(b"{\"id\":8,\"result\":{}}\n", false)]
#[case::never(b"", false)]
fn a_reply_behind_the_deadline_is_late_and_not_lost(
    #[case] rest: &'static [u8],
    #[case] late: bool,
) {
    let asked = Sent::Request {
        id: RawId::integer(7),
        method: "tools/list".into(),
        keep_body: KeepBody::Drop,
        params: None,
    };
    let kinds = [
        EventKind::Sent(asked),
        EventKind::Deadline(DeadlineName::Reply),
        EventKind::Stdout(Cow::Borrowed(rest)),
    ];
    let mut facts = run();
    facts.timeline = Timeline::new(kinds.into_iter().zip(0_u64..).map(|(kind, seq)| Event {
        seq: Seq(seq),
        at: Duration::from_millis(seq * 750),
        kind,
    }));
    let mut silence = after_frames(RuleId::NoResponse, Detail::None);
    silence.pending = Some(PendingRequest { id: RawId::integer(7), method: "tools/list".into() });
    let report = human(&violation(silence), facts);
    let note = "the reply came after the deadline: it is late, not lost";
    assert_eq!(report.contains(note), late, "{report}");
}

#[test]
fn only_the_last_lines_of_a_long_stderr_are_shown() {
    let mut facts = run();
    facts.stderr = stderr(&b"line\n".repeat(100));
    let exit = after_frames(RuleId::ExitBeforeFrame, Detail::Exit(ExitStatus::Code(1)));
    let report = human(&violation(exit), facts);
    assert_holds(&report, &["stderr (100 lines, 500 bytes) ends with:", "the exit status was 1"]);
    assert_eq!(report.matches("|       line\n").count(), 12);
}

#[test]
fn a_byte_that_was_not_kept_is_told() {
    let mut finding = in_frame(RuleId::OversizedFrame, b"aaaa bbbb ", 5000);
    finding.frame_bytes = Some(FrameBytes { prefix: b"aaaa bbbb ".as_slice().into(), len: 5000 });
    let report = human(&violation(finding), run());
    assert_holds(
        &report,
        &[
            "2 | aaaa bbbb\\x20\u{2026}\n",
            "byte 5000, counted from 0, is not shown: the frame has 5000 bytes",
        ],
    );
}

#[test]
fn advice_takes_two_lines() {
    let mut judged = verdict(Outcome::ValidStdout);
    judged.advice.push(advice(RuleId::CarriageReturn, 4));
    let report = human(&judged, run());
    assert_holds(
        &report,
        &[
            "\n\nadvice[carriage-return]: frames end with CR LF (4 times, first at frame 2, byte 2 counted from\n  \
           | 0)\n  \
           = help: write to stdout in binary mode, or with \"\\n\" as line ending\n",
        ],
    );
}

#[test]
fn a_valid_run_is_told_in_one_line_with_its_limits() {
    let report = human(&verdict(Outcome::ValidStdout), run());
    assert_eq!(
        report,
        "ok: stdout carried only MCP messages: 1 message in 2 frames (203 bytes), protocol \
         2025-11-25,\n  | layers 1 and 2\n  \
         = note: not checked: layer 4 (MCP schema) is not part of this build or run\n"
    );
}

#[rstest]
#[case(Inconclusive::TotalTimeout, "--total-timeout")]
#[case(Inconclusive::StdoutCap, "mcp-stdio-probe check FILE")]
#[case(Inconclusive::NotInitialized, "look at stderr")]
#[case(Inconclusive::NothingToJudge, "record the stdout")]
#[case(Inconclusive::Interrupted, "run it again")]
#[case(Inconclusive::Launch(LaunchFailure::ProgramNotFound), "PATH")]
#[case(Inconclusive::Untested(Untested::ToolNotListed { tool: "echo".into() }), "the tool: echo")]
fn an_inconclusive_run_says_what_to_do(#[case] reason: Inconclusive, #[case] piece: &str) {
    let report = human(&inconclusive(reason.clone()), run());
    assert!(report.starts_with(&format!("inconclusive[{}]: ", reason.name())));
    assert_holds(&report, &[piece, "this command repeats the run:"]);
}

#[test]
fn a_failed_launch_shows_the_arguments_one_by_one() {
    let mut facts = run();
    facts.launch_failure = Some("No such file or directory (os error 2)".to_owned());
    let report = human(&inconclusive(Inconclusive::Launch(LaunchFailure::System)), facts);
    assert_holds(
        &report,
        &["  |       node\n  |       server.js\n", "the cause: No such file", "/srv/demo"],
    );
}

#[test]
fn a_recording_is_told_without_phase_and_clock() {
    let facts = RunFacts::new(Mode::Check { input: "out.raw".into() });
    let report = human(&violation(in_frame(RuleId::InvalidJson, b"x", 0)), facts);
    assert_holds(
        &report,
        &[
            "--> stdout frame 2 (the 2nd line), byte 0 (byte 159 of the stream), counted from 0, of out.raw\n",
        ],
    );
    assert!(!report.contains("phase") && !report.contains("stderr ("));
}

#[test]
fn a_coloured_report_says_the_same() {
    let judged = violation(in_frame(RuleId::InvalidJson, b"x \x1b[31m", 0));
    let plain = human(&judged, run());
    let coloured = human_in(&judged, run(), Style { color: Color::Ansi, ..Style::default() });
    let mut stripped = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        stripped.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    stripped.push_str(rest);
    assert_ne!(coloured, plain);
    assert_eq!(stripped, plain);
}

#[test]
fn every_rule_is_listed_and_explained() {
    let list = rules();
    assert_eq!(list.lines().count(), RuleId::ALL.len() + 1);
    assert_holds(
        &list,
        &["a reply has no id (legal for errors from 2025-11-25, else advice for errors)\n"],
    );
    for width in [10, 40, 80] {
        for id in RuleId::ALL {
            let text = explain(*id, &Style { width, ..Style::default() });
            assert!(text.starts_with(&format!("{id}: ")));
            assert_well_formed(&text);
            // A word that is longer than the width stands alone, or behind a name.
            let fits =
                |line: &str| line.len() <= width.max(40) || line.split_whitespace().count() <= 2;
            assert!(text.lines().skip(1).all(fits), "{text}");
        }
    }
    assert_well_formed(&list);
}

#[track_caller]
fn assert_well_formed(report: &str) {
    assert!(report.ends_with('\n') && !report.ends_with("\n\n"), "{report:?}");
    assert!(report.lines().all(|line| !line.ends_with(' ')), "{report:?}");
    assert!(!report.chars().any(|character| character.is_control() && character != '\n'));
}

proptest! {
    #[test]
    fn no_report_holds_a_ci_command_or_a_control_character(
        bytes in hostile_bytes(),
        byte in 0_u64..300,
        width in 0_usize..140,
        charset in prop::sample::select(vec![Charset::Unicode, Charset::Ascii]),
    ) {
        let style = Style { width, charset, color: Color::Never };
        for (judged, facts) in hostile_runs(&bytes, byte) {
            let report = Report::one(Evidence::new(&judged, facts));
            let report = render(&report, Format::Human, &style);
            prop_assert_eq!(obeys_ci_command(&report), None);
            assert_well_formed(&report);
            if charset == Charset::Ascii {
                prop_assert!(report.is_ascii());
            }
        }
    }

    #[test]
    fn no_line_with_server_text_stands_outside_a_gutter(bytes in hostile_bytes(), width in 0_usize..140) {
        let style = Style { width, ..Style::default() };
        for (judged, facts) in hostile_runs(&bytes, 0) {
            let report = human_in(&judged, facts, style);
            for line in report.lines() {
                let gutter = line.trim_start();
                let heading = ["error[", "advice[", "inconclusive[", "ok: "];
                let behind = ["|", "= ", "--> ", "2 |"].iter().any(|mark| gutter.starts_with(mark));
                prop_assert!(
                    line.is_empty() || behind || heading.iter().any(|word| line.starts_with(word)),
                    "{:?}", line
                );
            }
        }
    }
}
