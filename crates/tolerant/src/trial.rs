//! What every mutant says of a run.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use inspect::{Detector, Inspector, RuleSet};
use model::{Event, EventKind, RuleId};

use crate::answer::Answer;
use crate::blind::{Blind, blinds};
use crate::mutant::{DiesAs, Mutant, mutants};

/// A mutant of either kind.
#[derive(Clone, Copy, Debug)]
pub enum AnyMutant {
    /// One with a name.
    Named(&'static Mutant),
    /// One that does not know a rule.
    Blind(&'static Blind),
}

/// A run that detectors are given.
#[derive(Clone, Debug)]
pub struct Trial<'a> {
    /// The id of the case.
    pub case: &'a str,
    /// The rules by which it is judged.
    pub rules: RuleSet,
    /// What happens.
    pub events: Vec<Event<'a>>,
}

/// What everybody says of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The id of the case.
    pub case: String,
    /// What the true detector says.
    pub truth: Answer,
    /// What each mutant says, in the order of [`AnyMutant::all`].
    pub answers: Vec<Answer>,
}

impl AnyMutant {
    /// Every mutant: those with a name, then one for each rule.
    pub fn all() -> impl Iterator<Item = Self> {
        mutants().map(Self::Named).chain(blinds().map(Self::Blind))
    }

    /// The name.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Named(mutant) => mutant.name.to_owned(),
            Self::Blind(blind) => format!("blind({})", blind.rule),
        }
    }

    /// The id of the case that kills it.
    #[must_use]
    pub fn canonical_case(self) -> &'static str {
        match self {
            Self::Named(mutant) => mutant.canonical_case,
            Self::Blind(blind) => blind.canonical_case,
        }
    }

    /// The exact wrong answer that it gives there.
    #[must_use]
    pub fn dies_as(self) -> DiesAs {
        match self {
            Self::Named(mutant) => mutant.dies_as,
            Self::Blind(blind) => blind.dies_as,
        }
    }

    /// The rules that it may overlook.
    #[must_use]
    pub fn blinds(self) -> &'static [RuleId] {
        match self {
            Self::Named(mutant) => mutant.blinds,
            Self::Blind(blind) => std::slice::from_ref(&blind.rule),
        }
    }

    /// The mutant for one run.
    #[must_use]
    pub fn detector(self, rules: RuleSet) -> Box<dyn Detector> {
        match self {
            Self::Named(mutant) => mutant.detector(rules),
            Self::Blind(blind) => blind.detector(rules),
        }
    }
}

impl Trial<'_> {
    /// What everybody says.
    #[must_use]
    pub fn judge(&self) -> Judged {
        let rules = || self.rules.clone();
        Judged {
            case: self.case.to_owned(),
            truth: self.answer(Box::new(Inspector::new(rules()))),
            answers: AnyMutant::all().map(|mutant| self.answer(mutant.detector(rules()))).collect(),
        }
    }

    fn stdout_len(&self) -> usize {
        let len = |event: &Event<'_>| match &event.kind {
            EventKind::Stdout(bytes) => bytes.len(),
            _ => 0,
        };
        self.events.iter().map(len).sum()
    }

    fn answer(&self, mut detector: Box<dyn Detector>) -> Answer {
        for event in &self.events {
            detector.push(event);
        }
        Answer::of(&detector.finish())
    }
}

/// What everybody says of these trials, in their order. Trials are judged at the same time on
/// as many threads as there are processors.
#[must_use]
pub fn judge_all(trials: &[Trial<'_>]) -> Vec<Judged> {
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    // The longest first, so that no worker is left alone with them.
    let mut order: Vec<usize> = (0..trials.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(trials[*index].stdout_len()));
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(&index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((index, trials[index].judge()));
        }
        done
    };
    let mut judged: Vec<(usize, Judged)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no detector panics")).collect()
    });
    judged.sort_by_key(|(index, _)| *index);
    judged.into_iter().map(|(_, judged)| judged).collect()
}
