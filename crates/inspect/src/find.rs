//! Passing over the plain bytes of a string.

/// How many bytes are looked at together.
const LANES: usize = 16;

/// The first byte that may not simply be passed over inside a string.
pub(crate) fn find_special(bytes: &[u8]) -> Option<usize> {
    let mut rest = bytes;
    while let Some((lanes, after)) = rest.split_first_chunk::<LANES>()
        && !any_special(lanes)
    {
        rest = after;
    }
    let index = rest.iter().position(|&byte| is_special(byte))?;
    Some(bytes.len() - rest.len() + index)
}

/// A fold without early exit, which the compiler turns into vector code.
fn any_special(lanes: &[u8; LANES]) -> bool {
    lanes.iter().fold(false, |found, &byte| found | is_special(byte))
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
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
