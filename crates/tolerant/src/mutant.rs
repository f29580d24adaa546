//! What a mutant is: one row of the table.

use inspect::{Detector, RuleSet};
use model::{RuleId, TailEnd};

use crate::answer::{Answer, Conclusion};
use crate::{complacent, lenient, order, strict};

/// A detector made wrong on purpose.
#[derive(Clone, Copy, Debug)]
pub struct Mutant {
    /// The permanent name, kebab-case.
    pub name: &'static str,
    /// In which direction it is wrong.
    pub family: Family,
    /// Who is tempted to read like this, and why.
    pub temptation: &'static str,
    /// The rules that it may overlook.
    pub blinds: &'static [RuleId],
    /// The rules that it may see where nothing breaks them.
    pub cries: &'static [RuleId],
    /// The id of the case that kills it.
    pub canonical_case: &'static str,
    /// The exact wrong answer that it gives there.
    pub dies_as: DiesAs,
    /// The rule without which the true detector disagrees in the same cases, if there is one.
    pub like_blind: Option<RuleId>,
    pub(crate) make: fn(RuleSet) -> Box<dyn Detector>,
}

/// In which direction a mutant is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// It overlooks what it must find.
    Lenient,
    /// It finds what is not there.
    OverStrict,
    /// It finds something, but not what comes first.
    Order,
    /// It says that all is well where nothing was proven.
    Complacent,
}

/// A wrong answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiesAs {
    /// The outcome.
    pub outcome: Death,
    /// The rules of the advice beside it, in order.
    pub advice: &'static [RuleId],
}

/// The outcome of a wrong answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    /// `valid-stdout`.
    Valid,
    /// A violation in a frame.
    At {
        /// The rule.
        rule: RuleId,
        /// The frame, from 1.
        frame: u64,
        /// The byte in the frame, from 0.
        byte: u64,
    },
    /// A violation in a frame that this ended.
    Tail {
        /// The rule.
        rule: RuleId,
        /// The frame, from 1.
        frame: u64,
        /// The tail's length in bytes.
        bytes: u64,
        /// What ended it.
        end: TailEnd,
    },
    /// A violation that no frame shows.
    AfterFrames(RuleId),
    /// Inconclusive, for the reason of this name.
    Inconclusive(&'static str),
}

/// Every mutant that has a name, in the order of the families.
pub fn mutants() -> impl Iterator<Item = &'static Mutant> {
    lenient::MUTANTS
        .into_iter()
        .chain([strict::MUTANTS, order::MUTANTS, complacent::MUTANTS])
        .flatten()
}

impl Mutant {
    /// The mutant for one run.
    #[must_use]
    pub fn detector(&self, rules: RuleSet) -> Box<dyn Detector> {
        (self.make)(rules)
    }
}

impl DiesAs {
    /// `valid-stdout` without advice.
    pub const VALID: Self = Self { outcome: Death::Valid, advice: &[] };

    /// A violation in a frame.
    pub(crate) const fn at(rule: RuleId, frame: u64, byte: u64) -> Self {
        Self { outcome: Death::At { rule, frame, byte }, advice: &[] }
    }

    /// A violation that no frame shows.
    pub(crate) const fn after_frames(rule: RuleId) -> Self {
        Self { outcome: Death::AfterFrames(rule), advice: &[] }
    }

    /// Inconclusive.
    pub(crate) const fn inconclusive(reason: &'static str) -> Self {
        Self { outcome: Death::Inconclusive(reason), advice: &[] }
    }

    /// The same with advice of these rules.
    pub(crate) const fn with_advice(self, advice: &'static [RuleId]) -> Self {
        Self { advice, ..self }
    }

    /// Whether this is that answer.
    #[must_use]
    pub fn is(&self, answer: &Answer) -> bool {
        let advice = answer.advice.iter().map(|seen| &seen.rule);
        Death::of(answer) == self.outcome && advice.eq(self.advice)
    }
}

impl Death {
    /// The outcome of an answer.
    #[must_use]
    pub fn of(answer: &Answer) -> Self {
        match &answer.outcome {
            Conclusion::Valid => Self::Valid,
            Conclusion::Inconclusive(reason) => Self::Inconclusive(reason),
            Conclusion::Violation(seen) => {
                let rule = seen.rule;
                match (seen.position.frame(), seen.position.byte(), seen.tail) {
                    (Some(frame), Some(_), Some((end, bytes))) => {
                        Self::Tail { rule, frame: frame.0, bytes, end }
                    }
                    (Some(frame), Some(byte), None) => {
                        Self::At { rule, frame: frame.0, byte: byte.0 }
                    }
                    _ => Self::AfterFrames(rule),
                }
            }
        }
    }
}
