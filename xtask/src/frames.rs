//! Where the frames of recorded bytes are: plain counting of newlines, nothing of the detector.

/// The frames of some bytes.
#[derive(Clone, Debug)]
pub(crate) struct Frames<'a> {
    bytes: &'a [u8],
    /// The offset of each newline.
    ends: Vec<usize>,
}

impl<'a> Frames<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        let newlines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        Self { bytes, ends: newlines.map(|(at, _)| at).collect() }
    }

    /// How many bytes there are.
    pub(crate) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// How many frames end with a newline.
    pub(crate) fn complete(&self) -> u64 {
        self.ends.len() as u64
    }

    /// Where a frame begins, and where its newline is or the bytes end. Frames count from 1.
    fn range(&self, frame: u64) -> Option<(usize, usize)> {
        let before = usize::try_from(frame.checked_sub(1)?).ok()?;
        let start = match before.checked_sub(1) {
            None => 0,
            Some(previous) => self.ends.get(previous)? + 1,
        };
        Some((start, self.ends.get(before).copied().unwrap_or(self.bytes.len())))
    }

    /// The bytes of a frame, without its newline.
    pub(crate) fn frame(&self, frame: u64) -> Option<&'a [u8]> {
        let (start, end) = self.range(frame)?;
        Some(&self.bytes[start..end])
    }

    /// The offset, in all the bytes, of a byte of a frame. Its newline, or the end of the bytes,
    /// counts as one more byte of it.
    pub(crate) fn offset(&self, frame: u64, byte: u64) -> Option<u64> {
        let (start, end) = self.range(frame)?;
        let offset = (start as u64).checked_add(byte)?;
        (offset <= end as u64).then_some(offset)
    }

    /// The line of an offset, from 1, and the byte in it, from 0.
    pub(crate) fn place(&self, offset: usize) -> (usize, usize) {
        let before = self.ends.partition_point(|end| *end < offset);
        let start = before.checked_sub(1).map_or(0, |previous| self.ends[previous] + 1);
        (before + 1, offset - start)
    }
}

#[cfg(test)]
mod tests {
    use super::Frames;

    #[test]
    fn frames_are_what_stands_between_newlines() {
        let frames = Frames::of(b"ab\n\ncd");
        assert_eq!((frames.len(), frames.complete()), (6, 2));
        assert_eq!(frames.frame(1), Some(&b"ab"[..]));
        assert_eq!(frames.frame(2), Some(&b""[..]));
        assert_eq!(frames.frame(3), Some(&b"cd"[..]));
        assert_eq!((frames.frame(0), frames.frame(4)), (None, None));
    }

    #[test]
    fn an_offset_lies_in_its_frame_or_at_its_end() {
        let frames = Frames::of(b"ab\n\ncd");
        assert_eq!(frames.offset(1, 2), Some(2));
        assert_eq!(frames.offset(1, 3), None);
        assert_eq!(frames.offset(2, 0), Some(3));
        assert_eq!(frames.offset(3, 2), Some(6));
        assert_eq!(frames.offset(3, 3), None);
        assert_eq!(frames.offset(1, u64::MAX), None);
    }

    #[test]
    fn an_offset_has_a_line_and_a_place_in_it() {
        let frames = Frames::of(b"ab\n\ncd");
        assert_eq!(frames.place(0), (1, 0));
        assert_eq!(frames.place(2), (1, 2));
        assert_eq!(frames.place(3), (2, 0));
        assert_eq!(frames.place(5), (3, 1));
    }
}
