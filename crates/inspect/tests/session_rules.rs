//! What a message may say in the session in which it stands: capabilities, progress, and text that
//! was lost.

use std::time::Duration;

use inspect::{Detector, Inspector, MessageSchema, RuleSet, SchemaAnswer, Subject};
use model::{
    Detail, Event, EventKind, Finding, KeepBody, Outcome, ProtocolVersion, RawId, RuleId, Sent,
    Seq, Verdict,
};
use rstest::rstest;

/// A schema to which every message conforms, so that only the session speaks.
#[derive(Debug)]
struct Anything;

impl MessageSchema for Anything {
    fn check(&self, _: ProtocolVersion, _: Subject<'_>, _: &[u8]) -> SchemaAnswer {
        SchemaAnswer::Conforms
    }
}

struct Session(Inspector);

impl Session {
    fn with(mut rules: RuleSet) -> Self {
        rules.schema = Some(&Anything);
        Self(Inspector::new(rules))
    }

    fn live() -> Self {
        Self::with(RuleSet::default())
    }

    /// A session whose client and server have offered this and that.
    fn begun(client: &str, server: &str) -> Self {
        let mut session = Self::live();
        session.request(31, "initialize", &format!(r#"{{"capabilities":{client}}}"#));
        session.line(&initialized(server));
        session
    }

    fn push(&mut self, kind: EventKind<'_>) {
        self.0.push(&Event { seq: Seq(0), at: Duration::ZERO, kind });
    }

    fn request(&mut self, id: i64, method: &str, params: &str) {
        let (id, method, params) = (RawId::integer(id), method.into(), Some(params.into()));
        let keep_body = KeepBody::Drop;
        self.push(EventKind::Sent(Sent::Request { id, method, params, keep_body }));
    }

    /// A tool call that brings this progress token.
    fn call(&mut self, id: i64, token: &str) {
        self.request(id, "tools/call", &format!(r#"{{"_meta":{{"progressToken":{token}}}}}"#));
    }

    fn line(&mut self, line: &str) {
        self.push(EventKind::Stdout(format!("{line}\n").into_bytes().into()));
    }

    fn verdict(self) -> Verdict {
        Box::new(self.0).finish()
    }

    /// What the session found.
    fn found(self) -> Vec<(RuleId, String)> {
        told(self.verdict())
    }

    fn rules(self) -> Vec<RuleId> {
        self.found().into_iter().map(|(rule, _)| rule).collect()
    }
}

/// The rule of each finding, and at which value of the message why.
fn told(verdict: Verdict) -> Vec<(RuleId, String)> {
    let mut findings: Vec<Finding> =
        verdict.advice.into_iter().map(|advice| advice.finding).collect();
    if let Outcome::Violation(finding) = verdict.outcome {
        findings.push(*finding);
    }
    let told = findings.into_iter().map(|finding| match finding.detail {
        Detail::Value { pointer, reason } => (finding.rule, format!("{pointer} {reason}")),
        detail => (finding.rule, format!("{detail:?}")),
    });
    told.collect()
}

fn initialized(capabilities: &str) -> String {
    let result = format!(r#"{{"protocolVersion":"2025-11-25","capabilities":{capabilities}}}"#);
    format!(r#"{{"jsonrpc":"2.0","id":31,"result":{result}}}"#)
}

fn request(method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":"s","method":"{method}"}}"#)
}

fn notification(method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#)
}

fn progress(token: &str, value: &str) -> String {
    let params = format!(r#"{{"progressToken":{token},"progress":{value}}}"#);
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}"#)
}

fn result(id: i64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
}

/// Each of these requests of a server is under a capability of the client's.
#[rstest]
#[case::sampling("sampling/createMessage", "sampling")]
#[case::elicitation("elicitation/create", "elicitation")]
#[case::roots("roots/list", "roots")]
#[case::task("tasks/get", "tasks")]
#[case::task_result("tasks/result", "tasks")]
#[case::end_of_a_task("tasks/cancel", "tasks")]
#[case::tasks("tasks/list", "tasks")]
fn a_request_needs_its_capability(#[case] method: &str, #[case] capability: &str) {
    let all = ["sampling", "elicitation", "roots", "tasks"];
    let offer = |names: &[&str]| {
        let members: Vec<_> = names.iter().map(|name| format!(r#""{name}":{{}}"#)).collect();
        format!("{{{}}}", members.join(","))
    };
    let others: Vec<_> = all.into_iter().filter(|name| *name != capability).collect();
    let mut session = Session::begun(&offer(&others), "{}");
    session.line(&request(method));
    let reason =
        format!("/method needs the client capability `{capability}`, which was not offered");
    assert_eq!(session.found(), [(RuleId::UndeclaredCapability, reason)]);

    let mut session = Session::begun(&offer(&[capability]), "{}");
    session.line(&request(method));
    assert_eq!(session.rules(), []);

    // What the client of a recording offered is not known.
    let mut recorded = Session::with(RuleSet::without_client());
    recorded.line(&initialized("{}"));
    recorded.line(&request(method));
    assert_eq!(recorded.rules(), []);
}

#[rstest]
#[case::tools("notifications/tools/list_changed", r#"{"tools":{"listChanged":true}}"#)]
#[case::prompts("notifications/prompts/list_changed", r#"{"prompts":{"listChanged":true}}"#)]
#[case::resources("notifications/resources/list_changed", r#"{"resources":{"listChanged":true}}"#)]
#[case::log("notifications/message", r#"{"logging":{}}"#)]
fn a_notification_needs_its_capability(#[case] method: &str, #[case] capability: &str) {
    let every = [
        r#""tools":{"listChanged":true}"#,
        r#""prompts":{"listChanged":true}"#,
        r#""resources":{"listChanged":true}"#,
        r#""logging":{}"#,
    ];
    let others: Vec<_> = every.into_iter().filter(|one| !capability.contains(one)).collect();
    assert_eq!(others.len(), 3);
    let others = format!("{{{}}}", others.join(","));
    let denied = capability.replace("true", "false").replace("{}", "null");
    for (announced, undeclared) in [(others.as_str(), true), (&denied, true), (capability, false)] {
        let expected = if undeclared { vec![RuleId::UndeclaredCapability] } else { Vec::new() };
        let mut session = Session::begun("{}", announced);
        session.line(&notification(method));
        assert_eq!(session.rules(), expected, "{announced}");

        let mut recorded = Session::with(RuleSet::without_client());
        recorded.line(&initialized(announced));
        recorded.line(&notification(method));
        assert_eq!(recorded.rules(), expected, "{announced}, in a recording");
    }
}

/// What tells of a list comes after the result that announces it, if there is to be one.
#[test]
fn a_list_cannot_change_before_it_was_announced() {
    let changed = notification("notifications/tools/list_changed");
    let mut early = Session::live();
    early.request(31, "initialize", "{}");
    early.line(&changed);
    let reason = "/method comes before the initialize result, which announces its capability";
    assert_eq!(early.found(), [(RuleId::UndeclaredCapability, reason.to_owned())]);

    let mut without_handshake = Session::live();
    without_handshake.line(&changed);
    assert_eq!(without_handshake.rules(), [], "no result is to announce it");
    let mut recorded = Session::with(RuleSet::without_client());
    recorded.line(&changed);
    recorded.line(&initialized(r#"{"tools":{"listChanged":true}}"#));
    assert_eq!(recorded.rules(), [], "a recording may begin anywhere");
    let mut updated = Session::live();
    updated.request(31, "initialize", "{}");
    updated.line(&notification("notifications/resources/updated"));
    assert_eq!(updated.rules(), [], "no capability of its own");
}

/// Of a result that is too large to be read nothing is known, so nothing can be missing from it.
#[test]
fn what_a_very_large_result_announces_is_not_known() {
    let mut session = Session::live();
    session.request(31, "initialize", "{}");
    let text = "x".repeat(9_000_000);
    session.line(&initialized(&format!(r#"{{"experimental":{{"text":"{text}"}}}}"#)));
    session.line(&notification("notifications/tools/list_changed"));
    session.line(&notification("notifications/message"));
    assert_eq!(session.rules(), []);
}

#[rstest]
#[case::string(r#""a""#, r#""\u0061""#)]
#[case::integer("7", "7")]
#[case::integral_float("7", "7.0")]
fn progress_is_matched_by_the_value_of_its_token(#[case] sent: &str, #[case] told: &str) {
    let mut session = Session::begun("{}", "{}");
    session.call(42, sent);
    session.line(&progress(told, "1"));
    session.line(&progress(told, "2"));
    session.line(&progress(told, "2"));
    let reason = "/params/progress is not more than the value before it";
    assert_eq!(session.found(), [(RuleId::ProgressOrder, reason.to_owned())]);
}

#[rstest]
#[case::another_string(r#""a""#, r#""b""#)]
#[case::another_type(r#""7""#, "7")]
#[case::a_fraction("7", "7.5")]
#[case::none_of_ours("null", "null")]
fn progress_of_another_token_is_of_no_request(#[case] sent: &str, #[case] told: &str) {
    let mut session = Session::begun("{}", "{}");
    session.call(42, sent);
    session.line(&progress(told, "1"));
    let reason = "/params/progressToken is the token of no request";
    assert_eq!(session.found(), [(RuleId::ProgressOrder, reason.to_owned())]);
}

/// Progress ends with the reply to its own request, and with no other.
#[test]
fn progress_ends_with_its_request() {
    let two_calls = || {
        let mut session = Session::begun("{}", "{}");
        session.call(42, "1");
        session.call(43, "2");
        session.line(&progress("1", "1"));
        session.line(&result(42));
        session.line(&progress("2", "1"));
        session
    };
    assert_eq!(two_calls().rules(), []);
    let mut session = two_calls();
    session.line(&progress("1", "2"));
    let reason = "/params/progressToken is the token of a request that has been answered";
    assert_eq!(session.found(), [(RuleId::ProgressOrder, reason.to_owned())]);

    let mut task = Session::begun("{}", "{}");
    task.request(42, "tools/call", r#"{"task":{},"_meta":{"progressToken":1}}"#);
    task.call(43, "2");
    task.line(&result(42));
    task.line(&progress("1", "1"));
    assert_eq!(task.rules(), [], "a task goes on after the reply");
}

/// A member of that name means something in progress notifications only.
#[test]
fn a_progress_token_elsewhere_is_nothing() {
    let params = r#"{"level":"info","data":1,"progressToken":9,"progress":1}"#;
    let line = format!(r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{params}}}"#);
    let mut session = Session::begun("{}", r#"{"logging":{}}"#);
    session.line(&line);
    assert_eq!(session.rules(), []);

    let mut recorded = Session::with(RuleSet::without_client());
    recorded.line(&progress("9", "1"));
    assert_eq!(recorded.rules(), [], "what the client of a recording asked is not known");
}

/// In 2026-07-28 `server/discover` announces, and nothing else.
#[test]
fn only_the_result_of_discover_announces_where_there_is_no_handshake() {
    let meta = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#;
    let announcement = r#"{"resultType":"complete","capabilities":{"logging":{}}}"#;
    let answered = |method: &str| {
        let mut session = Session::live();
        session.request(32, "server/discover", meta);
        session.line(r#"{"jsonrpc":"2.0","id":32,"result":{"resultType":"complete"}}"#);
        session.request(33, method, meta);
        session.line(&format!(r#"{{"jsonrpc":"2.0","id":33,"result":{announcement}}}"#));
        session.line(&notification("notifications/message"));
        session.rules()
    };
    assert_eq!(answered("server/discover"), []);
    assert_eq!(answered("tools/list"), [RuleId::UndeclaredCapability]);
}

#[rstest]
#[case::string(r#"{"resultType":"complete"}"#, None)]
#[case::missing("{}", Some("/result has no `resultType`"))]
#[case::null(r#"{"resultType":null}"#, Some("/result/resultType is no string"))]
#[case::number(r#"{"resultType":1}"#, Some("/result/resultType is no string"))]
fn a_result_of_2026_07_28_says_of_which_kind_it_is(
    #[case] result: &str,
    #[case] reason: Option<&str>,
) {
    let line = format!(r#"{{"jsonrpc":"2.0","id":42,"result":{result}}}"#);
    let meta = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#;
    let mut session = Session::live();
    session.request(42, "tools/list", meta);
    session.line(&line);
    let expected = reason.map(|reason| (RuleId::ResultKind, reason.to_owned()));
    assert_eq!(session.found(), expected.into_iter().collect::<Vec<_>>());

    let mut earlier = Session::begun("{}", "{}");
    earlier.request(42, "tools/list", "{}");
    earlier.line(&line);
    assert_eq!(earlier.rules(), [], "no revision with a handshake has it");
}

/// The position is that of the character, wherever the message stands in its line.
#[test]
fn a_replacement_character_is_found_in_the_result_that_brought_it() {
    let line =
        "  {\"jsonrpc\":\"2.0\",\"id\":42,\"x\":\"\u{FFFD}\",\"result\":{\"a\":\"b\u{FFFD}\"}}";
    let at = line.rfind('\u{FFFD}').expect("it is there") as u64;
    let judged = |params: &str| {
        let mut session = Session::begun("{}", "{}");
        session.request(42, "tools/call", params);
        session.line(line);
        let verdict = session.verdict();
        let found = verdict.advice.into_iter().map(|advice| advice.finding);
        let found = found.filter(|finding| finding.rule == RuleId::ReplacementCharacter);
        found.map(|finding| finding.position.byte().expect("in a frame").0).collect::<Vec<_>>()
    };
    assert_eq!(judged(r#"{"arguments":{"a":"b"}}"#), [at]);
    assert_eq!(judged(r#"{"arguments":{"a":"\ufffd"}}"#), [], "the client sent it");
}

/// What answers initialize must have it; what was never released may be newer than we are.
#[rstest]
#[case::oldest(r#""2024-11-05""#, None)]
#[case::newest(r#""2025-11-25""#, None)]
#[case::without_handshake(r#""2026-07-28""#, Some(("is a revision that has no initialize", true)))]
#[case::never_released(r#""2024-10-07""#, Some(("is no released revision", false)))]
#[case::no_string("20251125", None)]
fn initialize_is_answered_with_a_revision_that_has_it(
    #[case] revision: &str,
    #[case] expected: Option<(&str, bool)>,
) {
    let mut session = Session::live();
    session.request(31, "initialize", "{}");
    let result = format!(r#"{{"protocolVersion":{revision}}}"#);
    session.line(&format!(r#"{{"jsonrpc":"2.0","id":31,"result":{result}}}"#));
    let verdict = session.verdict();
    let violation = matches!(verdict.outcome, Outcome::Violation(_));
    assert_eq!(violation, expected.is_some_and(|(_, violation)| violation));
    let told = told(verdict);
    let expected = expected.map(|(reason, _)| {
        (RuleId::VersionNegotiation, format!("/result/protocolVersion {reason}"))
    });
    assert_eq!(told, expected.into_iter().collect::<Vec<_>>());
}
