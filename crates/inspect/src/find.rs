//! Passing over the plain bytes of a string: first word by word, then by lanes.

/// How many bytes are looked at together.
const LANES: usize = 32;
/// So many words of eight bytes are near.
const NEAR: usize = 2;

/// The first byte that may not simply be passed over inside a string. It most often stands near.
pub(crate) fn find_special(bytes: &[u8]) -> Option<usize> {
    let (words, _) = bytes.as_chunks::<8>();
    let near = &words[..words.len().min(NEAR)];
    for (number, word) in near.iter().enumerate() {
        let marks = special_marks(u64::from_le_bytes(*word));
        if marks != 0 {
            return Some(8 * number + (marks.trailing_zeros() / 8) as usize);
        }
    }
    let passed = 8 * near.len();
    find_far(&bytes[passed..]).map(|at| passed + at)
}

/// By lanes, then byte by byte among those of which one is special.
fn find_far(bytes: &[u8]) -> Option<usize> {
    let (all, _) = bytes.as_chunks::<LANES>();
    let plain = all.iter().take_while(|lanes| !any_special(lanes)).count();
    let passed = LANES * plain;
    let index = bytes[passed..].iter().position(|&byte| is_special(byte))?;
    Some(passed + index)
}

/// The highest bit of the lowest byte that is special; bytes above it may be marked too.
pub(crate) fn special_marks(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 0xFF;
    const HIGH: u64 = ONES * 0x80;
    // A byte below `least` borrows from its own highest bit, unless that was set before.
    let below = |word: u64, least: u64| word.wrapping_sub(ONES * least) & !word;
    let control = below(word, 0x20);
    let quote = below(word ^ (ONES * b'"' as u64), 1);
    let backslash = below(word ^ (ONES * b'\\' as u64), 1);
    (control | quote | backslash) & HIGH
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
        for len in 0..60 {
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
