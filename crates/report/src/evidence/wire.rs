//! How words of the model stand in the JSON report.

use std::fmt::Display;

use model::{Cut, ExitStatus, Layer, NotChecked, TailEnd};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::Classification;
use crate::hint::Hint;

impl Serialize for Classification {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Serialize for Hint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

pub(super) fn name<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

pub(super) fn optional_name<S: Serializer>(
    value: &Option<impl Display>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => serializer.collect_str(value),
        None => serializer.serialize_none(),
    }
}

pub(super) fn end<S: Serializer>(end: &Option<TailEnd>, serializer: S) -> Result<S::Ok, S::Error> {
    end.map(TailEnd::name).serialize(serializer)
}

pub(super) fn layers<S: Serializer>(layers: &[Layer], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(layers.iter().map(|layer| layer.number()))
}

pub(super) fn not_checked<S: Serializer>(
    not_checked: &[NotChecked],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(not_checked.iter().map(|what| what.name()))
}

pub(super) fn cut<S: Serializer>(cut: &Cut, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(*cut == Cut::ByUs)
}

pub(super) fn exit_status<S: Serializer>(
    status: &Option<ExitStatus>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let (key, number) = match status {
        None => return serializer.serialize_none(),
        Some(ExitStatus::Code(code)) => ("code", code),
        Some(ExitStatus::Signal(signal)) => ("signal", signal),
    };
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(key, number)?;
    map.end()
}

/// How an exit status stands in the report, for the schema.
#[cfg(feature = "json-schema")]
#[derive(schemars::JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[expect(dead_code, reason = "only its shape is wanted")]
pub(super) enum ExitStatusShape {
    /// The process ended by itself with this status.
    Code(i32),
    /// A signal with this number ended it.
    Signal(i32),
}

pub(super) fn some_exit_status<S: Serializer>(
    status: &ExitStatus,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    exit_status(&Some(*status), serializer)
}
