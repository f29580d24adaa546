//! Whether a progress value increases, told from the text of two JSON numbers.

/// Digits up to which two different decimal numbers are two different doubles.
const EXACT_DIGITS: usize = 15;

/// Whether it is proven that `next` is not more than `last`. Numbers that a double cannot tell
/// apart prove nothing.
pub(super) fn does_not_increase(last: &str, next: &str) -> bool {
    let (Ok(a), Ok(b)) = (last.parse::<f64>(), next.parse::<f64>()) else { return false };
    if a.is_infinite() || b.is_infinite() {
        return false;
    }
    let exact = |text: &str| text.bytes().filter(u8::is_ascii_digit).count() <= EXACT_DIGITS;
    b < a || (a == b && (last == next || (exact(last) && exact(next))))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::does_not_increase;

    #[rstest]
    #[case("1", "2", false)]
    #[case("2", "1", true)]
    #[case("1", "1", true)]
    #[case("1", "1.0", true)]
    #[case("0.1", "0.10001", false)]
    #[case("-1", "0", false)]
    #[case("9007199254740992", "9007199254740993", false)]
    #[case("9007199254740993", "9007199254740993", true)]
    #[case("1e400", "1e400", false)]
    #[case("1e2", "99", true)]
    fn only_what_is_proven_counts(#[case] last: &str, #[case] next: &str, #[case] proven: bool) {
        assert_eq!(does_not_increase(last, next), proven);
    }
}
