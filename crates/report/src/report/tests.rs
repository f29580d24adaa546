//! Tests of `report`.

use model::{Inconclusive, Outcome, RuleId};
use serde_json::Value;

use super::{Report, Rows, SessionEvidence};
use crate::samples::{advice, in_frame, inconclusive, run, verdict, violation};
use crate::{Evidence, Format, Style, render};

fn valid() -> Evidence {
    Evidence::new(&verdict(Outcome::ValidStdout), run())
}

fn banner() -> Evidence {
    Evidence::new(&violation(in_frame(RuleId::InvalidJson, b"READY", 0)), run())
}

fn stopped() -> Evidence {
    Evidence::new(&inconclusive(Inconclusive::Interrupted), run())
}

fn several(rows: Rows, sessions: &[(&str, Evidence)]) -> Report {
    let sessions =
        sessions.iter().map(|(name, evidence)| SessionEvidence::new(name, evidence.clone()));
    Report::several(rows, sessions.collect()).expect("there are sessions")
}

fn json(report: &Report) -> Value {
    serde_json::from_str(&render(report, Format::Json, &Style::default())).unwrap()
}

#[test]
fn no_session_is_no_report() {
    assert_eq!(Report::several(Rows::Servers, Vec::new()), None);
}

#[test]
fn one_session_without_a_name_is_its_evidence_alone() {
    let report = json(&Report::one(banner()));
    let members = report.as_object().unwrap();
    assert!(!members.contains_key("sessions") && !members.contains_key("rows"));
    assert_eq!(report["classification"], "invalid-json");
}

#[test]
fn the_first_violation_leads_then_what_proved_nothing() {
    let leading = |sessions: &[(&str, Evidence)]| {
        json(&several(Rows::Servers, sessions))["leading_session"].clone()
    };
    let [a, b, c] = [("a", valid()), ("b", stopped()), ("c", banner())];
    assert_eq!(leading(&[a.clone(), b.clone(), c.clone(), ("d", banner())]), "c");
    assert_eq!(leading(&[a.clone(), b, ("e", stopped())]), "b");
    assert_eq!(leading(&[a, ("f", valid())]), "a");
}

#[test]
fn each_session_has_the_shape_of_the_whole() {
    let report = json(&several(Rows::Sessions, &[("plain", valid()), ("warm", banner())]));
    assert_eq!(report["classification"], "invalid-json");
    assert_eq!(report["first_violation"]["frame"], 2);
    assert_eq!(report["rows"], "sessions");
    let alone = json(&Report::one(valid()));
    for (member, value) in alone.as_object().unwrap() {
        assert_eq!(&report["sessions"][0][member], value, "{member}");
        assert!(report.as_object().unwrap().contains_key(member));
    }
    assert_eq!(report["sessions"][1]["name"], "warm");
}

#[test]
fn sessions_are_compared_with_the_plain_one_and_servers_are_not() {
    let mut denied = verdict(Outcome::ValidStdout);
    denied.advice.push(advice(RuleId::CarriageReturn, 1));
    let denied = Evidence::new(&denied, run());
    let rows = [("plain", valid()), ("same", valid()), ("crlf", denied), ("warm", banner())];
    let report = json(&several(Rows::Sessions, &rows));
    let differs = |row: usize| report["sessions"][row]["differs_from_plain"].clone();
    assert_eq!(differs(0), Value::Null);
    assert_eq!(differs(1), serde_json::json!([]));
    assert_eq!(
        differs(2),
        serde_json::json!([{"what": "advice", "plain": "none", "here": "carriage-return"}])
    );
    assert_eq!(
        differs(3),
        serde_json::json!([
            {"what": "classification", "plain": "valid-stdout", "here": "invalid-json"},
            {"what": "position", "plain": "none", "here": "frame 2, byte 0"},
        ])
    );
    let servers = json(&several(Rows::Servers, &rows));
    assert!(
        servers["sessions"]
            .as_array()
            .unwrap()
            .iter()
            .all(|server| server["differs_from_plain"] == Value::Null)
    );
}

#[test]
fn a_person_sees_a_row_for_each_and_then_the_first_violation() {
    let report =
        several(Rows::Sessions, &[("plain", valid()), ("warm", banner()), ("c", stopped())]);
    let text = render(&report, Format::Human, &Style::default());
    assert!(
        text.starts_with(
            "error: 3 sessions, 1 with a violation, 1 that proved nothing\n  \
             |       plain  ok, 1 message\n  \
             |       warm   error[invalid-json] frame 2, byte 0\n  \
             |       c      inconclusive[interrupted]\n\n\
             error[invalid-json]: a line on stdout is not JSON\n \
             --> stdout frame 2 (the 2nd line), byte 0 (byte 159 of the stream), counted from 0, phase\n  \
             |   discovery, 212 ms, session warm\n"
        ),
        "{text}"
    );
}

#[test]
fn a_name_is_made_safe() {
    let report = several(Rows::Servers, &[("::error::x\n\u{202e}", valid())]);
    let text = render(&report, Format::Human, &Style::default());
    assert!(text.contains("\\x3a:error::x\\n\\u{202e}"), "{text}");
}
