//! Mutants that say that all is well where nothing was proven.

use inspect::{Detector, Inspector, RuleSet, Step};
use model::{Event, Inconclusive, Outcome, RuleId, Untested, Verdict};

use crate::mutant::{DiesAs, Family, Mutant};

const fn row(name: &'static str, temptation: &'static str) -> Mutant {
    Mutant {
        name,
        family: Family::Complacent,
        temptation,
        blinds: &[],
        cries: &[],
        canonical_case: "",
        dies_as: DiesAs::VALID,
        like_blind: None,
        make: |rules| Box::new(Inspector::new(rules)),
    }
}

pub(crate) const MUTANTS: &[Mutant] = &[
    Mutant {
        canonical_case: "syn-0225-empty-recording",
        make: |rules| content_with(rules, |reason| *reason == Inconclusive::NothingToJudge),
        ..row("nothing-is-green", "A loop over no messages finds no fault.")
    },
    Mutant {
        canonical_case: "syn-0219-total-timeout",
        make: |rules| content_with(rules, |reason| *reason == Inconclusive::TotalTimeout),
        ..row("spent-budget-is-green", "A slow runner must not make the build fail.")
    },
    Mutant {
        canonical_case: "syn-0252-cap-inside-a-frame",
        make: |rules| content_with(rules, |reason| *reason == Inconclusive::StdoutCap),
        ..row("capped-is-green", "So much good output is proof enough.")
    },
    Mutant {
        canonical_case: "syn-0222-initialize-refused",
        make: |rules| content_with(rules, |reason| *reason == Inconclusive::NotInitialized),
        ..row("refusal-is-green", "The refusal was a valid message, so the server is valid.")
    },
    Mutant {
        canonical_case: "syn-0253-stopped-by-the-user",
        make: |rules| content_with(rules, |reason| *reason == Inconclusive::Interrupted),
        ..row("stopped-is-green", "Whoever stops a run has seen enough of it.")
    },
    Mutant {
        canonical_case: "syn-0248-record-of-a-session-breaks-off",
        make: |rules| content_with(rules, |reason| *reason == Inconclusive::Incomplete),
        ..row("unfinished-is-green", "No fault was found in what there was of the session.")
    },
    Mutant {
        canonical_case: "syn-0254-tool-is-not-listed",
        make: |rules| {
            content_with(rules, |reason| {
                matches!(reason, Inconclusive::Untested(Untested::ToolNotListed { .. }))
            })
        },
        ..row(
            "skipped-call-is-green",
            "A test that cannot run is skipped, and a skip is no failure.",
        )
    },
    Mutant {
        canonical_case: "syn-0255-list-has-too-many-pages",
        make: |rules| {
            content_with(rules, |reason| {
                matches!(reason, Inconclusive::Untested(Untested::ListNotFinished { .. }))
            })
        },
        ..row("first-pages-are-enough", "The pages that were read stand for the rest.")
    },
    Mutant {
        canonical_case: "syn-0256-reply-cannot-be-read",
        dies_as: DiesAs::VALID.with_advice(&[RuleId::DeepNesting]),
        make: |rules| {
            content_with(rules, |reason| {
                matches!(reason, Inconclusive::Untested(Untested::ReplyNotReadable { .. }))
            })
        },
        ..row("unreadable-is-green", "What the client cannot use it can also do without.")
    },
];

/// The true detector, who takes some reasons why nothing was proven for good news.
fn content_with(rules: RuleSet, content: fn(&Inconclusive) -> bool) -> Box<dyn Detector> {
    Box::new(Content { inner: Inspector::new(rules), content })
}

struct Content {
    inner: Inspector,
    content: fn(&Inconclusive) -> bool,
}

impl Detector for Content {
    fn push(&mut self, event: &Event<'_>) -> Step {
        self.inner.push(event)
    }

    fn finish(self: Box<Self>) -> Verdict {
        let mut verdict = Box::new(self.inner).finish();
        if let Outcome::Inconclusive(reason) = &verdict.outcome
            && (self.content)(reason)
        {
            verdict.outcome = Outcome::ValidStdout;
        }
        verdict
    }
}
