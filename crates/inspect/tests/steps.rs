//! What each event leads to while a session goes on, and what the verdict says of the whole.

use std::time::Duration;

use inspect::{Detector, Inspector, RuleSet, Setting, State, Step};
use model::{
    ACKNOWLEDGED, Cut, DeadlineName, Detail, Event, EventKind, ExitStatus, Inconclusive, KeepBody,
    Layer, Member, MessageKind, NotChecked, Outcome, Phase, ProtocolVersion, RawId, RuleId, Sent,
    Seq, Side, Signal, UNKNOWN_METHOD, Verdict,
};

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":31,"result":{"protocolVersion":"2025-06-18"}}"#;

struct Session(Inspector);

impl Session {
    fn new() -> Self {
        Self(Inspector::new(RuleSet::default()))
    }

    fn push(&mut self, kind: EventKind<'_>) -> Step {
        self.0.push(&Event { seq: Seq(0), at: Duration::ZERO, kind })
    }

    fn request(&mut self, id: i64, method: &str, keep_body: KeepBody) -> Step {
        let (id, method) = (RawId::integer(id), method.into());
        self.push(EventKind::Sent(Sent::Request { id, method, params: None, keep_body }))
    }

    fn line(&mut self, line: &str) -> Step {
        self.push(EventKind::Stdout(format!("{line}\n").into_bytes().into()))
    }

    /// Ends in good order.
    fn end(mut self) -> Verdict {
        self.push(EventKind::StepBegan(Phase::Shutdown));
        self.push(EventKind::StdinClosed { by: Side::Client });
        self.push(EventKind::StdoutEof);
        self.push(EventKind::Exited(ExitStatus::SUCCESS));
        Box::new(self.0).finish()
    }
}

fn result(id: i64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
}

/// The rules of the advice, and how often each was met.
fn counts(verdict: &Verdict) -> Vec<(RuleId, u64)> {
    verdict.advice.iter().map(|advice| (advice.finding.rule, advice.count)).collect()
}

#[test]
fn the_session_goes_on_when_the_last_awaited_reply_is_accepted() {
    let mut session = Session::new();
    assert_eq!(session.request(31, "initialize", KeepBody::Drop).state, State::Go);
    let note = r#"{"jsonrpc":"2.0","method":"notifications/message"}"#;
    assert_eq!(session.line(note).state, State::Go);
    assert_eq!(session.line(INITIALIZED).state, State::Awaited);
    assert_eq!(session.line(note).state, State::Go, "nothing was awaited");
    session.request(42, "tools/call", KeepBody::Drop);
    session.request(43, "tools/call", KeepBody::Drop);
    assert_eq!(session.line(&result(43)).state, State::Go, "one is still awaited");
    assert_eq!(session.line(&result(42)).state, State::Awaited);
    assert_eq!(session.line("not a message").state, State::Final);
    assert_eq!(session.line(&result(44)).state, State::Final);
}

#[test]
fn a_body_is_handed_over_to_whom_asked_for_it() {
    let mut session = Session::new();
    session.request(31, "initialize", KeepBody::Keep);
    session.request(42, "tools/call", KeepBody::Drop);
    let step = session.line(&result(42));
    assert_eq!(step.accepted[0].body, None);
    let step = session.line(&format!("  {INITIALIZED} "));
    assert_eq!(step.accepted[0].body.as_deref(), Some(INITIALIZED.as_bytes()));
    assert_eq!(step.accepted[0].kind, MessageKind::Result);
}

#[test]
fn the_verdict_says_how_much_was_read_and_what_was_not_looked_at() {
    let mut session = Session::new();
    session.request(31, "initialize", KeepBody::Drop);
    session.line(INITIALIZED);
    let verdict = session.end();
    assert_eq!(verdict.outcome, Outcome::ValidStdout);
    let bytes = INITIALIZED.len() as u64 + 1;
    assert_eq!((verdict.frames, verdict.stdout_bytes, verdict.accepted), (1, bytes, 1));
    assert_eq!(verdict.not_checked, [NotChecked::Schema, NotChecked::ToolCalls]);
    assert_eq!(verdict.protocol, Some(ProtocolVersion::V2025_06_18));
    assert_eq!(verdict.cut_by_us, Cut::Not);
    let reached = [Layer::Framing, Layer::Json, Layer::JsonRpc, Layer::Lifecycle];
    assert_eq!(verdict.layers_reached, reached);
}

#[test]
fn a_tool_that_is_called_is_looked_at() {
    let mut session = Session::new();
    session.request(42, "tools/call", KeepBody::Drop);
    session.line(&result(42));
    assert_eq!(session.end().not_checked, [NotChecked::Schema]);
}

#[test]
fn a_line_that_is_no_json_reaches_no_higher_layer() {
    let mut session = Session::new();
    session.line("hello");
    let verdict = session.end();
    assert_eq!(verdict.layers_reached, [Layer::Framing, Layer::Json]);
    assert_eq!((verdict.frames, verdict.stdout_bytes, verdict.accepted), (1, 6, 0));
}

#[test]
fn a_signal_of_ours_cuts_the_stream() {
    let mut session = Session::new();
    session.push(EventKind::Signalled(Signal::Term));
    session.push(EventKind::Stdout(b"{\"half".as_slice().into()));
    let verdict = session.end();
    assert_eq!(verdict.cut_by_us, Cut::ByUs);
    assert!(!matches!(verdict.outcome, Outcome::Violation(_)), "{:?}", verdict.outcome);
}

#[test]
fn a_wrong_id_is_told_beside_the_one_that_was_sent() {
    for (line, rule, got, sent) in [
        (r#"{"jsonrpc":"2.0","id":"31","result":{}}"#, RuleId::IdChanged, r#""31""#, Some(31)),
        (r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, RuleId::UnknownId, "7", None),
    ] {
        let mut session = Session::new();
        session.request(31, "initialize", KeepBody::Drop);
        session.line(line);
        let Outcome::Violation(finding) = session.end().outcome else { panic!("{line} passes") };
        let detail = Detail::Id { got: RawId::new(got), sent: sent.map(RawId::integer) };
        assert_eq!((finding.rule, finding.detail), (rule, detail));
    }
}

/// A terminal in the way repeats what we wrote; a server may use the same words for its own.
#[test]
fn only_our_own_message_is_an_echo() {
    let rule_of = |line: &str| {
        let mut session = Session::new();
        let method = "notifications/initialized".into();
        session.push(EventKind::Sent(Sent::Notification { method }));
        session.request(31, "initialize", KeepBody::Drop);
        session.line(line);
        match session.end().outcome {
            Outcome::Violation(finding) => Some(finding.rule),
            _ => None,
        }
    };
    let echo = Some(RuleId::EchoedInput);
    assert_eq!(rule_of(r#"{"jsonrpc":"2.0","id":31,"method":"initialize"}"#), echo);
    assert_eq!(rule_of(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), echo);
    for other in [
        r#"{"jsonrpc":"2.0","id":31,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":32,"method":"initialize"}"#,
        r#"{"jsonrpc":"2.0","id":"31","method":"initialize"}"#,
        r#"{"jsonrpc":"2.0","id":31,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,
        r#"{"jsonrpc":"2.0","method":"initialize"}"#,
    ] {
        assert_eq!(rule_of(other), None, "{other}");
    }
}

/// Both sides may send some requests, and may number them alike.
#[test]
fn what_a_server_may_send_too_is_no_echo() {
    let mut session = Session::new();
    session.request(31, "ping", KeepBody::Drop);
    let step = session.line(r#"{"jsonrpc":"2.0","id":31,"method":"ping"}"#);
    assert_eq!((step.accepted.len(), step.state), (1, State::Go));
}

/// A session in which no reply came proves nothing of replies.
#[test]
fn without_any_message_a_session_that_asked_is_not_whole() {
    let mut asked = Session::new();
    asked.request(31, "initialize", KeepBody::Drop);
    assert_eq!(asked.end().outcome, Outcome::Inconclusive(Inconclusive::Incomplete));
    assert_eq!(Session::new().end().outcome, Outcome::ValidStdout, "nothing was asked");
    let mut answered = Session::new();
    answered.request(31, "initialize", KeepBody::Drop);
    answered.line(INITIALIZED);
    answered.request(42, "tools/call", KeepBody::Drop);
    assert_eq!(answered.end().outcome, Outcome::ValidStdout, "it may be lost at the end");
}

/// What the user allows is advice, and still no message that the session could go on with.
#[test]
fn what_is_allowed_does_not_become_a_message() {
    let canary = r#"{"jsonrpc":"2.0","id":31,"result":{"protocolVersion":"canary"}}"#;
    for (rule, line) in [
        (RuleId::CanaryOnStdout, canary),
        (RuleId::UnknownId, r#"{"jsonrpc":"2.0","id":7,"result":{}}"#),
        (RuleId::IdChanged, r#"{"jsonrpc":"2.0","id":"31","result":{}}"#),
    ] {
        let mut rules = RuleSet::default();
        rules.canary = Some(b"canary".as_slice().into());
        rules.set(rule, Setting::Allow);
        let mut session = Session(Inspector::new(rules));
        session.request(31, "initialize", KeepBody::Drop);
        let step = session.line(line);
        assert_eq!((step.accepted.as_slice(), step.state), (&[][..], State::Go), "{rule}");
        let verdict = session.end();
        assert_eq!(verdict.accepted, 0, "{rule}");
        let advice: Vec<RuleId> = verdict.advice.iter().map(|advice| advice.finding.rule).collect();
        assert!(advice.contains(&rule), "{rule}: {advice:?}");
    }
}

/// A rule that is switched off has no say in what is a message.
#[test]
fn what_a_blind_detector_does_not_see_is_a_message() {
    let mut rules = RuleSet::default();
    rules.canary = Some(b"canary".as_slice().into());
    rules.set(RuleId::CanaryOnStdout, Setting::Off);
    rules.set(RuleId::UnknownId, Setting::Off);
    let mut session = Session(Inspector::new(rules));
    let step = session.line(r#"{"jsonrpc":"2.0","id":7,"result":{"text":"canary"}}"#);
    assert_eq!(step.accepted.len(), 1);
}

#[test]
fn the_wrong_code_is_named_as_what_is_wrong() {
    for (code, wrong) in [("-32601", false), ("-32601.0", false), ("-32602", true)] {
        let mut session = Session::new();
        session.request(71, UNKNOWN_METHOD, KeepBody::Drop);
        let error = format!(r#"{{"code":{code},"message":"m"}}"#);
        session.line(&format!(r#"{{"jsonrpc":"2.0","id":71,"error":{error}}}"#));
        let verdict = session.end();
        let found: Vec<_> = verdict
            .advice
            .into_iter()
            .map(|advice| (advice.finding.rule, advice.finding.detail))
            .collect();
        let rule = (RuleId::WrongErrorCode, Detail::Wrong(Member::ErrorCode));
        assert_eq!(found, if wrong { vec![rule] } else { Vec::new() }, "{code}");
    }
}

/// The revision is settled once, by the first result that names one.
#[test]
fn later_replies_of_a_recording_change_no_revision() {
    let mut recording = Session(Inspector::new(RuleSet::without_client()));
    recording.line(r#"{"jsonrpc":"2.0","id":30,"error":{"code":-32603,"message":"m"}}"#);
    recording.line(INITIALIZED);
    recording.line(&result(32));
    recording.line(r#"{"jsonrpc":"2.0","id":33,"result":{"protocolVersion":"2025-03-26"}}"#);
    assert_eq!(recording.end().protocol, Some(ProtocolVersion::V2025_06_18));
}

/// A request that stays open is settled by its acknowledgement, and by nothing else.
#[test]
fn only_the_acknowledgement_of_a_subscription_is_awaited() {
    let acknowledged = format!(r#"{{"jsonrpc":"2.0","method":"{ACKNOWLEDGED}"}}"#);
    let other = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    let mut session = Session::new();
    assert_eq!(session.line(&acknowledged).state, State::Go, "nothing was asked");
    session.request(42, "tools/call", KeepBody::Drop);
    session.request(31, "subscriptions/listen", KeepBody::Drop);
    assert_eq!(session.line(other).state, State::Go);
    assert_eq!(session.line(&acknowledged).state, State::Go, "the call is awaited");
    assert_eq!(session.line(&result(42)).state, State::Awaited);
    assert_eq!(session.line(&acknowledged).state, State::Go, "it was settled before");
    session.request(32, "subscriptions/listen", KeepBody::Drop);
    session.request(43, "tools/call", KeepBody::Drop);
    assert_eq!(session.line(&result(43)).state, State::Go, "the acknowledgement is awaited");
    assert_eq!(session.line(other).state, State::Go);
    assert_eq!(session.line(&acknowledged).state, State::Awaited);
}

/// A reply that was waited for in vain is missing, whatever level the user gives to that.
#[test]
fn a_session_with_an_overdue_request_is_not_whole() {
    let overdue = || {
        let mut rules = RuleSet::default();
        rules.set(RuleId::NoResponse, Setting::Allow);
        let mut session = Session(Inspector::new(rules));
        session.request(31, "initialize", KeepBody::Drop);
        session.line(INITIALIZED);
        session.request(42, "tools/call", KeepBody::Drop);
        let step = session.push(EventKind::Deadline(DeadlineName::Reply));
        assert_eq!(step.state, State::Go);
        session
    };
    let verdict = overdue().end();
    assert_eq!(verdict.outcome, Outcome::Inconclusive(Inconclusive::Incomplete));
    assert_eq!(counts(&verdict), [(RuleId::NoResponse, 1)], "the end did not lose it");

    let mut late = overdue();
    late.line(&result(42));
    assert_eq!(late.end().outcome, Outcome::ValidStdout);
}

#[test]
fn each_reply_that_is_lost_at_the_end_counts() {
    let mut session = Session::new();
    session.request(31, "initialize", KeepBody::Drop);
    session.line(INITIALIZED);
    for id in [42, 43, 44] {
        session.request(id, "tools/call", KeepBody::Drop);
    }
    session.line(&result(43));
    assert_eq!(counts(&session.end()), [(RuleId::LostAtEof, 2)]);
}

/// What the client no longer waits for may still come, and need not.
#[test]
fn a_request_that_was_given_up_is_not_awaited() {
    let mut session = Session::new();
    for id in [41, 42, 43] {
        session.request(id, "tools/call", KeepBody::Drop);
    }
    session.line(&result(41));
    session.push(EventKind::GaveUp);
    session.push(EventKind::Deadline(DeadlineName::Reply));
    assert_eq!(session.line(&result(43)).accepted.len(), 1);
    let verdict = session.end();
    assert_eq!((&verdict.outcome, counts(&verdict)), (&Outcome::ValidStdout, Vec::new()));
}
