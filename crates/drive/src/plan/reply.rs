//! Reading the few members of a reply that the next step depends on.
//!
//! A reply was accepted before it is read here, and everything but those members is only walked
//! over: depth, numbers that no type holds, and lone surrogates elsewhere are none of our
//! business. Keys and names are compared as bytes, for a lone surrogate has no UTF-8 form.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::tools::{Effect, Tool};

/// A reply holds what cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unreadable;

impl From<serde_json::Error> for Unreadable {
    fn from(_: serde_json::Error) -> Self {
        Self
    }
}

/// The `result` of a reply.
///
/// # Errors
///
/// If there is none, or it is not an object.
pub(super) fn result(body: &[u8]) -> Result<Object<'_>, Unreadable> {
    let body = str::from_utf8(body).map_err(|_| Unreadable)?;
    let message: Object<'_> = serde_json::from_str(body)?;
    Ok(serde_json::from_str(message.get("result").ok_or(Unreadable)?)?)
}

/// The names of the capabilities that an initialize result announces: those that are not null.
pub(super) struct Capabilities<'a>(Object<'a>);

impl<'a> Capabilities<'a> {
    /// Reads them from the result.
    ///
    /// # Errors
    ///
    /// If there is no object of capabilities.
    pub(super) fn of(result: &Object<'a>) -> Result<Self, Unreadable> {
        let capabilities = result.get("capabilities").ok_or(Unreadable)?;
        Ok(Self(serde_json::from_str(capabilities)?))
    }

    pub(super) fn announce(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| value != "null")
    }

    /// Whether a capability is announced, and one of its own members is `true`.
    pub(super) fn announce_with(&self, name: &str, member: &str) -> bool {
        let inside = self.0.get(name).map(serde_json::from_str::<Object<'_>>);
        matches!(inside, Some(Ok(inside)) if inside.get(member) == Some("true"))
    }
}

/// The JSON text of a page's `nextCursor`. None if it is absent or null.
///
/// # Errors
///
/// If it is anything but a string.
pub(super) fn next_cursor<'a>(page: &Object<'a>) -> Result<Option<&'a str>, Unreadable> {
    match page.get("nextCursor") {
        None | Some("null") => Ok(None),
        Some(cursor) if cursor.starts_with('"') => Ok(Some(cursor)),
        Some(_) => Err(Unreadable),
    }
}

/// The tools of one page.
///
/// # Errors
///
/// If `tools` is not an array of objects that each have a string as their name.
pub(super) fn tools(page: &Object<'_>) -> Result<Vec<Tool>, Unreadable> {
    let tools: Vec<Object<'_>> = serde_json::from_str(page.get("tools").ok_or(Unreadable)?)?;
    tools.iter().map(tool).collect()
}

fn tool(tool: &Object<'_>) -> Result<Tool, Unreadable> {
    let annotations = tool.get("annotations").map(serde_json::from_str::<Object<'_>>);
    let reads = matches!(annotations, Some(Ok(hints)) if hints.get("readOnlyHint") == Some("true"));
    Ok(Tool {
        name: decode_string(tool.get("name").ok_or(Unreadable)?)?,
        effect: if reads { Effect::Reads } else { Effect::Unknown },
        schema: tool.get("inputSchema").unwrap_or("{}").into(),
    })
}

/// The bytes of a JSON string, decoded. A lone surrogate becomes its three-byte form.
///
/// # Errors
///
/// If the text is not one JSON string.
pub(super) fn decode_string(text: &str) -> Result<Box<[u8]>, Unreadable> {
    let Text(bytes) = serde_json::from_str(text)?;
    Ok(bytes.into())
}

/// An object whose values are not looked at. Of two members with one name the later one counts,
/// as in most parsers.
pub(super) struct Object<'a>(Vec<(Text<'a>, &'a RawValue)>);

impl<'a> Object<'a> {
    /// The JSON text of a member, without blanks round it.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        self.0
            .iter()
            .rev()
            .find(|(key, _)| *key.0 == *name.as_bytes())
            .map(|(_, value)| value.get())
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Object(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// A decoded JSON string as bytes: the one form in which `serde_json` reads lone surrogates.
struct Text<'a>(Cow<'a, [u8]>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl<'de> Visitor<'de> for Bytes {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(bytes)))
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(bytes.to_vec())))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Object<'_> {
        result(text.as_bytes()).ok().unwrap()
    }

    fn names(page: &Object<'_>) -> Result<Vec<Box<[u8]>>, Unreadable> {
        Ok(tools(page)?.into_iter().map(|tool| tool.name).collect())
    }

    #[test]
    fn a_tool_says_whether_it_only_reads() {
        let page = page(
            r#"{"result":{"tools":[{"name":"a","annotations":{"readOnlyHint":true},"inputSchema":{"x":1}},{"name":"b","annotations":{"readOnlyHint":"true"}},{"name":"c"}]}}"#,
        );
        let tools = tools(&page).unwrap();
        let effects: Vec<_> = tools.iter().map(|tool| tool.effect).collect();
        assert_eq!(effects, [Effect::Reads, Effect::Unknown, Effect::Unknown]);
        assert_eq!(&*tools[0].schema, r#"{"x":1}"#);
    }

    #[test]
    fn what_is_not_needed_is_walked_over() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let text = format!(
            r#"{{"\ud800":1e400,"x":{deep},"result":{{"\udfff":"\ud800","tools":[{{"deep":{deep},"name":"a\u0062","n":1e999}}],"nextCursor":"c\u002f" }},"id":1}}"#
        );
        let page = page(&text);
        assert_eq!(names(&page), Ok(vec![Box::from(*b"ab")]));
        assert_eq!(next_cursor(&page), Ok(Some(r#""c\u002f""#)));
    }

    #[test]
    fn a_cursor_is_a_string_or_not_there() {
        assert_eq!(next_cursor(&page(r#"{"result":{}}"#)), Ok(None));
        assert_eq!(next_cursor(&page(r#"{"result":{"nextCursor":null}}"#)), Ok(None));
        assert_eq!(next_cursor(&page(r#"{"result":{"nextCursor":""}}"#)), Ok(Some("\"\"")));
        assert_eq!(next_cursor(&page(r#"{"result":{"nextCursor":7}}"#)), Err(Unreadable));
    }

    #[test]
    fn the_later_member_counts_and_keys_are_decoded() {
        let text = r#"{"result":1,"r\u0065sult":{"nextCursor":"a","nextCursor":"b"}}"#;
        assert_eq!(next_cursor(&page(text)), Ok(Some("\"b\"")));
    }

    #[test]
    fn tools_have_names() {
        for text in [
            r#"{"result":{}}"#,
            r#"{"result":{"tools":{}}}"#,
            r#"{"result":{"tools":[1]}}"#,
            r#"{"result":{"tools":[{}]}}"#,
            r#"{"result":{"tools":[{"name":1}]}}"#,
        ] {
            assert_eq!(names(&page(text)), Err(Unreadable), "{text}");
        }
        let lone = page(r#"{"result":{"tools":[{"name":"\ud800"}]}}"#);
        assert_eq!(names(&lone), Ok(vec![Box::from(*b"\xed\xa0\x80")]));
    }

    #[test]
    fn capabilities_are_an_object_and_null_announces_nothing() {
        let capabilities = |text| {
            let text: &'static str = text;
            Capabilities::of(&page(text)).ok()
        };
        assert!(capabilities(r#"{"result":{}}"#).is_none());
        assert!(capabilities(r#"{"result":{"capabilities":[]}}"#).is_none());
        let some = capabilities(r#"{"result":{"capabilities":{"tools":{},"prompts":null}}}"#);
        let some = some.unwrap();
        assert!(some.announce("tools"));
        assert!(!some.announce("prompts"));
        assert!(!some.announce("resources"));
    }

    #[test]
    fn a_body_without_an_object_as_its_result_cannot_be_read() {
        for body in [&b"{}"[..], br#"{"result":[]}"#, b"[]", b"\xff", b""] {
            assert!(result(body).is_err());
        }
    }
}
