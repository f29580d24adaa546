//! The true detector with other rules, other events, or another verdict.

use inspect::{Detector, Inspector, RuleSet, Step};
use model::{Event, EventKind, ExitStatus, Finding, Outcome, Verdict};

/// The true detector with other rules.
pub(crate) fn with_rules(
    mut rules: RuleSet,
    change: impl FnOnce(&mut RuleSet),
) -> Box<dyn Detector> {
    change(&mut rules);
    Box::new(Inspector::new(rules))
}

/// What a mutant makes of an event.
pub(crate) enum Passed {
    /// The event is passed on.
    AsItIs,
    /// These are passed on in its place.
    Instead(Vec<EventKind<'static>>),
}

/// The true detector, to whom not every event is told as it was.
pub(crate) fn with_events(
    rules: RuleSet,
    pass: impl FnMut(&EventKind<'_>) -> Passed + 'static,
) -> Box<dyn Detector> {
    Box::new(Filtered { inner: Inspector::new(rules), pass })
}

struct Filtered<F> {
    inner: Inspector,
    pass: F,
}

impl<F: FnMut(&EventKind<'_>) -> Passed> Detector for Filtered<F> {
    fn push(&mut self, event: &Event<'_>) -> Step {
        match (self.pass)(&event.kind) {
            Passed::AsItIs => self.inner.push(event),
            Passed::Instead(kinds) => {
                let steps = kinds
                    .into_iter()
                    .map(|kind| self.inner.push(&Event { seq: event.seq, at: event.at, kind }));
                together(steps)
            }
        }
    }

    fn finish(self: Box<Self>) -> Verdict {
        Box::new(self.inner).finish()
    }
}

/// Several steps as one.
pub(crate) fn together(steps: impl IntoIterator<Item = Step>) -> Step {
    let mut all = Step { accepted: Vec::new(), state: inspect::State::Go };
    for step in steps {
        all.accepted.extend(step.accepted);
        all.state = step.state;
    }
    all
}

/// How the process ended.
pub(crate) type Exit = Option<ExitStatus>;

/// The true detector, of whose findings only some are kept.
pub(crate) fn with_findings(rules: RuleSet, keep: fn(&Finding, Exit) -> bool) -> Box<dyn Detector> {
    Box::new(Selective { inner: Inspector::new(rules), exit: None, keep })
}

struct Selective {
    inner: Inspector,
    exit: Exit,
    keep: fn(&Finding, Exit) -> bool,
}

impl Detector for Selective {
    fn push(&mut self, event: &Event<'_>) -> Step {
        if let EventKind::Exited(status) = event.kind {
            self.exit = Some(status);
        }
        self.inner.push(event)
    }

    fn finish(self: Box<Self>) -> Verdict {
        let mut verdict = Box::new(self.inner).finish();
        let keep = |finding: &Finding| (self.keep)(finding, self.exit);
        if let Outcome::Violation(finding) = &verdict.outcome
            && !keep(finding)
        {
            verdict.outcome = Outcome::ValidStdout;
        }
        verdict.advice.retain(|advice| keep(&advice.finding));
        verdict
    }
}
