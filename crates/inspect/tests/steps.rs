//! What each event leads to while a session goes on, and what the verdict says of the whole.

use std::time::Duration;

use inspect::{Detector, Inspector, RuleSet, State, Step};
use model::{
    Cut, Detail, Event, EventKind, ExitStatus, KeepBody, Layer, MessageKind, NotChecked, Outcome,
    Phase, ProtocolVersion, RawId, RuleId, Sent, Seq, Side, Signal, Verdict,
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
