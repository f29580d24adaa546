//! A text that the server is to log: whether stderr held it, and where stdout did.

/// Looks for a text in two streams whose bytes come in any pieces.
#[derive(Debug)]
pub(crate) struct Canary {
    text: Box<[u8]>,
    /// For each length of a match, the length of the longest shorter one that it ends with.
    shorter: Box<[usize]>,
    on_stderr: usize,
    in_frame: usize,
    seen: Seen,
    found_at: Option<u64>,
}

/// Whether stderr held the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    NotYet,
    OnStderr,
}

impl Canary {
    /// None for a text without a byte, which is everywhere.
    pub(crate) fn new(text: &[u8]) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        let mut shorter = vec![0; text.len() + 1];
        for end in 1..text.len() {
            shorter[end + 1] = step(text, &shorter, shorter[end], text[end]);
        }
        Some(Self {
            text: text.into(),
            shorter: shorter.into(),
            on_stderr: 0,
            in_frame: 0,
            seen: Seen::NotYet,
            found_at: None,
        })
    }

    pub(crate) fn stderr(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.on_stderr = step(&self.text, &self.shorter, self.on_stderr, *byte);
            if self.on_stderr == self.text.len() {
                self.seen = Seen::OnStderr;
                return;
            }
        }
    }

    pub(crate) fn was_on_stderr(&self) -> bool {
        self.seen == Seen::OnStderr
    }

    pub(crate) fn begin_frame(&mut self) {
        self.in_frame = 0;
        self.found_at = None;
    }

    /// The next bytes of a frame, of which `before` have come.
    pub(crate) fn stdout(&mut self, bytes: &[u8], before: u64) {
        if self.found_at.is_some() {
            return;
        }
        for (at, byte) in (before..).zip(bytes) {
            self.in_frame = step(&self.text, &self.shorter, self.in_frame, *byte);
            if self.in_frame == self.text.len() {
                self.found_at = Some(at + 1 - self.text.len() as u64);
                return;
            }
        }
    }

    /// Where in the frame the text begins.
    pub(crate) fn in_frame(&self) -> Option<u64> {
        self.found_at
    }
}

/// The length of the match after one byte more.
fn step(text: &[u8], shorter: &[usize], matched: usize, byte: u8) -> usize {
    let mut matched = if matched == text.len() { shorter[matched] } else { matched };
    loop {
        if text[matched] == byte {
            return matched + 1;
        }
        if matched == 0 {
            return 0;
        }
        matched = shorter[matched];
    }
}

#[cfg(test)]
mod tests {
    use super::Canary;

    fn found(text: &str, frame: &str, piece: usize) -> Option<u64> {
        let mut canary = Canary::new(text.as_bytes()).unwrap();
        canary.begin_frame();
        let mut before = 0;
        for piece in frame.as_bytes().chunks(piece) {
            canary.stdout(piece, before);
            before += piece.len() as u64;
        }
        canary.in_frame()
    }

    #[test]
    fn a_text_is_found_however_the_bytes_are_cut() {
        for (text, frame) in [
            ("aab", "aaab"),
            ("abab", "abacabab"),
            ("abcabd", "abcabcabd"),
            ("a", "xxa"),
            ("abc", "ab"),
            ("aa", "aXa"),
        ] {
            let expected = frame.find(text).map(|at| at as u64);
            for piece in 1..=frame.len() {
                assert_eq!(found(text, frame, piece), expected, "{text} in {frame} by {piece}");
            }
        }
    }

    #[test]
    fn stderr_and_stdout_are_two_streams() {
        let mut canary = Canary::new(b"ab").unwrap();
        canary.stderr(b"a");
        canary.stdout(b"b", 0);
        assert!(!canary.was_on_stderr());
        assert_eq!(canary.in_frame(), None);
        canary.stderr(b"b");
        assert!(canary.was_on_stderr());
    }

    /// A newline stands between two frames, so no text lies in both.
    #[test]
    fn each_frame_is_looked_at_anew() {
        let mut canary = Canary::new(b"ab").unwrap();
        for (frame, found) in [("xab", Some(1)), ("a", None), ("b", None), ("ab", Some(0))] {
            canary.begin_frame();
            canary.stdout(frame.as_bytes(), 0);
            assert_eq!(canary.in_frame(), found, "{frame}");
        }
    }

    #[test]
    fn no_text_is_no_canary() {
        assert!(Canary::new(b"").is_none());
    }
}
