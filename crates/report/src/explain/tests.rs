//! Tests of `explain`.

use model::RuleId;

use super::cause::Cause;
use super::{clients, explain, languages};
use crate::Style;

#[test]
fn every_cause_has_advice_for_every_language_and_a_rule() {
    for cause in Cause::ALL {
        let advice: Vec<_> = languages::of(cause).collect();
        assert_eq!(advice.len(), languages::LANGUAGES.len());
        for (language, advice) in advice {
            assert!(
                advice.how.ends_with('.') && advice.mend.ends_with('.'),
                "{language} {cause:?}"
            );
        }
        // Those of layer 4 come with its rules.
        let of_rule = RuleId::ALL.iter().any(|rule| Cause::of(*rule) == cause);
        assert!(of_rule || cause == Cause::Schema, "{cause:?}");
    }
}

#[test]
fn a_rule_is_explained_for_every_language_and_client() {
    let text = explain(RuleId::InvalidJson, &Style::default());
    for piece in languages::LANGUAGES.iter().chain(&clients::CLIENTS) {
        assert!(text.contains(piece), "{piece} is missing in {text}");
    }
    assert!(text.contains("Go SDK 1.7.0 (read): the connection dies"), "{text}");
}

#[test]
fn what_was_tried_is_told_of_the_rule_that_it_breaks() {
    let tried = RuleId::ALL.iter().filter(|rule| clients::row(**rule).is_some()).count();
    assert_eq!(tried, 16);
    assert!(clients::row(RuleId::NoResponse).is_none());
}
