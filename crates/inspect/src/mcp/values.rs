//! Values of a message that a rule of layer 4 looks at.

use model::{IdKind, IdValue};

use super::declared::decoded;
use crate::grammar::ValueKind;
use crate::number;
use crate::pick::{Picked, Place, pick};
use crate::string::unescape;

/// The values at some places of a message.
pub(super) struct Values(Vec<Picked>);

impl Values {
    /// Looks them up; `at` is the offset of the first byte.
    pub(super) fn of(text: &[u8], at: u64, places: &[Place]) -> Self {
        Self(pick(text, at, places))
    }

    /// The value at a place; the last, if its name stands there twice.
    pub(super) fn last(&self, place: usize) -> Option<&Picked> {
        self.all(place).next_back()
    }

    /// Every value at a place.
    pub(super) fn all(&self, place: usize) -> impl DoubleEndedIterator<Item = &Picked> {
        self.0.iter().filter(move |picked| picked.place == place)
    }

    /// The decoded text of the string at a place. None if there is no string.
    pub(super) fn string(&self, place: usize) -> Option<String> {
        let value = self.last(place).filter(|value| value.kind == ValueKind::String)?;
        decoded(value.text.as_deref()?)
    }

    /// Whether the value at a place is `true`.
    pub(super) fn is_true(&self, place: usize) -> bool {
        self.last(place).is_some_and(|value| value.text.as_deref() == Some(b"true"))
    }
}

/// A token or an id in the form in which two are compared.
pub(super) fn token(value: &Picked) -> Option<IdValue> {
    let raw = value.text.as_deref()?;
    match value.kind {
        ValueKind::String => Some(IdValue::String(unescape(raw).into_owned().into())),
        ValueKind::Number => {
            let text = std::str::from_utf8(raw).ok()?;
            match number::id_kind(text) {
                IdKind::Integer => Some(IdValue::Number(text.into())),
                IdKind::IntegralFloat => {
                    number::integer_text(text).map(|text| IdValue::Number(text.into()))
                }
                _ => None,
            }
        }
        _ => None,
    }
}
