//! What a corruption promises: the finding that it must cause, and nothing else.

use std::ops::Range;

use model::{FrameNo, FrameOffset, Layer, Level, Position, RuleId, StreamOffset, TailEnd};

use crate::edit::{Edit, edited};
use crate::transcript::Transcript;

/// A finding that a detector must make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// The rule.
    pub rule: RuleId,
    /// Whether it fails the run.
    pub level: Level,
    /// Where it stands.
    pub position: Position,
    /// What ended the output inside the frame, where that is the finding.
    pub tail: Option<Tail>,
}

/// The end of an output that ended inside a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tail {
    /// What ended it.
    pub end: TailEnd,
    /// The tail's length in bytes.
    pub partial_bytes: u64,
}

/// Advice that a detector must give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromisedAdvice {
    /// The first finding of the rule.
    pub first: Promise,
    /// How many frames or events meet the rule.
    pub count: u64,
}

/// A transcript that one or more operators spoiled, and what must be found in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corrupted {
    /// The spoiled transcript.
    pub transcript: Transcript,
    /// The first violation; None where every operator is of advice level.
    pub violation: Option<Promise>,
    /// All advice beside it, in the order of findings.
    pub advice: Vec<PromisedAdvice>,
}

/// What an operator does at one place, and what it says must be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corruption {
    pub(crate) edit: Edit,
    /// The bytes of the untouched stream that the promise depends on.
    pub(crate) anchor: Range<usize>,
    /// The operator's own finding.
    pub(crate) own: Claim,
    /// What comes with it.
    pub(crate) beside: Vec<Claim>,
}

/// A finding, by its place in the stream that the corruption leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) rule: RuleId,
    pub(crate) level: Level,
    pub(crate) at: At,
}

/// Where a finding stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// At a byte of the stream, or at the end of the frame that ends there.
    Byte(usize),
    /// At the end of the stream, inside a frame that this ended.
    Tail(usize, TailEnd),
    /// After the last frame, the stream being so long.
    AfterFrames(usize),
}

impl Corruption {
    /// The rule of the operator's own finding.
    #[must_use]
    pub fn rule(&self) -> RuleId {
        self.own.rule
    }

    /// The transcript after this corruption.
    #[must_use]
    pub fn apply(&self, transcript: &Transcript) -> Corrupted {
        corrupt(transcript, &[self])
    }

    /// The transcript after this corruption and another of the same transcript. None where
    /// they touch one another, so that neither promise would hold any longer.
    #[must_use]
    pub fn apply_with(&self, other: &Self, transcript: &Transcript) -> Option<Corrupted> {
        let apart = self.anchor.end < other.anchor.start || other.anchor.end < self.anchor.start;
        let corrupted = apart.then(|| corrupt(transcript, &[self, other]))?;
        let meant = [self, other].iter().any(|one| one.rule() == RuleId::OversizedFrame);
        (meant || keeps_the_limit(&corrupted.transcript)).then_some(corrupted)
    }

    /// Whether no frame is larger afterwards than the run allows.
    pub(crate) fn keeps_the_limit(&self, transcript: &Transcript) -> bool {
        // A stream within the limit has no frame beyond it.
        let most = (transcript.stdout().len() + self.edit.inserted()) as u64;
        most <= transcript.terms().max_frame_bytes
            || keeps_the_limit(&edited(transcript, &[&self.edit]))
    }
}

fn keeps_the_limit(transcript: &Transcript) -> bool {
    let frames = transcript.stdout().split(|byte| *byte == b'\n');
    frames.map(|frame| frame.len() as u64).all(|len| len <= transcript.terms().max_frame_bytes)
}

fn corrupt(transcript: &Transcript, corruptions: &[&Corruption]) -> Corrupted {
    let edits: Vec<&Edit> = corruptions.iter().map(|corruption| &corruption.edit).collect();
    let transcript = edited(transcript, &edits);
    let mut promises = Vec::new();
    for (index, corruption) in corruptions.iter().enumerate() {
        let others = edits.iter().enumerate().filter(|(other, _)| *other != index);
        let others: Vec<&Edit> = others.map(|(_, edit)| *edit).collect();
        for claim in std::iter::once(&corruption.own).chain(&corruption.beside) {
            let at = claim.at.moved(&corruption.edit, &others);
            promises.push(promise(*claim, at, transcript.stdout()));
        }
    }
    promises.sort_by_key(order);
    let first = promises.iter().position(|promise| promise.level == Level::Must);
    let violation = first.map(|index| promises[index]);
    promises.truncate(first.unwrap_or(promises.len()));
    let mut advice: Vec<PromisedAdvice> = Vec::new();
    for promise in promises {
        match advice.iter_mut().find(|advice| advice.first.rule == promise.rule) {
            Some(advice) => advice.count += 1,
            None => advice.push(PromisedAdvice { first: promise, count: 1 }),
        }
    }
    Corrupted { transcript, violation, advice }
}

impl At {
    /// The place after the other edits as well.
    fn moved(self, own: &Edit, others: &[&Edit]) -> Self {
        let moved = |at: usize| {
            let origin = own.origin_of(at);
            at.saturating_add_signed(others.iter().map(|edit| edit.shift_at(origin)).sum())
        };
        match self {
            Self::Byte(at) => Self::Byte(moved(at)),
            Self::Tail(at, end) => Self::Tail(moved(at), end),
            Self::AfterFrames(at) => Self::AfterFrames(moved(at)),
        }
    }
}

/// Frames are what stands between two 0x0A, counted from 1; bytes count from 0.
fn promise(claim: Claim, at: At, stdout: &[u8]) -> Promise {
    let in_frame = |at: usize| {
        let before = &stdout[..at];
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let newlines = before.iter().filter(|byte| **byte == b'\n').count();
        Position::InFrame {
            frame: FrameNo(newlines as u64 + 1),
            byte: FrameOffset((at - start) as u64),
            stream: StreamOffset(at as u64),
        }
    };
    let (position, tail) = match at {
        At::Byte(at) => (in_frame(at), None),
        At::Tail(at, end) => (in_frame(at), Some(end)),
        At::AfterFrames(at) => (Position::AfterFrames { stream: StreamOffset(at as u64) }, None),
    };
    let tail = tail.zip(position.byte()).map(|(end, byte)| Tail { end, partial_bytes: byte.0 });
    Promise { rule: claim.rule, level: claim.level, position, tail }
}

/// By frame, layer, byte, then the catalogue. What no frame shows stands after the frames read.
fn order(promise: &Promise) -> (u64, u64, Layer, u64, RuleId) {
    let stream = promise.position.stream().0;
    let (start, framed) = match promise.position.byte() {
        Some(byte) => (stream - byte.0, 1),
        None => (stream, 0),
    };
    (start, framed, promise.rule.rule().layer, stream, promise.rule)
}
