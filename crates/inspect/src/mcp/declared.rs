//! What the client's requests declare: read from their params, once, when they are sent.

use model::{IdValue, ProtocolVersion};

use super::values::{Values, token};
use crate::grammar::ValueKind;
use crate::pick::place;
use crate::string::unescape;

/// A capability of the client's that some request of a server needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ClientCapability {
    Sampling,
    Elicitation,
    Roots,
    Tasks,
}

impl ClientCapability {
    const ALL: [Self; 4] = [Self::Sampling, Self::Elicitation, Self::Roots, Self::Tasks];

    /// The capability without which a server must not send this request.
    pub(super) fn of_request(method: &str) -> Option<Self> {
        match method {
            "sampling/createMessage" => Some(Self::Sampling),
            "elicitation/create" => Some(Self::Elicitation),
            "roots/list" => Some(Self::Roots),
            "tasks/get" | "tasks/result" | "tasks/cancel" | "tasks/list" => Some(Self::Tasks),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sampling => "sampling",
            Self::Elicitation => "elicitation",
            Self::Roots => "roots",
            Self::Tasks => "tasks",
        }
    }
}

/// What one request declares.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    /// The revision in its `_meta`: the request is of the era without a handshake.
    pub(super) protocol: Option<ProtocolVersion>,
    pub(super) capabilities: Vec<ClientCapability>,
    pub(super) progress_token: Option<IdValue>,
    pub(super) augmented: Augmented,
    pub(super) replacement: Replacement,
}

/// Whether a request is to become a task, which keeps its progress token beyond the reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Augmented {
    #[default]
    No,
    Yes,
}

/// Whether the client itself wrote a replacement character, which a reply may then repeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Replacement {
    #[default]
    NotSent,
    Sent,
}

/// A list of which a server may tell that it has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    Tools,
    Prompts,
    Resources,
}

impl Topic {
    /// The list whose change a notification tells of.
    pub(super) fn of_notification(method: &str) -> Option<Self> {
        match method {
            "notifications/tools/list_changed" => Some(Self::Tools),
            "notifications/prompts/list_changed" => Some(Self::Prompts),
            "notifications/resources/list_changed" => Some(Self::Resources),
            _ => None,
        }
    }
}

const META: &str = "_meta";
const PROTOCOL: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

impl Declared {
    /// Reads the params of a request. Without any it declares nothing.
    pub(crate) fn of(params: Option<&str>) -> Self {
        let Some(params) = params else { return Self::default() };
        let mut places =
            vec![place(&[META, PROTOCOL]), place(&[META, "progressToken"]), place(&["task"])];
        let handshake = places.len();
        places.extend(ClientCapability::ALL.map(|of| place(&["capabilities", of.name()])));
        let modern = places.len();
        places.extend(ClientCapability::ALL.map(|of| place(&[META, CAPABILITIES, of.name()])));
        let values = Values::of(params.as_bytes(), 0, &places);
        let offered = |number: usize| {
            let is_there = |first: usize| {
                values.last(first + number).is_some_and(|value| value.kind != ValueKind::Null)
            };
            is_there(handshake) || is_there(modern)
        };
        let is_there = |number: usize| values.last(number).is_some();
        let chosen = |number: usize| values.string(number);
        Self {
            protocol: chosen(0).and_then(|name| name.parse().ok()),
            capabilities: numbered(ClientCapability::ALL, offered),
            progress_token: values.last(1).and_then(token),
            augmented: if is_there(2) { Augmented::Yes } else { Augmented::No },
            replacement: match super::replacement::first(params.as_bytes()) {
                Some(_) => Replacement::Sent,
                None => Replacement::NotSent,
            },
        }
    }
}

impl Declared {
    /// The revision that the request is of, in the era without a handshake.
    pub(crate) fn protocol(&self) -> Option<ProtocolVersion> {
        self.protocol
    }
}

fn numbered<T>(all: [T; 4], holds: impl Fn(usize) -> bool) -> Vec<T> {
    all.into_iter().enumerate().filter(|(number, _)| holds(*number)).map(|(_, of)| of).collect()
}

/// The decoded text of a string.
pub(super) fn decoded(raw: &[u8]) -> Option<String> {
    String::from_utf8(unescape(raw).into_owned()).ok()
}

#[cfg(test)]
mod tests {
    use model::{IdValue, ProtocolVersion};

    use super::{Augmented, ClientCapability, Declared, Replacement};

    #[test]
    fn without_params_nothing_is_declared() {
        let declared = Declared::of(None);
        assert!(declared.capabilities.is_empty() && declared.progress_token.is_none());
    }

    #[test]
    fn a_handshake_offers_capabilities() {
        let declared = Declared::of(Some(
            r#"{"protocolVersion":"2025-11-25","capabilities":{"roots":{},"sampling":null,"\u0065licitation":{}}}"#,
        ));
        let offered = [ClientCapability::Elicitation, ClientCapability::Roots];
        assert_eq!(declared.capabilities, offered);
        assert_eq!(declared.protocol, None);
    }

    #[test]
    fn a_modern_request_declares_all_in_its_meta() {
        let declared = Declared::of(Some(
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{}},"io.modelcontextprotocol/logLevel":"info","progressToken":7.0},"notifications":{"toolsListChanged":true,"promptsListChanged":false,"resourceSubscriptions":["x"]}}"#,
        ));
        assert_eq!(declared.protocol, Some(ProtocolVersion::V2026_07_28));
        assert_eq!(declared.capabilities, [ClientCapability::Sampling]);
        assert_eq!(declared.progress_token, Some(IdValue::Number("7".into())));
    }

    #[test]
    fn a_task_and_a_replacement_character_are_seen() {
        let declared = Declared::of(Some(r#"{"task":{},"arguments":{"a":"\uFFFD"}}"#));
        assert_eq!(declared.augmented, Augmented::Yes);
        assert_eq!(declared.replacement, Replacement::Sent);
    }
}
