//! How operators put a corruption together: first what is done, then what it must lead to.

use std::ops::Range;

use model::{EventKind, Level, RuleId};

use crate::edit::{Cut, Edit, Splice};
use crate::promise::{At, Claim, Corruption};

/// An edit that promises nothing yet.
#[derive(Debug)]
pub(crate) struct Draft {
    edit: Edit,
    anchor: Range<usize>,
}

impl Draft {
    /// Bytes replaced.
    pub(crate) fn replace(range: Range<usize>, with: impl Into<Vec<u8>>) -> Self {
        Self::splices(vec![Splice { range, with: with.into() }])
    }

    /// Bytes inserted before the byte at `at`.
    pub(crate) fn insert(at: usize, with: impl Into<Vec<u8>>) -> Self {
        Self::replace(at..at, with)
    }

    /// Bytes taken out.
    pub(crate) fn remove(range: Range<usize>) -> Self {
        Self::replace(range, [])
    }

    /// Several splices, in the order of the stream.
    pub(crate) fn splices(splices: Vec<Splice>) -> Self {
        let start = splices.first().map_or(0, |splice| splice.range.start);
        let end = splices.last().map_or(0, |splice| splice.range.end);
        Self { edit: Edit::Bytes(splices), anchor: start..end }
    }

    /// Other events from a place on, which lies at offset `stream`.
    pub(crate) fn end(
        at: Cut,
        stream: usize,
        events: impl IntoIterator<Item = EventKind<'static>>,
    ) -> Self {
        let events = events.into_iter().collect();
        Self { edit: Edit::End { at, events }, anchor: stream..usize::MAX }
    }

    /// The promise will hold only if none of these bytes is touched either.
    pub(crate) fn depending_on(self, range: Range<usize>) -> Self {
        let start = self.anchor.start.min(range.start);
        let end = self.anchor.end.max(range.end);
        Self { anchor: start..end, ..self }
    }

    /// A violation at a byte of the stream that this leads to.
    pub(crate) fn must(self, rule: RuleId, at: usize) -> Corruption {
        self.claim(rule, Level::Must, At::Byte(at))
    }

    /// Advice at a byte of the stream that this leads to.
    pub(crate) fn advice(self, rule: RuleId, at: usize) -> Corruption {
        self.claim(rule, Level::Advice, At::Byte(at))
    }

    /// A finding anywhere.
    pub(crate) fn claim(self, rule: RuleId, level: Level, at: At) -> Corruption {
        let own = Claim { rule, level, at };
        Corruption { edit: self.edit, anchor: self.anchor, own, beside: Vec::new() }
    }
}

impl Corruption {
    /// Advice that comes with it.
    pub(crate) fn beside(mut self, rule: RuleId, at: At) -> Self {
        self.beside.push(Claim { rule, level: Level::Advice, at });
        self
    }
}
