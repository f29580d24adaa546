//! Where a mutant may be wrong: only where its temptation is at work.

use std::fmt;

use crate::answer::{Answer, Conclusion};
use crate::mutant::Family;
use crate::trial::AnyMutant;

/// How a mutant is wrong in a way that its row does not excuse: it is not tempted, it is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Broken {
    /// It overlooks what it is not blind to.
    Overlooks,
    /// It cries what it does not look for.
    Cries,
    /// It cries behind the first violation.
    CriesTooLate,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overlooks => "it overlooks what it is not blind to",
            Self::Cries => "it cries what it does not look for",
            Self::CriesTooLate => "it cries too late",
        })
    }
}

impl AnyMutant {
    /// Why an answer is wrong in a way that the mutant has no excuse for; None if it has one, or
    /// agrees.
    ///
    /// It may overlook the rules that it is blind to: where the first violation is one of them,
    /// anything may follow, and their advice may be gone. It may cry the rules that it sees too
    /// much of, in no later frame than that of the first violation. An order mutant may name
    /// another violation where there is one, and a complacent one may be content where nothing
    /// was proven.
    #[must_use]
    pub fn broken(self, truth: &Answer, answer: &Answer) -> Option<Broken> {
        let (family, cries) = match self {
            Self::Named(mutant) => (mutant.family, mutant.cries),
            Self::Blind(_) => (Family::Lenient, &[][..]),
        };
        let blinds = self.blinds();
        if truth.violation().is_some_and(|seen| blinds.contains(&seen.rule))
            || truth.without(blinds) == answer.without(blinds)
        {
            return None;
        }
        match (truth.violation(), answer.violation()) {
            (Some(_), Some(_)) if family == Family::Order => None,
            (None, None) if family == Family::Complacent && is_content(truth, answer) => None,
            (_, None) => Some(Broken::Overlooks),
            (_, Some(cry)) if !cries.contains(&cry.rule) => Some(Broken::Cries),
            (Some(first), Some(cry)) if cry.frame() > first.frame() => Some(Broken::CriesTooLate),
            (_, Some(_)) => None,
        }
    }
}

fn is_content(truth: &Answer, answer: &Answer) -> bool {
    matches!(truth.outcome, Conclusion::Inconclusive(_))
        && answer.outcome == Conclusion::Valid
        && answer.advice == truth.advice
}
