//! Numbers that the grammar does not know, or that readers do not share.

use model::RuleId;

use super::syntax::add_member;
use crate::draft::Draft;
use crate::operator::{Operator, Place, Sample, advice, must};
use crate::view::View;

pub(crate) const OPERATORS: &[Operator] = &[
    must("leading-zero", "A number begins with a zero too many", |view, place| {
        let number = number(view, place)?;
        let sign = usize::from(view.text(&number).starts_with(b"-"));
        let digits = number.start + sign;
        let spoiled = Draft::insert(digits, *b"0").depending_on(number);
        Some(spoiled.must(RuleId::InvalidJson, digits + 1))
    }),
    must("plus-sign", "A number begins with a plus sign", |view, place| {
        let number = number(view, place)?;
        let start = number.start;
        let spoiled = Draft::insert(start, *b"+").depending_on(number);
        Some(spoiled.must(RuleId::InvalidJson, start))
    }),
    must("odd-number", "A number is written in a form that JSON does not know", |view, place| {
        let samples: [Sample; 6] = [
            (b"0x1F", RuleId::InvalidJson, 1),
            (b".5", RuleId::InvalidJson, 0),
            (b"5.", RuleId::InvalidJson, 2),
            (b"1e", RuleId::InvalidJson, 2),
            (b"1_000", RuleId::InvalidJson, 1),
            (b"10n", RuleId::InvalidJson, 2),
        ];
        let (text, rule, byte) = place.choose(&samples)?;
        let (added, at) = add_member(view, view.message(place.frame)?, text)?;
        Some(added.must(rule, at + byte))
    }),
    advice("huge-number", "A number is beyond what all readers share", |view, place| {
        let samples: [&[u8]; 5] = [
            b"9007199254740992",
            b"-9007199254740992",
            b"123456789012345678901234567890",
            b"1e400",
            b"-1.5E+999",
        ];
        let text = place.choose(&samples)?;
        let (added, at) = add_member(view, view.message(place.frame)?, text)?;
        Some(added.advice(RuleId::NumberRange, at))
    }),
];

/// One of the numbers of a message.
fn number(view: &View<'_>, place: Place) -> Option<std::ops::Range<usize>> {
    let message = view.message(place.frame)?;
    let numbers: Vec<_> = message.numbers().map(|number| number.range.clone()).collect();
    place.choose(&numbers)
}
