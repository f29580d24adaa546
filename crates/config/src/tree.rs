//! One tree for every syntax: values that know where they are written.

mod json;
mod toml;

pub(crate) use json::{Comments, parse as parse_json};
pub(crate) use toml::parse as parse_toml;

use crate::error::{Place, Problem};

/// A value and the place of its first character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) place: Place,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    /// As it is written.
    Number(String),
    Text(String),
    Array(Vec<Node>),
    /// In the order of the file.
    Object(Vec<Member>),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// Where the name is written.
    pub(crate) place: Place,
    pub(crate) node: Node,
}

/// A text and where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) value: String,
    pub(crate) place: Place,
}

/// What is wrong, and where; the file is known to the caller.
pub(crate) type Fault = (Place, Problem);

impl Node {
    pub(crate) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::Text(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        }
    }

    fn wrong(&self, member: &str, wanted: &'static str) -> Fault {
        (self.place, Problem::WrongType { member: member.to_owned(), wanted, found: self.kind() })
    }

    /// The member of this name. None if this is no object, too.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        match &self.value {
            Value::Object(members) => {
                members.iter().find(|member| member.name == name).map(|member| &member.node)
            }
            _ => None,
        }
    }

    pub(crate) fn members(&self, member: &str) -> Result<&[Member], Fault> {
        match &self.value {
            Value::Object(members) => Ok(members),
            _ => Err(self.wrong(member, "an object")),
        }
    }

    pub(crate) fn items(&self, member: &str) -> Result<&[Self], Fault> {
        match &self.value {
            Value::Array(items) => Ok(items),
            _ => Err(self.wrong(member, "an array")),
        }
    }

    pub(crate) fn text(&self, member: &str) -> Result<Text, Fault> {
        match &self.value {
            Value::Text(text) => Ok(Text { value: text.clone(), place: self.place }),
            _ => Err(self.wrong(member, "a string")),
        }
    }

    /// A string, or what has an obvious spelling as one.
    pub(crate) fn scalar(&self, member: &str) -> Result<Text, Fault> {
        let value = match &self.value {
            Value::Text(text) | Value::Number(text) => text.clone(),
            Value::Bool(value) => value.to_string(),
            _ => return Err(self.wrong(member, "a string, a number or a boolean")),
        };
        Ok(Text { value, place: self.place })
    }

    pub(crate) fn texts(&self, member: &str) -> Result<Vec<Text>, Fault> {
        self.items(member)?.iter().map(|item| item.text(&format!("{member}[]"))).collect()
    }

    pub(crate) fn boolean(&self, member: &str) -> Result<bool, Fault> {
        match self.value {
            Value::Bool(value) => Ok(value),
            _ => Err(self.wrong(member, "a boolean")),
        }
    }

    /// A number that is not negative.
    pub(crate) fn amount(&self, member: &str) -> Result<f64, Fault> {
        let number = match &self.value {
            Value::Number(text) => text.parse().ok(),
            _ => None,
        };
        number
            .filter(|number: &f64| number.is_finite() && *number >= 0.0)
            .ok_or_else(|| self.wrong(member, "a number that is not negative"))
    }

    /// The member of this name, read by `read`; None if it is not there.
    pub(crate) fn optional<T>(
        &self,
        name: &str,
        read: impl FnOnce(&Self, &str) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        self.get(name).map(|node| read(node, name)).transpose()
    }

    /// The member of this name, read by `read`.
    pub(crate) fn required<T>(
        &self,
        name: &str,
        read: impl FnOnce(&Self, &str) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let node = self.get(name).ok_or((self.place, Problem::Missing(name.to_owned())))?;
        read(node, name)
    }

    /// A boolean member; false if it is not there.
    pub(crate) fn is_set(&self, name: &str) -> Result<bool, Fault> {
        Ok(self.optional(name, Self::boolean)?.unwrap_or(false))
    }
}
