//! The format `junit`: a test suite for each session, with the one test that it is.
//!
//! A violation is a failure, and what proved nothing is an error: neither is ever skipped.

use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

use super::{TOOL, named};
use crate::evidence::{Evidence, VerdictName};
use crate::human;
use crate::report::Report;
use crate::safe::SafeText;
use crate::story::{self, Story};
use crate::style::Style;

/// The name of the test.
const TEST: &str = "stdout carries only MCP messages";

/// Writes the report.
pub(crate) fn render(report: &Report) -> String {
    let mut out = quick_junit::Report::new(TOOL);
    for (name, evidence) in named(report) {
        out.add_test_suite(suite(name, evidence));
    }
    let mut text = out.to_string().expect("a String takes every write");
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn suite(name: &str, evidence: &Evidence) -> TestSuite {
    let outcome = story::outcome(evidence);
    let mut test = TestCase::new(TEST, status(evidence, &outcome));
    test.set_classname(format!("{TOOL}.{name}"));
    let advice: Vec<Story<'_>> = story::of(evidence).into_iter().skip(1).collect();
    if !advice.is_empty() {
        test.set_system_out(human::text(&advice, &Style::default()));
    }
    let stderr: Vec<&str> = evidence.stderr.excerpt.iter().map(SafeText::as_str).collect();
    if !stderr.is_empty() {
        test.set_system_err(stderr.join("\n"));
    }
    let mut suite = TestSuite::new(name);
    suite.add_property(Property::new("classification", evidence.classification.name()));
    if let Some(protocol) = evidence.protocol {
        suite.add_property(Property::new("protocol", protocol.name()));
    }
    suite.add_test_case(test);
    suite
}

fn status(evidence: &Evidence, outcome: &Story<'_>) -> TestCaseStatus {
    let kind = match evidence.verdict {
        VerdictName::ValidStdout => return TestCaseStatus::success(),
        VerdictName::Violation => NonSuccessKind::Failure,
        VerdictName::Inconclusive => NonSuccessKind::Error,
    };
    let mut status = TestCaseStatus::non_success(kind);
    let place = outcome.location.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
    status.set_type(outcome.id.unwrap_or(outcome.heading.word()));
    status.set_message(format!("{}{place}", outcome.title));
    status.set_description(human::text(std::slice::from_ref(outcome), &Style::default()));
    status
}
