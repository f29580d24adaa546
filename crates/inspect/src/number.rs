//! Numbers as text: what they are, without turning them into a machine's number.

use model::IdKind;

/// Whether a number has a value that all readers share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Range {
    Shared,
    Beyond,
}

/// Whether a grammatical number is an integer within ±(2^53 − 1), or a number with fraction or
/// exponent that does not overflow a double.
pub(crate) fn range(text: &[u8]) -> Range {
    const LARGEST: &[u8] = b"9007199254740991";
    if text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        let value = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok());
        return if value.is_some_and(f64::is_finite) { Range::Shared } else { Range::Beyond };
    }
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if (digits.len(), digits) > (LARGEST.len(), LARGEST) { Range::Beyond } else { Range::Shared }
}

/// What kind of id a grammatical number is.
pub(crate) fn id_kind(text: &str) -> IdKind {
    if !text.contains(['.', 'e', 'E']) {
        IdKind::Integer
    } else if Decimal::read(text).is_integral() {
        IdKind::IntegralFloat
    } else {
        IdKind::Fraction
    }
}

/// The integer that an integral float stands for, as text, if it has at most 32 digits.
pub(crate) fn integer_text(text: &str) -> Option<String> {
    let decimal = Decimal::read(text);
    if !decimal.is_integral() {
        return None;
    }
    if decimal.digits.is_empty() {
        return Some("0".to_owned());
    }
    let zeros = usize::try_from(decimal.exponent).ok().filter(|zeros| *zeros <= 32)?;
    Some(format!("{}{}{}", decimal.sign, decimal.digits, "0".repeat(zeros)))
}

/// digits × 10^exponent, digits without zeros at either end.
struct Decimal<'a> {
    sign: &'a str,
    digits: String,
    exponent: i64,
}

impl<'a> Decimal<'a> {
    fn read(text: &'a str) -> Self {
        let sign = if text.starts_with('-') { &text[..1] } else { "" };
        let (mantissa, exponent) =
            text[sign.len()..].split_once(['e', 'E']).unwrap_or((&text[sign.len()..], "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_end_matches('0');
        let dropped = all.len() - digits.len();
        // An exponent that does not fit is beyond every comparison made here.
        let exponent = exponent.parse::<i64>().unwrap_or(if exponent.starts_with('-') {
            i64::MIN / 2
        } else {
            i64::MAX / 2
        });
        Self {
            sign,
            digits: digits.trim_start_matches('0').to_owned(),
            exponent: exponent.saturating_add(dropped as i64).saturating_sub(fraction.len() as i64),
        }
    }

    fn is_integral(&self) -> bool {
        self.digits.is_empty() || self.exponent >= 0
    }
}

#[cfg(test)]
mod tests {
    use model::IdKind;
    use rstest::rstest;

    use super::{Range, id_kind, integer_text, range};

    #[rstest]
    #[case("9007199254740991", Range::Shared)]
    #[case("-9007199254740991", Range::Shared)]
    #[case("9007199254740992", Range::Beyond)]
    #[case("-9007199254740992", Range::Beyond)]
    #[case("123456789012345678901234567890", Range::Beyond)]
    #[case("0.1", Range::Shared)]
    #[case("1e308", Range::Shared)]
    #[case("1e400", Range::Beyond)]
    #[case("-1E400", Range::Beyond)]
    #[case("1e-400", Range::Shared)]
    #[case("0e999999999999", Range::Shared)]
    fn range_is_that_of_a_double(#[case] text: &str, #[case] expected: Range) {
        assert_eq!(range(text.as_bytes()), expected);
    }

    #[rstest]
    #[case("1", IdKind::Integer, Some("1"))]
    #[case("1.0", IdKind::IntegralFloat, Some("1"))]
    #[case("1e0", IdKind::IntegralFloat, Some("1"))]
    #[case("1e2", IdKind::IntegralFloat, Some("100"))]
    #[case("10.50e1", IdKind::IntegralFloat, Some("105"))]
    #[case("-3.00", IdKind::IntegralFloat, Some("-3"))]
    #[case("0.0", IdKind::IntegralFloat, Some("0"))]
    #[case("1.5", IdKind::Fraction, None)]
    #[case("1e-1", IdKind::Fraction, None)]
    #[case("1e99999999999999999999", IdKind::IntegralFloat, None)]
    #[case("1e-99999999999999999999", IdKind::Fraction, None)]
    fn ids_are_told_apart_by_text(
        #[case] text: &str,
        #[case] kind: IdKind,
        #[case] integer: Option<&str>,
    ) {
        assert_eq!(id_kind(text), kind);
        assert_eq!(integer_text(text).as_deref(), integer);
    }
}
