//! Each mutant gives exactly its declared wrong answer on its canonical case.

use std::collections::{BTreeMap, BTreeSet};

use corpus::{Expectation, Family as CaseFamily, Violation};
use tolerant::{AnyMutant, Conclusion, Death, Family, mutants};

use crate::trials::{TRIED, answers, tried};

#[test]
fn every_mutant_is_killed_by_its_case_as_its_row_declares() {
    let mut wrong = Vec::new();
    for (index, mutant) in AnyMutant::all().enumerate() {
        let name = mutant.name();
        let Some(tried) = tried(mutant.canonical_case()) else {
            wrong.push(format!("{name}: there is no case `{}`", mutant.canonical_case()));
            continue;
        };
        let answer = &tried.judged.answers[index];
        if !mutant.dies_as().is(answer) {
            let rules: Vec<_> = answer.advice.iter().map(|seen| seen.rule).collect();
            wrong.push(format!("{name}: dies as {:?} with advice {rules:?}", Death::of(answer)));
        }
        if *answer == tried.judged.truth {
            wrong.push(format!("{name}: agrees with the true detector"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The true detector stands for the oracle in these tests. It may.
#[test]
fn the_truth_is_what_a_person_says() {
    let mut wrong = Vec::new();
    for tried in TRIED.iter() {
        let truth = &tried.judged.truth;
        let agrees = match (tried.expected, &truth.outcome) {
            (
                Expectation::Violation(Violation { rule, frame, byte, .. }),
                Conclusion::Violation(seen),
            ) => {
                *rule == seen.rule.name()
                    && *frame == seen.position.frame().map(|frame| frame.0)
                    && *byte == seen.position.byte().map(|byte| byte.0)
            }
            (Expectation::Clean(_), Conclusion::Valid) => true,
            (Expectation::Stuck(stuck), Conclusion::Inconclusive(reason)) => {
                stuck.reason == *reason
            }
            _ => false,
        };
        let advice: Vec<&str> =
            tried.expected.advice().iter().map(|advice| advice.rule.as_str()).collect();
        let given: Vec<&str> = truth.advice.iter().map(|seen| seen.rule.name()).collect();
        if !agrees || advice != given {
            wrong.push(tried.case.file.id.as_str());
        }
    }
    assert!(wrong.is_empty(), "the true detector contradicts the oracle of {wrong:?}");
}

#[test]
fn what_does_not_know_a_rule_is_killed_by_more_than_recordings() {
    for mutant in AnyMutant::all().filter(|mutant| matches!(mutant, AnyMutant::Blind(_))) {
        let case = tried(mutant.canonical_case()).map(|tried| tried.case.family);
        assert_ne!(case.flatten(), None, "{}", mutant.name());
        assert_ne!(case.flatten(), Some(CaseFamily::Recordings), "{}", mutant.name());
    }
}

#[test]
fn over_strict_mutants_are_killed_by_what_is_clean() {
    for mutant in mutants().filter(|mutant| mutant.family == Family::OverStrict) {
        let clean = tried(mutant.canonical_case)
            .is_some_and(|tried| matches!(tried.expected, Expectation::Clean(_)));
        assert!(clean, "{}", mutant.name);
    }
}

/// Two mutants that disagree in the same cases are one mutant.
#[test]
fn no_two_mutants_disagree_in_the_same_cases() {
    let mut disagreements: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for tried in TRIED.iter() {
        for (mutant, answer) in answers(tried) {
            let cases = disagreements.entry(mutant.name()).or_default();
            if *answer != tried.judged.truth {
                cases.insert(&tried.case.file.id);
            }
        }
    }
    let mut wrong = Vec::new();
    for (number, mutant) in mutants().enumerate() {
        let own = &disagreements[mutant.name];
        for other in mutants().skip(number + 1) {
            if *own == disagreements[other.name] {
                wrong.push(format!("{} and {} are one mutant", mutant.name, other.name));
            }
        }
        let like = AnyMutant::all().find_map(|other| match other {
            AnyMutant::Blind(blind) if *own == disagreements[&other.name()] => Some(blind.rule),
            _ => None,
        });
        if like != mutant.like_blind {
            wrong.push(format!("{}: like blind {like:?}", mutant.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
