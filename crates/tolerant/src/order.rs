//! Mutants that find something, but not what comes first.

use inspect::{Detector, Inspector, RuleSet, Step};
use model::{Event, EventKind, Finding, FrameNo, Outcome, Position, RuleId, StreamOffset, Verdict};

use crate::mutant::{DiesAs, Family, Mutant};
use crate::read::{Session, by_layer};

const fn row(name: &'static str, temptation: &'static str) -> Mutant {
    Mutant {
        name,
        family: Family::Order,
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
        canonical_case: "inc-0016-script-runner-header",
        dies_as: DiesAs::at(RuleId::EmptyFrame, 4, 0),
        make: |rules| {
            watching(rules, |first, faults| {
                let later = faults.iter().filter(|fault| fault.frame > first.frame);
                later.max_by_key(|fault| (fault.frame, std::cmp::Reverse(fault.order()))).copied()
            })
        },
        ..row(
            "last-instead-of-first",
            "A variable that every finding overwrites holds the last one.",
        )
    },
    Mutant {
        canonical_case: "inc-0008-date-first-log-line",
        dies_as: DiesAs::at(RuleId::NotAnObject, 1, 0),
        make: |rules| {
            watching(rules, |first, faults| {
                let same = faults.iter().filter(|fault| fault.frame == first.frame);
                let best = same.max_by_key(|fault| fault.rule.rule().layer).copied();
                best.filter(|best| best.rule.rule().layer > first.rule.rule().layer)
            })
        },
        ..row(
            "layers-upside-down",
            "The message's shape is what the author cares for, so it is looked at first.",
        )
    },
    Mutant {
        canonical_case: "syn-0017-bad-utf-8-behind-bad-json",
        dies_as: DiesAs::at(RuleId::InvalidJson, 2, 0),
        make: |rules| {
            watching(rules, |first, faults| {
                let same = faults.iter().filter(|fault| fault.frame == first.frame);
                let best = same.min_by_key(|fault| fault.byte).copied();
                best.filter(|best| best.byte < first.byte)
            })
        },
        ..row("lowest-byte-first", "What comes first in the file must be what is wrong first.")
    },
    Mutant {
        canonical_case: "syn-0228-higher-layer-in-an-earlier-frame",
        dies_as: DiesAs::at(RuleId::DecodeError, 3, 0),
        make: |rules| {
            watching(rules, |first, faults| {
                let best = faults.iter().min_by_key(|fault| (fault.rule.rule().layer, fault.frame));
                best.copied().filter(|best| best.rule.rule().layer < first.rule.rule().layer)
            })
        },
        ..row(
            "per-layer-whole-stream",
            "Each check is a function over the whole output, called one after another.",
        )
    },
    Mutant {
        canonical_case: "inc-0038-content-length-reply",
        dies_as: DiesAs::at(RuleId::EmptyFrame, 2, 1),
        make: |rules| {
            watching(rules, |first, faults| {
                let best = faults.iter().min_by_key(|fault| (fault.rule, fault.frame)).copied();
                best.filter(|best| (best.rule, best.frame) < (first.rule, first.frame))
            })
        },
        ..row("sorted-by-rule", "Findings are collected in a map by rule, and the map is sorted.")
    },
];

/// A fault that a complete line shows by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fault {
    rule: RuleId,
    frame: u64,
    byte: u64,
    stream: u64,
}

impl Fault {
    fn order(&self) -> (model::Layer, u64, RuleId) {
        (self.rule.rule().layer, self.byte, self.rule)
    }

    fn of(finding: &Finding) -> Option<Self> {
        let (frame, byte) = (finding.position.frame()?, finding.position.byte()?);
        let stream = finding.position.stream();
        Some(Self { rule: finding.rule, frame: frame.0, byte: byte.0, stream: stream.0 })
    }
}

/// The true detector, whose violation another fault may replace. `choose` is given the violation
/// and the faults of every complete line, each layer by itself.
fn watching(rules: RuleSet, choose: fn(&Fault, &[Fault]) -> Option<Fault>) -> Box<dyn Detector> {
    let session = Session::new(&rules);
    let inner = Inspector::new(rules);
    Box::new(Watching {
        inner,
        session,
        choose,
        line: Vec::new(),
        frame: 1,
        start: 0,
        faults: Vec::new(),
    })
}

struct Watching {
    inner: Inspector,
    session: Session,
    choose: fn(&Fault, &[Fault]) -> Option<Fault>,
    line: Vec<u8>,
    frame: u64,
    start: u64,
    faults: Vec<Fault>,
}

impl Watching {
    fn stdout(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if self.line.pop_if(|byte| *byte == b'\n').is_some() {
                let faults = by_layer(&self.line, &self.session);
                let faults = faults.iter().filter_map(Fault::of).map(|fault| Fault {
                    frame: self.frame,
                    stream: self.start + fault.byte,
                    ..fault
                });
                self.faults.extend(faults);
                self.frame += 1;
                self.start += self.line.len() as u64 + 1;
                self.line.clear();
            }
        }
    }
}

impl Detector for Watching {
    fn push(&mut self, event: &Event<'_>) -> Step {
        self.session.hear(&event.kind);
        if let EventKind::Stdout(bytes) = &event.kind {
            self.stdout(bytes);
        }
        let step = self.inner.push(event);
        self.session.note(&step);
        step
    }

    fn finish(self: Box<Self>) -> Verdict {
        let mut verdict = Box::new(self.inner).finish();
        if let Outcome::Violation(finding) = &mut verdict.outcome
            && let Some(first) = Fault::of(finding)
            && let Some(fault) = (self.choose)(&first, &self.faults)
        {
            finding.rule = fault.rule;
            finding.detail = model::Detail::None;
            finding.position = Position::InFrame {
                frame: FrameNo(fault.frame),
                byte: model::FrameOffset(fault.byte),
                stream: StreamOffset(fault.stream),
            };
        }
        verdict
    }
}
