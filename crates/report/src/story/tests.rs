//! What is said of a finding, in the cases in which it depends on what was seen.

use std::time::Duration;

use model::{
    DeadlineName, Detail, Event, EventKind, ExitStatus, Finding, Member, Outcome, PendingRequest,
    RawId, RuleId, Seq, Side, Signal,
};
use rstest::rstest;

use super::{Label, Story, count, of, seconds};
use crate::evidence::Evidence;
use crate::facts::{Place, PlaceKind, RunFacts, SoftwareFact, VersionFact};
use crate::redact::Edge;
use crate::samples::{advice, after_frames, in_frame, inconclusive, run, violation};
use crate::{Format, Style, Timeline, render};

fn facts(kinds: Vec<EventKind<'static>>) -> RunFacts {
    let events = kinds.into_iter().zip(0_u64..).map(|(kind, seq)| Event {
        seq: Seq(seq),
        at: Duration::from_millis(seq),
        kind,
    });
    RunFacts { timeline: Timeline::new(events), ..run() }
}

fn told(finding: Finding, kinds: Vec<EventKind<'static>>) -> Vec<(Label, String)> {
    let evidence = Evidence::new(&violation(finding), facts(kinds));
    items(&of(&evidence)[0])
}

fn items(story: &Story<'_>) -> Vec<(Label, String)> {
    story.items.iter().map(|item| (item.label, item.text.clone())).collect()
}

fn help(finding: Finding, kinds: Vec<EventKind<'static>>) -> String {
    let items = told(finding, kinds);
    items.into_iter().find(|(label, _)| *label == Label::Help).expect("there is help").1
}

fn exit(rule: RuleId, status: ExitStatus) -> Finding {
    after_frames(rule, Detail::Exit(status))
}

#[rstest]
fn a_program_that_ends_with_status_0_is_told_to_read_on(
    #[values(RuleId::ExitBeforeFrame, RuleId::ExitBeforeResponse)] rule: RuleId,
) {
    let text = help(exit(rule, ExitStatus::SUCCESS), Vec::new());
    for piece in ["ended by itself", "reading stdin until stdin is closed", "missing await"] {
        assert!(text.contains(piece), "{text}");
    }
    assert!(!text.contains("error") && !text.contains("crash"), "{text}");
}

#[rstest]
#[case(ExitStatus::Code(3), &["exit status 3", "uncaught error", "stderr"])]
#[case(ExitStatus::Signal(11), &["SIGSEGV", "crashed"])]
#[case(ExitStatus::Signal(64), &["signal 64"])]
fn a_program_that_fails_is_told_to_look_for_the_error(
    #[case] status: ExitStatus,
    #[case] pieces: &[&str],
    #[values(RuleId::ExitBeforeFrame, RuleId::ExitBeforeResponse, RuleId::ExitWhileIdle)]
    rule: RuleId,
) {
    let text = help(exit(rule, status), Vec::new());
    assert!(pieces.iter().all(|piece| text.contains(piece)), "{text}");
    assert!(!text.contains("await"), "{text}");
}

const STDIN_CLOSED: EventKind<'static> = EventKind::StdinClosed { by: Side::Client };
const REPLY_DEADLINE: EventKind<'static> = EventKind::Deadline(DeadlineName::Reply);

#[rstest]
#[case::by_itself(
    vec![EventKind::Exited(ExitStatus::Code(2))],
    "the server's process ended with exit status 2, by itself"
)]
#[case::crashed(
    vec![EventKind::Exited(ExitStatus::Signal(11))],
    "the server's process was killed by SIGSEGV, which the probe had not sent"
)]
#[case::asked(
    vec![STDIN_CLOSED, EventKind::Exited(ExitStatus::SUCCESS)],
    "the server's process ended with exit status 0 after the probe had closed stdin"
)]
#[case::killed(
    vec![
        REPLY_DEADLINE,
        STDIN_CLOSED,
        EventKind::Deadline(DeadlineName::ShutdownEof),
        EventKind::Signalled(Signal::Term),
        EventKind::Signalled(Signal::Cont),
        EventKind::Exited(ExitStatus::Signal(15)),
    ],
    "the server's process was still alive at the deadline; it was killed by SIGTERM after the \
     probe had sent SIGTERM"
)]
#[case::alive(
    vec![REPLY_DEADLINE],
    "the server's process was still alive at the deadline"
)]
fn the_state_of_the_process_is_told(
    #[case] kinds: Vec<EventKind<'static>>,
    #[case] sentence: &str,
) {
    let silence = after_frames(RuleId::NoResponse, Detail::None);
    let said = told(silence, kinds.clone());
    assert!(said.contains(&(Label::Note, sentence.to_owned())), "{said:?}");
    let stopped = Evidence::new(&inconclusive(model::Inconclusive::Interrupted), facts(kinds));
    let said = items(&of(&stopped)[0]);
    assert!(said.contains(&(Label::Note, sentence.to_owned())), "{said:?}");
}

#[test]
fn how_a_process_ended_is_told_once() {
    let status = ExitStatus::Code(7);
    let finding = exit(RuleId::ExitBeforeResponse, status);
    let said = told(finding, vec![EventKind::Exited(status)]);
    let about = said.iter().filter(|(label, text)| *label == Label::Note && text.contains('7'));
    assert_eq!(about.count(), 1, "{said:?}");
}

#[test]
fn silence_is_answered_by_the_method_that_was_asked() {
    let text = help(after_frames(RuleId::NoResponse, Detail::None), Vec::new());
    assert!(text.starts_with("answer every request: the handler of tools/list never"), "{text}");
    assert!(text.contains("-32601"), "{text}");
}

#[rstest]
#[case("\"31\"", "31", "send back 31, as a number, without quotes")]
#[case("3", "\"3\"", "send back \"3\", as a string, with quotes")]
fn a_changed_id_is_named_as_it_must_be(#[case] got: &str, #[case] sent: &str, #[case] text: &str) {
    let mut finding = in_frame(RuleId::IdChanged, b"{\"id\":1}", 6);
    finding.detail = Detail::Id { got: RawId::new(got), sent: Some(RawId::new(sent)) };
    let help = help(finding, Vec::new());
    assert!(help.starts_with(text), "{help}");
    assert!(help.contains(&format!("the reply has {got}")), "{help}");
}

#[test]
fn an_id_in_the_help_is_safe_to_print() {
    let mut finding = in_frame(RuleId::IdChanged, b"{}", 1);
    let hostile = RawId::new("\"\u{1b}[31m\n::error::\u{202e}\"");
    finding.detail = Detail::Id { got: RawId::new("1"), sent: Some(hostile.clone()) };
    finding.pending = Some(PendingRequest { id: hostile, method: "\u{1b}]0;x\u{7}".into() });
    let text = help(finding, Vec::new());
    assert!(!text.chars().any(|character| character.is_control() || character == '\u{202e}'));
}

#[test]
fn an_unknown_id_is_held_against_the_one_that_was_asked() {
    let mut finding = in_frame(RuleId::UnknownId, b"{\"id\":0}", 6);
    finding.detail = Detail::Id { got: RawId::new("0"), sent: None };
    let text = help(finding, Vec::new());
    assert!(text.contains("has the id \"list-3\", not 0"), "{text}");
}

#[test]
fn a_line_that_is_no_message_is_not_told_to_move_its_members() {
    let mut finding = in_frame(RuleId::JsonrpcVersion, b"{\"json_rpc\":\"2.0\"}", 18);
    finding.detail = Detail::Missing(Member::Jsonrpc);
    let mut judged = violation(finding);
    judged.advice.push(advice(RuleId::ExtraMember, 1));
    let text = |judged: &model::Verdict| {
        let evidence = Evidence::new(judged, run());
        of(&evidence)[1].first(Label::Help).expect("there is help").to_owned()
    };
    assert!(text(&judged).contains("see the error above"), "{}", text(&judged));
    judged.outcome = Outcome::ValidStdout;
    assert!(text(&judged).contains("_meta"), "{}", text(&judged));
}

#[test]
fn what_to_do_stands_before_the_specification_and_the_clients() {
    for rule in RuleId::ALL {
        let said = told(in_frame(*rule, b"{\"a\":1}", 0), Vec::new());
        let place = |wanted: &dyn Fn(&str) -> bool| {
            said.iter().position(|(_, text)| wanted(text)).expect("it is said")
        };
        let fix = said.iter().position(|(label, _)| *label == Label::Help).expect("help");
        assert!(fix < place(&|text| text.contains(rule.rule().spec.quote)), "{rule}");
        assert!(fix < place(&|text| text.starts_with("what clients do")), "{rule}");
    }
}

#[test]
fn the_revision_in_force_is_named() {
    let said = told(in_frame(RuleId::SchemaMismatch, b"{\"a\":1}", 5), Vec::new());
    let text: String = said.into_iter().map(|(_, text)| text + "\n").collect();
    assert!(text.contains("MCP schema of the revision 2025-11-25"), "{text}");
    assert!(!text.contains("negotiated revision"), "{text}");
}

#[test]
fn every_caret_has_its_words() {
    for rule in RuleId::ALL {
        let evidence = Evidence::new(&violation(in_frame(*rule, b"{\"a\":1}", 0)), run());
        let shown = of(&evidence)[0].snippet.as_ref().and_then(|snippet| snippet.label).is_some();
        // These are about the process: no frame shows them.
        let of_process = rule.rule().layer == model::Layer::Lifecycle
            && !matches!(
                rule,
                RuleId::UnknownId
                    | RuleId::IdChanged
                    | RuleId::DuplicateResponse
                    | RuleId::ReplyToNotification
                    | RuleId::CanaryOnStdout
                    | RuleId::WrongErrorCode
            );
        assert_eq!(shown, !of_process, "{rule}");
    }
}

#[rstest]
#[case::line(RuleId::InvalidJson, b"READY now \r", 0, "READY now")]
#[case::inside(RuleId::InvalidJson, b"{\"a\":NaN}", 5, "N")]
#[case::number(RuleId::NotAnObject, b"42", 0, "42")]
#[case::id(RuleId::IdChanged, b"{\"id\":\"31\"}", 6, "\"31\"")]
#[case::long(RuleId::EchoedInput, &[b'x'; 500], 0, &"x".repeat(118))]
#[case::bytes(RuleId::DecodeError, b"caf\xe9 au lait", 3, "\\xe9")]
fn the_whole_of_what_is_at_fault_is_marked(
    #[case] rule: RuleId,
    #[case] frame: &[u8],
    #[case] byte: u64,
    #[case] marked: &str,
) {
    let evidence = Evidence::new(&violation(in_frame(rule, frame, byte)), run());
    let excerpt = evidence.first_violation.unwrap().excerpt.unwrap();
    assert_eq!(&excerpt.text.as_str()[excerpt.caret.unwrap()], marked);
}

#[rstest]
#[case(0, "frame", "0 frames")]
#[case(1, "process", "1 process")]
#[case(2, "process", "2 processes")]
fn a_count_agrees_with_its_noun(#[case] number: u64, #[case] noun: &str, #[case] text: &str) {
    assert_eq!(count(number, noun), text);
}

#[rstest]
#[case(10_000, "10 s")]
#[case(500, "0.5 s")]
#[case(1_050, "1.05 s")]
fn a_budget_is_given_in_seconds(#[case] millis: u64, #[case] text: &str) {
    assert_eq!(seconds(millis), text);
}

fn with_versions(status: Option<ExitStatus>, output: &[u8]) -> RunFacts {
    RunFacts {
        secrets: vec![crate::samples::secret("KEY", "swordfish-1234")],
        software: Some(SoftwareFact {
            ecosystem: "npm",
            name: "demo".to_owned(),
            version: Some("1.2.3".to_owned()),
            manifest: "/home/u/demo/package.json".into(),
        }),
        version: Some(VersionFact {
            command: vec!["node".into(), "--version".into()],
            exit_status: status,
            output: output.to_vec(),
            cut: if status.is_some() { Edge::Whole } else { Edge::Cut },
        }),
        places: vec![Place { kind: PlaceKind::Path, text: b"/home/u".to_vec(), shown: "~" }],
        ..run()
    }
}

#[rstest]
#[case::one_line(Some(ExitStatus::SUCCESS), b"v22.1.0\n", "node --version said: v22.1.0")]
#[case::nothing(Some(ExitStatus::SUCCESS), b"", "node --version said nothing of a version")]
#[case::failed(
    Some(ExitStatus::Code(9)),
    b"bad option",
    "node --version ended with status 9 and said: bad option"
)]
#[case::secret(
    Some(ExitStatus::SUCCESS),
    b"key swordfish-1234",
    "node --version said: key [REDACTED:KEY]"
)]
#[case::cut(
    None,
    b"1 \x1b[31m swordfi",
    "node --version did not end by itself and said: 1 \\x1b[31m"
)]
fn the_versions_are_told_in_every_format_for_people(
    #[case] status: Option<ExitStatus>,
    #[case] output: &[u8],
    #[case] text: &str,
) {
    let evidence = Evidence::new(
        &crate::samples::verdict(Outcome::ValidStdout),
        with_versions(status, output),
    );
    let said = items(&of(&evidence)[0]);
    assert!(said.contains(&(Label::Note, text.to_owned())), "{said:?}");
    let package = "package demo 1.2.3 (npm), as ~/demo/package.json says";
    assert!(said.contains(&(Label::Note, package.to_owned())), "{said:?}");
    let json = serde_json::to_value(&evidence).expect("it is JSON");
    assert_eq!(json["software"]["manifest"], "~/demo/package.json");
    let report = evidence.into();
    for format in [Format::Human, Format::Html, Format::Markdown] {
        let text = render(&report, format, &Style::default()).replace("&#46;", ".");
        assert!(text.contains("demo 1.2.3"), "{format}: {text}");
        assert!(!text.contains("swordf"), "{format}: {text}");
    }
}
