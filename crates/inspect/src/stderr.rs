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
        if (1..=MAX_LINE_BYTES).contains(&self.len) {
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
        if self.len + bytes.len() as u64 <= MAX_LINE_BYTES {
            self.grammar.feed(bytes, self.len, &mut self.tracker);
        }
        self.len += bytes.len() as u64;
    }
}

#[cfg(test)]
mod tests {
    use model::IdValue;

    use super::{MAX_LINE_BYTES, StderrWatch};

    /// The ids found in these pieces of stderr, and whether the last line's is one.
    fn found<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<IdValue> {
        let mut watch = StderrWatch::new();
        let mut ids = Vec::new();
        for piece in pieces {
            watch.feed(piece, |id| ids.push(id));
        }
        watch.end_line(|id| ids.push(id));
        ids
    }

    fn number(text: &str) -> IdValue {
        IdValue::Number(text.into())
    }

    #[test]
    fn replies_are_found_line_by_line_however_they_are_cut() {
        let text = b"log\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n\
            {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":1,\"message\":\"m\"}} \n\
            {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}\n\
            {\"jsonrpc\":\"2.0\",\"id\":4,\"result\":7}\n\
            [{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}]\n\
            {\"jsonrpc\":\"2.0\",\"id\":6,\"result\":{}} text\n\
            {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}";
        let expected = [number("1"), number("2"), number("7")];
        assert_eq!(found([text.as_slice()]), expected);
        assert_eq!(found(text.chunks(1)), expected);
        assert_eq!(found(text.chunks(50)), expected);
    }

    #[test]
    fn a_line_is_read_up_to_a_mebibyte() {
        let reply = |len: u64| {
            let mut line = br#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_vec();
            line.resize(len as usize, b' ');
            line
        };
        assert_eq!(MAX_LINE_BYTES, 1 << 20);
        for (len, ids) in [(MAX_LINE_BYTES, vec![number("1")]), (MAX_LINE_BYTES + 1, Vec::new())] {
            let line = reply(len);
            assert_eq!(found([line.as_slice()]), ids, "{len}");
            assert_eq!(found(line.chunks(4096)), ids, "{len}");
            // So is what stands at its end.
            let blanks = vec![b' '; len as usize - 100];
            let line = [&blanks, reply(100).as_slice()].concat();
            assert_eq!(found(line.chunks(4096)), ids, "{len}");
            // What was too long does not spoil the next line.
            let next = [&line, b"\n".as_slice(), &reply(100)].concat();
            assert_eq!(found([next.as_slice()]).len(), ids.len() + 1);
        }
    }
}
