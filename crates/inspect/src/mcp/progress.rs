//! Whether a progress value increases, told from the text of two JSON numbers.

/// Digits up to which two different decimal numbers are two different doubles.
const EXACT_DIGITS: usize = 15;

/// Whether it is proven that `next` is not more than `last`. Of two texts, numbers that a double
/// cannot tell apart prove nothing.
pub(super) fn does_not_increase(last: &str, next: &str) -> bool {
    let (Ok(a), Ok(b)) = (last.parse::<f64>(), next.parse::<f64>()) else { return false };
    let exact = |text: &str| text.bytes().filter(u8::is_ascii_digit).count() <= EXACT_DIGITS;
    // Beyond the largest double and near 0 many numbers are one double, however few their digits.
    b < a || last == next || (a == b && a.is_normal() && exact(last) && exact(next))
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
    #[case("1e400", "1e400", true)]
    #[case("1e400", "1e401", false)]
    #[case("1e400", "1", true)]
    #[case("1", "1e400", false)]
    #[case("1", "-1e400", true)]
    #[case("1e-400", "2e-400", false)]
    #[case("5e-324", "5.1e-324", false)]
    #[case("0", "0", true)]
    #[case("1", "1.00000000000000001", false)]
    #[case("12345678901234", "12345678901234.0", true)]
    #[case("1e2", "99", true)]
    #[case("99", "1e2", false)]
    fn only_what_is_proven_counts(#[case] last: &str, #[case] next: &str, #[case] proven: bool) {
        assert_eq!(does_not_increase(last, next), proven);
    }
}
