//! The true detector behind a reader that hands on other lines than it was given.

mod session;

use std::borrow::Cow;

use inspect::{Accepted, Correlation, Detector, Inspector, RuleSet, Setting, State, Step};
use model::{
    DeadlineName, Event, EventKind, Finding, Held, Layer, Outcome, ProtocolVersion, RuleId,
    TailEnd, Verdict,
};

pub(crate) use session::{Session, Stdin, same};

use crate::wrap::together;

/// How often a reader may change what it made of one line.
const MOST_CHANGES: usize = 64;

/// A complete line of stdout.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    /// Its bytes, without 0x0A.
    pub(crate) bytes: &'a [u8],
    /// The first violation that the line shows by itself.
    pub(crate) fault: Option<Finding>,
    /// Its messages, if it shows none.
    pub(crate) messages: Vec<Accepted>,
    /// Whether more lines came in the same read.
    pub(crate) rank: Rank,
}

/// The place of a line among those that came in one read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rank {
    Last,
    Earlier,
}

/// What a reader hands on for a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Instead {
    /// The line.
    Itself,
    /// These lines, each of which it is asked about again.
    Lines(Vec<Vec<u8>>),
}

impl Instead {
    /// Nothing is handed on.
    pub(crate) const NOTHING: Self = Self::Lines(Vec::new());

    /// Another line.
    pub(crate) fn line(bytes: Vec<u8>) -> Self {
        Self::Lines(vec![bytes])
    }
}

/// Something that reads lines in its own way.
pub(crate) trait Reader {
    /// What stands for a complete line.
    fn line(&mut self, line: &Line<'_>, session: &Session) -> Instead;

    /// What stands for bytes that no newline ended.
    fn tail(&mut self, tail: Vec<u8>, _: TailEnd) -> Vec<u8> {
        tail
    }
}

/// The true detector behind a reader that changes lines at fault, and only those.
pub(crate) fn mend(
    rules: RuleSet,
    mend: impl FnMut(&Line<'_>, &Finding, &Session) -> Instead + 'static,
) -> Box<dyn Detector> {
    reading(rules, Mend(mend))
}

struct Mend<F>(F);

impl<F: FnMut(&Line<'_>, &Finding, &Session) -> Instead> Reader for Mend<F> {
    fn line(&mut self, line: &Line<'_>, session: &Session) -> Instead {
        line.fault.as_ref().map_or(Instead::Itself, |fault| (self.0)(line, fault, session))
    }
}

/// The true detector behind a reader that changes lines which are in order by themselves, and
/// only those.
pub(crate) fn misread(
    rules: RuleSet,
    misread: impl FnMut(&Line<'_>, &Session) -> Instead + 'static,
) -> Box<dyn Detector> {
    reading(rules, Misread(misread))
}

struct Misread<F>(F);

impl<F: FnMut(&Line<'_>, &Session) -> Instead> Reader for Misread<F> {
    fn line(&mut self, line: &Line<'_>, session: &Session) -> Instead {
        if line.fault.is_some() { Instead::Itself } else { (self.0)(line, session) }
    }
}

/// The true detector behind a reader that changes what no newline ended, and nothing else.
pub(crate) fn tails(
    rules: RuleSet,
    tail: impl FnMut(Vec<u8>, TailEnd) -> Vec<u8> + 'static,
) -> Box<dyn Detector> {
    reading(rules, Tails(tail))
}

struct Tails<F>(F);

impl<F: FnMut(Vec<u8>, TailEnd) -> Vec<u8>> Reader for Tails<F> {
    fn line(&mut self, _: &Line<'_>, _: &Session) -> Instead {
        Instead::Itself
    }

    fn tail(&mut self, tail: Vec<u8>, end: TailEnd) -> Vec<u8> {
        (self.0)(tail, end)
    }
}

/// The true detector behind a reader.
pub(crate) fn reading(rules: RuleSet, reader: impl Reader + 'static) -> Box<dyn Detector> {
    let session = Session::new(&rules);
    Box::new(Reading { inner: Inspector::new(rules), session, reader, buffer: Vec::new() })
}

struct Reading<R> {
    inner: Inspector,
    session: Session,
    reader: R,
    /// What came after the last newline.
    buffer: Vec<u8>,
}

impl<R: Reader> Reading<R> {
    fn stdout(&mut self, bytes: &[u8], event: &Event<'_>) -> Step {
        let mut steps = Vec::new();
        let mut pieces = bytes.split_inclusive(|byte| *byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            let Some(end) = piece.strip_suffix(b"\n") else {
                self.buffer.extend_from_slice(piece);
                break;
            };
            let more = pieces.peek().is_some_and(|piece| piece.ends_with(b"\n"));
            let rank = if more { Rank::Earlier } else { Rank::Last };
            let mut line = std::mem::take(&mut self.buffer);
            let line = if line.is_empty() {
                Cow::Borrowed(end)
            } else {
                line.extend_from_slice(end);
                Cow::Owned(line)
            };
            self.line(line, rank, event, &mut steps);
        }
        together(steps)
    }

    fn line(&mut self, line: Cow<'_, [u8]>, rank: Rank, event: &Event<'_>, steps: &mut Vec<Step>) {
        let mut lines = vec![line];
        let mut changes = 0;
        while let Some(bytes) = lines.pop() {
            let (fault, messages) = alone(&bytes, &self.session);
            let line = Line { bytes: &bytes, fault, messages, rank };
            let instead = match changes {
                MOST_CHANGES => Instead::Itself,
                _ => self.reader.line(&line, &self.session),
            };
            match instead {
                Instead::Itself => {
                    steps.push(self.feed(&bytes, event));
                    steps.push(self.feed(b"\n", event));
                }
                Instead::Lines(others) => {
                    changes += 1;
                    lines.extend(others.into_iter().rev().map(Cow::Owned));
                }
            }
        }
    }

    fn end_tail(&mut self, end: TailEnd, event: &Event<'_>) -> Option<Step> {
        let tail = std::mem::take(&mut self.buffer);
        let tail = (!tail.is_empty()).then_some(tail)?;
        // What we cut off ourselves is nobody's tail.
        let tail = if self.session.is_cut() { tail } else { self.reader.tail(tail, end) };
        Some(self.feed(&tail, event))
    }

    fn feed(&mut self, bytes: &[u8], event: &Event<'_>) -> Step {
        let kind = EventKind::Stdout(Cow::Borrowed(bytes));
        let step = self.inner.push(&Event { seq: event.seq, at: event.at, kind });
        self.session.note(&step);
        step
    }
}

impl<R: Reader> Detector for Reading<R> {
    fn push(&mut self, event: &Event<'_>) -> Step {
        self.session.hear(&event.kind);
        let end = match &event.kind {
            EventKind::Stdout(bytes) => return self.stdout(bytes, event),
            EventKind::StdoutEof => Some(TailEnd::Eof),
            EventKind::Deadline(DeadlineName::Startup | DeadlineName::Reply) => {
                Some(TailEnd::Deadline)
            }
            EventKind::LeakWindowEnded { stdout: Held::Open } => Some(TailEnd::Exit),
            _ => None,
        };
        let tail = end.and_then(|end| self.end_tail(end, event));
        together(tail.into_iter().chain([self.inner.push(event)]))
    }

    fn finish(self: Box<Self>) -> Verdict {
        Box::new(self.inner).finish()
    }
}

/// What a line shows by itself: its first violation, or its messages.
pub(crate) fn alone(line: &[u8], session: &Session) -> (Option<Finding>, Vec<Accepted>) {
    judge(line, session.rules(), session.protocol())
}

/// The first violation that a line shows by itself in each of the layers 1 to 3, where the
/// layers below are not looked at.
pub(crate) fn by_layer(line: &[u8], session: &Session) -> Vec<Finding> {
    let mut rules = session.rules().clone();
    let mut found = Vec::new();
    for layer in [Layer::Framing, Layer::Json, Layer::JsonRpc] {
        let fault = judge(line, &rules, session.protocol()).0;
        found.extend(fault.filter(|fault| fault.rule.rule().layer == layer));
        for rule in RuleId::ALL.iter().filter(|rule| rule.rule().layer == layer) {
            rules.set(*rule, Setting::Off);
        }
    }
    found
}

fn judge(
    line: &[u8],
    rules: &RuleSet,
    protocol: Option<ProtocolVersion>,
) -> (Option<Finding>, Vec<Accepted>) {
    let mut rules = rules.clone();
    rules.correlation = Correlation::Off;
    rules.protocol = protocol;
    let mut detector = Inspector::new(rules);
    let mut messages = Vec::new();
    for bytes in [line, b"\n"] {
        let kind = EventKind::Stdout(Cow::Borrowed(bytes));
        let step =
            detector.push(&Event { seq: model::Seq(0), at: std::time::Duration::ZERO, kind });
        messages.extend(step.accepted);
        if step.state == State::Final {
            break;
        }
    }
    match Box::new(detector).finish().outcome {
        Outcome::Violation(finding) => (Some(*finding), messages),
        Outcome::ValidStdout | Outcome::Inconclusive(_) => (None, messages),
    }
}
