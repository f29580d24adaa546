//! Passing over the plain bytes of a string.

/// The first byte that may not simply be passed over inside a string.
pub(crate) fn find_special(bytes: &[u8]) -> Option<usize> {
    const LANES: usize = 16;
    let special = |byte: u8| (byte < 0x20) | (byte == b'"') | (byte == b'\\');
    let mut chunks = bytes.chunks_exact(LANES);
    let mut passed = 0;
    for chunk in &mut chunks {
        // A fold without early exit, which the compiler turns into vector code.
        if chunk.iter().fold(false, |found, &byte| found | special(byte)) {
            break;
        }
        passed += LANES;
    }
    bytes[passed..].iter().position(|&byte| special(byte)).map(|index| passed + index)
}

#[cfg(test)]
mod tests {
    use super::find_special;

    #[test]
    fn every_special_byte_is_found_at_every_place() {
        for len in 0..40 {
            let plain = vec![b'a'; len];
            assert_eq!(find_special(&plain), None);
            for at in 0..len {
                for special in (0..0x20).chain([b'"', b'\\']) {
                    let mut text = plain.clone();
                    text[at] = special;
                    assert_eq!(find_special(&text), Some(at));
                }
                for other in (0x20..=0xFF).filter(|byte| !matches!(byte, b'"' | b'\\')) {
                    let mut text = plain.clone();
                    text[at] = other;
                    assert_eq!(find_special(&text), None);
                }
            }
        }
    }
}
