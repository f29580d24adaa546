//! What an operator is, and where it may act.

use model::{Level, RuleId};

use crate::operators;
use crate::promise::Corruption;
use crate::view::View;

/// A named corruption of a clean transcript, which knows the finding it must cause.
#[derive(Debug)]
pub struct Operator {
    /// The permanent name, kebab-case.
    pub name: &'static str,
    /// One sentence: what it does.
    pub does: &'static str,
    /// Whether what it causes fails a run.
    pub level: Level,
    pub(crate) plan: fn(&View<'_>, Place) -> Option<Corruption>,
}

/// Where an operator acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The frame, counted from 0. The number of frames stands for the end of the run.
    pub frame: usize,
    /// Which of the ways in which the operator can act there, counted from 0. Counting goes
    /// round: every number is one of them.
    pub spot: usize,
}

impl Operator {
    /// Every operator.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        operators::ALL.into_iter().flatten()
    }

    /// What the operator does at a place; None where it does not apply.
    #[must_use]
    pub fn at(&self, view: &View<'_>, place: Place) -> Option<Corruption> {
        let corruption = (self.plan)(view, place)?;
        // A frame beyond the limit is another finding than the one that is promised.
        let meant = corruption.rule() == RuleId::OversizedFrame;
        (meant || corruption.keeps_the_limit(view.transcript())).then_some(corruption)
    }

    /// What the operator does at the first place from `place` on, going round, where it applies.
    /// None if it applies nowhere.
    #[must_use]
    pub fn near(&self, view: &View<'_>, place: Place) -> Option<Corruption> {
        let places = view.frames() + 1;
        (0..places)
            .map(|step| (place.frame % places + step) % places)
            .find_map(|frame| self.at(view, Place { frame, ..place }))
    }
}

impl Place {
    /// The one of `choices` that the spot stands for.
    pub(crate) fn choose<T: Clone>(self, choices: &[T]) -> Option<T> {
        choices.get(self.spot % choices.len().max(1)).cloned()
    }
}

/// The row of an operator that fails a run.
pub(crate) const fn must(
    name: &'static str,
    does: &'static str,
    plan: fn(&View<'_>, Place) -> Option<Corruption>,
) -> Operator {
    Operator { name, does, level: Level::Must, plan }
}

/// The row of an operator that leads to advice.
pub(crate) const fn advice(
    name: &'static str,
    does: &'static str,
    plan: fn(&View<'_>, Place) -> Option<Corruption>,
) -> Operator {
    Operator { level: Level::Advice, ..must(name, does, plan) }
}

/// A way to spoil text: what is written, and the rule and the byte of it that is proof.
pub(crate) type Sample = (&'static [u8], RuleId, usize);
