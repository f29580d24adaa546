//! Well-formed UTF-8, decided while the bytes come.

/// A resumable check of one text.
#[derive(Debug, Default)]
pub(crate) struct Utf8 {
    /// The beginning of a sequence that the last bytes left unfinished, at most three bytes.
    carry: [u8; 4],
    carried: usize,
    /// The offset of the first ill-formed sequence.
    error: Option<u64>,
}

impl Utf8 {
    pub(crate) fn reset(&mut self) {
        self.carried = 0;
        self.error = None;
    }

    /// Reads the next bytes; `at` is the offset of the first.
    pub(crate) fn feed(&mut self, bytes: &[u8], at: u64) {
        let mut rest = bytes;
        let mut at = at;
        while self.carried != 0 && self.error.is_none() {
            let Some((&byte, after)) = rest.split_first() else {
                return;
            };
            let start = at - self.carried as u64;
            self.carry[self.carried] = byte;
            self.carried += 1;
            match std::str::from_utf8(&self.carry[..self.carried]) {
                Ok(_) => self.carried = 0,
                Err(error) if error.error_len().is_none() => {}
                Err(_) => self.error = Some(start),
            }
            rest = after;
            at += 1;
        }
        if self.error.is_some() {
            return;
        }
        if let Err(error) = simdutf8::compat::from_utf8(rest) {
            let valid = error.valid_up_to();
            if error.error_len().is_some() {
                self.error = Some(at + valid as u64);
            } else {
                let unfinished = &rest[valid..];
                self.carry[..unfinished.len()].copy_from_slice(unfinished);
                self.carried = unfinished.len();
            }
        }
    }

    /// The offset of the first sequence that is proven ill-formed, whatever may follow.
    pub(crate) fn proven(&self) -> Option<u64> {
        self.error
    }

    /// The offset of the first ill-formed sequence of a text that ends here, at offset `len`.
    pub(crate) fn at_end(&self, len: u64) -> Option<u64> {
        self.error.or_else(|| (self.carried > 0).then(|| len - self.carried as u64))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Utf8;

    proptest! {
        #[test]
        fn cuts_do_not_change_the_answer(
            text in prop::collection::vec(prop_oneof![any::<u8>(), Just(0xE2), Just(0x82), Just(0xAC), Just(0xF0), Just(0x9F)], 0..40),
            cuts in prop::collection::vec(0usize..40, 0..6),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let mut utf8 = Utf8::default();
            for pair in cuts.windows(2) {
                utf8.feed(&text[pair[0]..pair[1]], pair[0] as u64);
            }
            let expected = std::str::from_utf8(&text).err().map(|error| error.valid_up_to() as u64);
            prop_assert_eq!(utf8.at_end(text.len() as u64), expected);
        }
    }

    #[test]
    fn a_sequence_cut_short_is_proven_only_by_what_follows() {
        let mut utf8 = Utf8::default();
        utf8.feed(b"a\xE2\x82", 0);
        assert_eq!((utf8.proven(), utf8.at_end(3)), (None, Some(1)));
        utf8.feed(b"x", 3);
        assert_eq!(utf8.proven(), Some(1));
    }
}
