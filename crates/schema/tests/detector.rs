//! Layer 4 plugged into the detector: what it does not check it says, and where a fault is found
//! the finding names the value.

use std::time::Duration;

use inspect::{Detector, Inspector, RuleSet};
use model::{
    Detail, Event, EventKind, KeepBody, Layer, NotChecked, Outcome, Phase, RawId, RuleId, Sent,
    Seq, Side, Verdict,
};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"REVISION","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#;

fn initialize(revision: &str) -> String {
    INITIALIZE.replace("REVISION", revision)
}

fn with_schema(mut rules: RuleSet) -> RuleSet {
    rules.schema = Some(schema::mcp());
    rules
}

/// A session of initialize, tools/list and tools/call, whose replies are these lines.
fn session(rules: RuleSet, lines: &[&str]) -> Verdict {
    let request = |id, method: &str| {
        let method = method.into();
        let id = RawId::integer(id);
        EventKind::Sent(Sent::Request { id, method, params: None, keep_body: KeepBody::Drop })
    };
    let mut kinds = vec![request(1, "initialize")];
    let mut requests = [request(2, "tools/list"), request(3, "tools/call")].into_iter();
    for line in lines {
        kinds.push(EventKind::Stdout([line.as_bytes(), b"\n"].concat().into()));
        kinds.extend(requests.next());
    }
    judge(rules, kinds)
}

fn recording(rules: RuleSet, lines: &[&str]) -> Verdict {
    let lines =
        lines.iter().map(|line| EventKind::Stdout([line.as_bytes(), b"\n"].concat().into()));
    judge(rules, lines.collect())
}

fn judge(rules: RuleSet, mut kinds: Vec<EventKind<'_>>) -> Verdict {
    kinds.extend([
        EventKind::StepBegan(Phase::Shutdown),
        EventKind::StdinClosed { by: Side::Client },
        EventKind::StdoutEof,
    ]);
    let mut detector = Inspector::new(rules);
    for (kind, seq) in kinds.into_iter().zip(0..) {
        detector.push(&Event { seq: Seq(seq), at: Duration::ZERO, kind });
    }
    Box::new(detector).finish()
}

fn rules_of(verdict: &Verdict) -> Vec<RuleId> {
    let violated = match &verdict.outcome {
        Outcome::Violation(finding) => Some(finding.rule),
        _ => None,
    };
    verdict.advice.iter().map(|advice| advice.finding.rule).chain(violated).collect()
}

#[test]
fn the_finding_names_the_value() {
    let list = r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b","inputSchema":{"type":7}}]}}"#;
    let verdict = session(with_schema(RuleSet::default()), &[&initialize("2025-11-25"), list]);
    let Outcome::Violation(finding) = verdict.outcome else { panic!("{verdict:?}") };
    assert_eq!(finding.rule, RuleId::SchemaMismatch);
    let Detail::Value { pointer, reason } = &finding.detail else { panic!("{finding:?}") };
    assert_eq!(&**pointer, "/result/tools/1/inputSchema/type");
    assert_eq!(&**reason, "is not \"object\"");
    assert_eq!(finding.position.byte().map(|byte| byte.0), Some(list.find("7}}").unwrap() as u64));
}

#[test]
fn without_schemas_the_layer_is_not_judged_and_the_verdict_says_so() {
    let list = r#"{"jsonrpc":"2.0","id":2,"result":{}}"#;
    let verdict = session(RuleSet::default(), &[&initialize("2026-07-28"), list]);
    assert!(rules_of(&verdict).is_empty());
    assert!(verdict.not_checked.contains(&NotChecked::Schema));
    assert!(!verdict.layers_reached.contains(&Layer::Mcp));
    let verdict = session(with_schema(RuleSet::default()), &[&initialize("2025-11-25"), list]);
    assert_eq!(rules_of(&verdict), [RuleId::SchemaMismatch]);
    assert!(!verdict.not_checked.contains(&NotChecked::Schema));
}

#[test]
fn nothing_is_held_against_a_revision_that_nobody_knows() {
    let list = r#"{"jsonrpc":"2.0","id":2,"result":{"tools":7}}"#;
    let verdict = session(with_schema(RuleSet::default()), &[&initialize("2031-01-01"), list]);
    assert_eq!(rules_of(&verdict), [RuleId::VersionNegotiation]);
    assert!(verdict.not_checked.contains(&NotChecked::SchemaOfUnknownRevision));
}

#[test]
fn what_is_too_large_or_too_deep_is_not_checked_and_the_verdict_says_so() {
    let rules = || with_schema(RuleSet::default());
    let good = initialize("2025-11-25");
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":2,"result":{{"x":{}{}}}}}"#,
        "[".repeat(200),
        "]".repeat(200)
    );
    let verdict = session(rules(), &[&good, &deep]);
    assert_eq!(rules_of(&verdict), [RuleId::DeepNesting]);
    assert!(verdict.not_checked.contains(&NotChecked::SchemaOfDeepMessage));
    let large =
        format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"x":"{}"}}}}"#, "x".repeat(9 * 1024 * 1024));
    let verdict = session(rules(), &[&good, &large]);
    assert!(rules_of(&verdict).is_empty());
    assert!(verdict.not_checked.contains(&NotChecked::SchemaOfLargeMessage));
    let many =
        format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"x":[{}0]}}}}"#, "0,".repeat(200_000));
    let verdict = session(rules(), &[&good, &many]);
    assert!(rules_of(&verdict).is_empty());
    assert!(verdict.not_checked.contains(&NotChecked::SchemaOfLargeMessage));
}

#[test]
fn without_a_client_results_have_no_schema_but_the_first() {
    let rules = || with_schema(RuleSet::without_client());
    let list = r#"{"jsonrpc":"2.0","id":2,"result":{"tools":7}}"#;
    let verdict = recording(rules(), &[&initialize("2025-11-25"), list]);
    assert!(rules_of(&verdict).is_empty());
    assert!(verdict.not_checked.contains(&NotChecked::SchemaOfResults));
    let broken = initialize("2025-11-25").replace("\"name\":\"s\"", "\"name\":1");
    assert_eq!(rules_of(&recording(rules(), &[&broken])), [RuleId::SchemaMismatch]);
    let log = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
    assert_eq!(rules_of(&recording(rules(), &[log])), [RuleId::SchemaMismatch]);
}

#[test]
fn what_is_wrong_in_one_revision_alone_is_not_held_against_a_server_before_one_is_negotiated() {
    let rules = || with_schema(RuleSet::default());
    // Before 2025-11-25 `_meta` of a log message was open.
    let log = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1,"_meta":1}}"#;
    let lines = [log, &initialize("2025-06-18")];
    let list = r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}"#;
    assert!(rules_of(&session(rules(), &[&lines.join("\n"), list])).is_empty());
    let lines = [&initialize("2025-11-25"), log];
    let verdict = session(rules(), &[&lines.join("\n"), list]);
    assert_eq!(rules_of(&verdict), [RuleId::UndeclaredCapability, RuleId::SchemaMismatch]);
}
