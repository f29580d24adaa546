//! Each mutant is wrong only where its temptation is at work.

use tolerant::{AnyMutant, Conclusion, Family, mutants};

use crate::trials::{TRIED, answers};

#[test]
fn no_mutant_is_wrong_without_its_temptation() {
    let mut wrong = Vec::new();
    for tried in TRIED.iter() {
        for (mutant, answer) in answers(tried) {
            if let Some(reason) = mutant.broken(&tried.judged.truth, answer) {
                let (name, case) = (mutant.name(), &tried.case.file.id);
                let truth = &tried.judged.truth.outcome;
                wrong.push(format!(
                    "{name} on {case}: {reason}: {:?}, not {truth:?}",
                    answer.outcome
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What may be overlooked and what may be cried is what makes the families.
#[test]
fn families_are_wrong_in_their_own_direction() {
    for mutant in mutants() {
        let (blind, cries) = (!mutant.blinds.is_empty(), !mutant.cries.is_empty());
        let expected = match mutant.family {
            Family::Lenient => (true, false),
            Family::OverStrict => (false, true),
            Family::Order | Family::Complacent => (false, false),
        };
        assert_eq!((blind, cries), expected, "{}", mutant.name);
    }
}

/// What is clean without any advice leaves nothing to overlook.
#[test]
fn lenient_mutants_find_nothing_in_clean_cases() {
    for tried in TRIED.iter() {
        let truth = &tried.judged.truth;
        if truth.outcome != Conclusion::Valid || !truth.advice.is_empty() {
            continue;
        }
        for (mutant, answer) in answers(tried) {
            let strict =
                matches!(mutant, AnyMutant::Named(named) if named.family == Family::OverStrict);
            assert!(strict || answer == truth, "{} on {}", mutant.name(), tried.case.file.id);
        }
    }
}

#[test]
fn there_are_enough_mutants_and_each_says_why() {
    assert!(mutants().count() >= 35);
    for family in [Family::Lenient, Family::OverStrict, Family::Order, Family::Complacent] {
        assert!(mutants().any(|mutant| mutant.family == family));
    }
    let mut names: Vec<&str> = mutants().map(|mutant| mutant.name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    for mutant in mutants() {
        let kebab = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        assert!(mutant.name.bytes().all(kebab), "{}", mutant.name);
        assert!(
            mutant.temptation.ends_with('.') && mutant.temptation.len() > 20,
            "{}",
            mutant.name
        );
    }
}
