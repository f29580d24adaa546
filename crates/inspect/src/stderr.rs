//! Replies that stderr holds. stderr never yields frames; it only explains a silence.

use model::IdValue;

use crate::envelope::{Batch, Tracker};
use crate::grammar::{Completeness, Grammar, ValueKind};
use crate::shape;

/// A longer line is no reply that anybody waits for, and reading it must not cost memory.
const MAX_LINE_BYTES: u64 = 1024 * 1024;

/// Reads stderr line by line.
#[derive(Debug)]
pub(crate) struct StderrWatch {
    grammar: Grammar,
    tracker: Tracker,
    len: u64,
}

impl StderrWatch {
    pub(crate) fn new() -> Self {
        Self { grammar: Grammar::new(), tracker: Tracker::new(), len: 0 }
    }

    /// Reads the next bytes and hands over the id of each reply that a line holds.
    pub(crate) fn feed(&mut self, bytes: &[u8], mut found: impl FnMut(IdValue)) {
        let mut rest = bytes;
        while let Some(newline) = memchr::memchr(b'\n', rest) {
            self.read(&rest[..newline]);
            self.end_line(&mut found);
            rest = &rest[newline + 1..];
        }
        self.read(rest);
    }

    /// Ends the current line, with or without a newline.
    pub(crate) fn end_line(&mut self, mut found: impl FnMut(IdValue)) {
        if (1..=MAX_LINE_BYTES).contains(&self.len) && !self.grammar.is_broken() {
            let completeness = self.grammar.finish(&mut self.tracker);
            let object = matches!(self.tracker.top, Some((ValueKind::Object, _)));
            if completeness == Completeness::Complete
                && object
                && let Some(envelope) = self.tracker.envelopes().first()
            {
                let shape = shape::read(envelope, self.len);
                let reply = shape.kind.is_some_and(|kind| {
                    matches!(kind, model::MessageKind::Result | model::MessageKind::Error)
                });
                if reply
                    && shape.met.is_empty()
                    && let Some(id) = shape.id.and_then(|id| id.value)
                {
                    found(id);
                }
            }
        }
        self.grammar.reset();
        self.tracker.reset(Batch::Closed);
        self.len = 0;
    }

    fn read(&mut self, bytes: &[u8]) {
        if !self.grammar.is_broken() && self.len + bytes.len() as u64 <= MAX_LINE_BYTES {
            self.grammar.feed(bytes, self.len, &mut self.tracker);
        }
        self.len += bytes.len() as u64;
    }
}
