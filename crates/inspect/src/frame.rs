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
    /// Whole, unless it grows longer than this many bytes.
    UpTo(u64),
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
        self.body = Vec::new();
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
        self.len += bytes.len() as u64;
        match self.retain {
            Retain::Prefix => {}
            Retain::UpTo(most) if self.len > most => {
                self.body = Vec::new();
                self.retain = Retain::Prefix;
            }
            Retain::UpTo(_) | Retain::Whole => self.body.extend_from_slice(bytes),
        }
    }

    /// Keeps the frame whole from now on, if what has come of it is all there.
    pub(crate) fn retain_whole(&mut self) {
        match self.retain {
            Retain::Prefix if self.len == self.prefix.len() as u64 => {
                self.body.extend_from_slice(&self.prefix);
                self.retain = Retain::Whole;
            }
            Retain::UpTo(_) => self.retain = Retain::Whole,
            Retain::Prefix | Retain::Whole => {}
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

    /// The bytes of a message of this frame, if they were retained.
    pub(crate) fn body(&self, start: u64, end: u64) -> Option<&[u8]> {
        match self.retain {
            Retain::Prefix => None,
            Retain::UpTo(_) | Retain::Whole => self.body.get(start as usize..end as usize),
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
        if self.prefix.starts_with(b"\xFF\xFE") {
            return Some(Utf16::LittleEndian);
        }
        if self.prefix.starts_with(b"\xFE\xFF") {
            return Some(Utf16::BigEndian);
        }
        // Two characters: one alone is not enough to tell.
        let pairs = self.prefix.first_chunk::<4>()?;
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

#[cfg(test)]
mod tests {
    use model::Utf16;
    use rstest::rstest;

    use super::{Frame, MAX_HEADER_BYTES, PREFIX_BYTES, Retain};
    use crate::envelope::Batch;

    fn frame(bytes: &[u8], retain: Retain) -> Frame {
        let mut frame = Frame::new();
        frame.begin(Batch::Closed, retain);
        frame.feed(bytes);
        frame
    }

    #[test]
    fn a_frame_is_kept_up_to_its_limit_and_not_beyond() {
        let mut kept = frame(b"0123456789", Retain::UpTo(10));
        assert_eq!(kept.body(0, 10), Some(&b"0123456789"[..]));
        kept.feed(b"!");
        assert_eq!(kept.body(0, 10), None);
    }

    #[test]
    fn every_value_is_counted() {
        let mut counted = frame(br#"{"a":[1,{"b":null}],"c":"d"}"#, Retain::Prefix);
        counted.finish();
        // The object, the array, 1, the inner object, null and "d".
        assert_eq!(counted.tracker.notes.values, 6);
    }

    #[rstest]
    #[case("Content-Length: 12", true)]
    #[case("content-length:12\r", true)]
    #[case("Content-Length: ", false)]
    #[case("Content-Length: 12 bytes", false)]
    #[case("Content-Lengths: 12", false)]
    #[case("Content-Type: application/vscode-jsonrpc; charset=utf-8", true)]
    #[case("CONTENT-TYPE: Application/VSCode-JSONRPC", true)]
    #[case("Content-Type: text/html", false)]
    #[case("Accept: application/vscode-jsonrpc", false)]
    #[case("Content-Length 12", false)]
    fn a_header_is_its_name_and_a_value_that_fits(#[case] line: &str, #[case] header: bool) {
        assert_eq!(frame(line.as_bytes(), Retain::Prefix).is_header(), header);
    }

    #[test]
    fn a_header_is_recognised_up_to_its_longest() {
        let line = |len: usize| format!("Content-Length:{:>1$}", 7, len - "Content-Length:".len());
        for (len, header) in [
            (MAX_HEADER_BYTES - 1, true),
            (MAX_HEADER_BYTES, true),
            (MAX_HEADER_BYTES + 1, false),
            (MAX_HEADER_BYTES + 2, false),
        ] {
            let line = line(len);
            assert_eq!(line.len(), len);
            assert_eq!(frame(line.as_bytes(), Retain::Prefix).is_header(), header, "{len}");
        }
    }

    #[rstest]
    #[case(b"\xFF\xFEx", Some(Utf16::LittleEndian))]
    #[case(b"\xFE\xFFx", Some(Utf16::BigEndian))]
    #[case(b"h\0i\0", Some(Utf16::LittleEndian))]
    #[case(b"\0h\0i", Some(Utf16::BigEndian))]
    #[case(b"h\0i\0!", Some(Utf16::LittleEndian))]
    #[case(b"h\0i", None)]
    #[case(b"h\0\0i", None)]
    #[case(b"\0hi\0", None)]
    #[case(b"h\0ix", None)]
    #[case(b"\0hxi", None)]
    #[case(b"\0\0\0\0", None)]
    #[case(b"text", None)]
    fn utf_16_is_told_by_its_mark_or_its_nuls(
        #[case] bytes: &[u8],
        #[case] expected: Option<Utf16>,
    ) {
        assert_eq!(frame(bytes, Retain::Prefix).utf16(), expected);
    }

    #[test]
    fn the_prefix_is_what_is_shown_and_8_kib_beyond_it() {
        let bytes: Vec<u8> = (0..PREFIX_BYTES + 100).map(|at| b'a' + (at % 26) as u8).collect();
        let mut frame = frame(&bytes[..5000], Retain::Prefix);
        assert_eq!(frame.bytes().prefix.as_ref(), &bytes[..5000]);
        frame.feed(&bytes[5000..PREFIX_BYTES]);
        frame.feed(&bytes[PREFIX_BYTES..]);
        assert_eq!(frame.bytes().prefix.as_ref(), &bytes[..12 * 1024]);
        assert_eq!(frame.bytes().len, bytes.len() as u64);
    }

    #[test]
    fn a_body_is_whole_or_not_there() {
        let bytes = vec![b' '; PREFIX_BYTES + 1];
        // All of it is in the prefix still.
        let mut late = frame(&bytes[..PREFIX_BYTES], Retain::Prefix);
        late.retain_whole();
        late.feed(b"x");
        let whole = [&bytes[..PREFIX_BYTES], b"x"].concat();
        assert_eq!(late.body(0, late.len()), Some(whole.as_slice()));
        // What lies beyond the prefix is gone.
        let mut too_late = frame(&bytes, Retain::Prefix);
        too_late.retain_whole();
        too_late.feed(b"x");
        assert_eq!(too_late.body(0, 1), None);
        // It was retained already.
        let mut retained = frame(b"{", Retain::Whole);
        retained.retain_whole();
        retained.feed(b"}");
        assert_eq!(retained.body(0, retained.len()), Some(b"{}".as_slice()));
    }
}
