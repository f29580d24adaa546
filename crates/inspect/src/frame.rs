//! One frame while its bytes come: everything that is decided byte by byte.

use model::{FrameBytes, Utf16};

use crate::envelope::{Batch, Tracker};
use crate::grammar::{Completeness, Grammar};
use crate::utf8::Utf8;

/// How much of each frame is kept for the report: what is shown, and what redaction needs to
/// see beyond it.
pub(crate) const PREFIX_BYTES: usize = (4 + 8) * 1024;
/// The longest header line that is recognised as one.
const MAX_HEADER_BYTES: usize = 256;

/// Whether a frame is kept whole for the layers that need its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retain {
    Prefix,
    Whole,
}

/// The frame that is being read.
#[derive(Debug)]
pub(crate) struct Frame {
    len: u64,
    utf8: Utf8,
    grammar: Grammar,
    pub(crate) tracker: Tracker,
    prefix: Vec<u8>,
    body: Vec<u8>,
    retain: Retain,
    last: Option<u8>,
}

impl Frame {
    pub(crate) fn new() -> Self {
        Self {
            len: 0,
            utf8: Utf8::default(),
            grammar: Grammar::new(),
            tracker: Tracker::new(),
            prefix: Vec::new(),
            body: Vec::new(),
            retain: Retain::Prefix,
            last: None,
        }
    }

    /// Begins the next frame.
    pub(crate) fn begin(&mut self, batch: Batch, retain: Retain) {
        self.len = 0;
        self.utf8.reset();
        self.grammar.reset();
        self.tracker.reset(batch);
        self.prefix.clear();
        // A large reply must not hold its memory for the rest of the session.
        if self.body.capacity() > PREFIX_BYTES {
            self.body = Vec::new();
        }
        self.body.clear();
        self.retain = retain;
        self.last = None;
    }

    /// Reads the next bytes, none of which is 0x0A.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let Some(&last) = bytes.last() else { return };
        self.last = Some(last);
        self.utf8.feed(bytes, self.len);
        self.grammar.feed(bytes, self.len, &mut self.tracker);
        let room = PREFIX_BYTES - self.prefix.len();
        self.prefix.extend_from_slice(&bytes[..room.min(bytes.len())]);
        if self.retain == Retain::Whole {
            self.body.extend_from_slice(bytes);
        }
        self.len += bytes.len() as u64;
    }

    /// Keeps the frame whole from now on, if what has come of it is all there.
    pub(crate) fn retain_whole(&mut self) {
        if self.retain == Retain::Prefix && self.len == self.prefix.len() as u64 {
            self.body.extend_from_slice(&self.prefix);
            self.retain = Retain::Whole;
        }
    }

    /// Ends the grammar's reading.
    pub(crate) fn finish(&mut self) -> Completeness {
        self.grammar.finish(&mut self.tracker)
    }

    /// The length so far, without 0x0A.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn retain(&self) -> Retain {
        self.retain
    }

    /// The bytes of a message of this frame, if they were retained.
    pub(crate) fn body(&self, start: u64, end: u64) -> Option<&[u8]> {
        match self.retain {
            Retain::Prefix => None,
            Retain::Whole => self.body.get(start as usize..end as usize),
        }
    }

    /// The start of the first sequence that is not UTF-8, the frame being complete.
    pub(crate) fn undecodable(&self) -> Option<u64> {
        self.utf8.at_end(self.len)
    }

    /// The start of the first sequence that is not UTF-8 whatever may follow.
    pub(crate) fn proven_undecodable(&self) -> Option<u64> {
        self.utf8.proven()
    }

    pub(crate) fn has_byte_order_mark(&self) -> bool {
        self.prefix.starts_with(b"\xEF\xBB\xBF")
    }

    pub(crate) fn ends_with_carriage_return(&self) -> bool {
        self.last == Some(b'\r')
    }

    /// Whether the frame is a header line as in the Language Server Protocol.
    pub(crate) fn is_header(&self) -> bool {
        if self.len > MAX_HEADER_BYTES as u64 {
            return false;
        }
        let Some(colon) = memchr::memchr(b':', &self.prefix) else {
            return false;
        };
        let (name, value) = (&self.prefix[..colon], self.prefix[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"content-length") {
            !value.is_empty() && value.iter().all(u8::is_ascii_digit)
        } else {
            name.eq_ignore_ascii_case(b"content-type")
                && value.to_ascii_lowercase().starts_with(b"application/vscode-jsonrpc")
        }
    }

    /// UTF-16, as its mark or its NUL bytes show it.
    pub(crate) fn utf16(&self) -> Option<Utf16> {
        const PAIRS: usize = 2;
        if self.prefix.starts_with(b"\xFF\xFE") {
            return Some(Utf16::LittleEndian);
        }
        if self.prefix.starts_with(b"\xFE\xFF") {
            return Some(Utf16::BigEndian);
        }
        let pairs = self.prefix.get(..2 * PAIRS)?;
        let all =
            |low: usize| pairs.chunks_exact(2).all(|pair| pair[low] != 0 && pair[1 - low] == 0);
        if all(0) {
            Some(Utf16::LittleEndian)
        } else if all(1) {
            Some(Utf16::BigEndian)
        } else {
            None
        }
    }

    /// What is kept for the report.
    pub(crate) fn bytes(&self) -> FrameBytes {
        FrameBytes { prefix: self.prefix.as_slice().into(), len: self.len }
    }
}
