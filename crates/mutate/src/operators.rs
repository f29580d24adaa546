//! Every operator, by the layer that it mostly aims at.

mod bytes;
mod correlation;
mod envelope;
mod framing;
mod lifecycle;
mod lines;
mod numbers;
mod syntax;

use crate::operator::Operator;

pub(crate) const ALL: [&[Operator]; 8] = [
    lines::OPERATORS,
    bytes::OPERATORS,
    framing::OPERATORS,
    syntax::OPERATORS,
    numbers::OPERATORS,
    envelope::OPERATORS,
    correlation::OPERATORS,
    lifecycle::OPERATORS,
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::operator::Operator;

    #[test]
    fn names_are_distinct_kebab_case_and_explained() {
        let names: BTreeSet<&str> = Operator::all().map(|operator| operator.name).collect();
        assert_eq!(names.len(), Operator::all().count());
        assert!(names.len() >= 40);
        for operator in Operator::all() {
            let kebab =
                |byte: u8| byte.is_ascii_lowercase() || byte == b'-' || byte.is_ascii_digit();
            assert!(operator.name.bytes().all(kebab), "{}", operator.name);
            assert!(operator.does.len() > 10 && !operator.does.ends_with('.'), "{}", operator.name);
        }
    }
}
