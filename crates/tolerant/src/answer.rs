//! A verdict, as far as two detectors can agree about it.

use model::{Detail, Outcome, Position, RuleId, TailEnd, Verdict};

/// What a detector says of a run: the outcome and the advice. Phases, times and counts are left
/// out, as they do not tell one detector from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The outcome.
    pub outcome: Conclusion,
    /// The advice, in order.
    pub advice: Vec<Seen>,
}

/// An outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Nothing was wrong.
    Valid,
    /// The first violation.
    Violation(Seen),
    /// Nothing was proven, for the reason of this name.
    Inconclusive(&'static str),
}

/// A finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The rule.
    pub rule: RuleId,
    /// Where it was met.
    pub position: Position,
    /// What ended the output inside the frame, and the tail's length.
    pub tail: Option<(TailEnd, u64)>,
    /// How often it was met.
    pub count: u64,
}

impl Answer {
    /// What a verdict says.
    #[must_use]
    pub fn of(verdict: &Verdict) -> Self {
        let outcome = match &verdict.outcome {
            Outcome::ValidStdout => Conclusion::Valid,
            Outcome::Violation(finding) => Conclusion::Violation(Seen::of(finding, 1)),
            Outcome::Inconclusive(reason) => Conclusion::Inconclusive(reason.name()),
        };
        let advice = verdict.advice.iter();
        let advice = advice.map(|advice| Seen::of(&advice.finding, advice.count)).collect();
        Self { outcome, advice }
    }

    /// The first violation, if there is one.
    #[must_use]
    pub fn violation(&self) -> Option<&Seen> {
        match &self.outcome {
            Conclusion::Violation(seen) => Some(seen),
            Conclusion::Valid | Conclusion::Inconclusive(_) => None,
        }
    }

    /// The same without the advice of some rules.
    #[must_use]
    pub fn without(&self, rules: &[RuleId]) -> Self {
        let advice = self.advice.iter().filter(|seen| !rules.contains(&seen.rule));
        Self { advice: advice.copied().collect(), outcome: self.outcome.clone() }
    }
}

impl Seen {
    fn of(finding: &model::Finding, count: u64) -> Self {
        let tail = match finding.detail {
            Detail::Tail { end, partial_bytes } => Some((end, partial_bytes)),
            _ => None,
        };
        Self { rule: finding.rule, position: finding.position, tail, count }
    }

    /// The frame, what no frame shows standing after all of them.
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.position.frame().map_or(u64::MAX, |frame| frame.0)
    }
}
