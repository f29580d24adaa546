//! What the client sent, as far as a fixture looks at it.

use crate::json;

/// A method that fixtures tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `initialize`.
    Initialize,
    /// `notifications/initialized`.
    Initialized,
    /// `ping`.
    Ping,
    /// `server/discover`.
    Discover,
    /// `tools/list`.
    ToolsList,
    /// `tools/call`.
    ToolsCall,
    /// `prompts/list`.
    PromptsList,
    /// `logging/setLevel`.
    SetLevel,
    /// Any other.
    Unknown,
}

impl Method {
    fn from_name(name: &str) -> Self {
        match name {
            "initialize" => Self::Initialize,
            "notifications/initialized" => Self::Initialized,
            "ping" => Self::Ping,
            "server/discover" => Self::Discover,
            "tools/list" => Self::ToolsList,
            "tools/call" => Self::ToolsCall,
            "prompts/list" => Self::PromptsList,
            "logging/setLevel" => Self::SetLevel,
            _ => Self::Unknown,
        }
    }
}

/// A request of the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its method.
    pub method: Method,
    /// Its id, as it stood on the wire.
    pub id: String,
    /// The protocol version that an `initialize` asks for, as it stood on the wire.
    pub(crate) protocol_version: Option<String>,
}

/// One line of the client.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Message {
    Request(Request),
    Notification(Method),
    /// A reply to a request of the server.
    Reply,
}

impl Message {
    /// Reads a line. None if it is not a JSON object.
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        let members = json::members(std::str::from_utf8(line).ok()?)?;
        let find = |name: &str| {
            let found = members.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| *value)
        };
        let Some(method) = find("method") else {
            return Some(Self::Reply);
        };
        let method = Method::from_name(&json::decode(method)?);
        let Some(id) = find("id") else {
            return Some(Self::Notification(method));
        };
        let params = find("params").and_then(json::members).unwrap_or_default();
        let version = params.into_iter().find(|(key, _)| key == "protocolVersion");
        Some(Self::Request(Request {
            method,
            id: id.to_owned(),
            protocol_version: version.map(|(_, value)| value.to_owned()),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::{Message, Method, Request};

    #[test]
    fn the_initialize_request_of_the_python_sdk_is_understood() {
        let line = br#"{"method": "initialize", "params": {"capabilities": {}, "protocolVersion": "2025-06-18"}, "jsonrpc": "2.0", "id": 0}"#;
        let request = Request {
            method: Method::Initialize,
            id: "0".to_owned(),
            protocol_version: Some("\"2025-06-18\"".to_owned()),
        };
        assert_eq!(Message::parse(line), Some(Message::Request(request)));
    }

    #[test]
    fn notifications_and_replies_are_told_from_requests() {
        let notification = br#"{"jsonrpc":"2.0","method":"notifications\/initialized"}"#;
        assert_eq!(Message::parse(notification), Some(Message::Notification(Method::Initialized)));
        let reply = br#"{"jsonrpc":"2.0","id":"ping-1","result":{"method":"ping"}}"#;
        assert_eq!(Message::parse(reply), Some(Message::Reply));
        assert_eq!(Message::parse(b"hello\n"), None);
        assert_eq!(Message::parse(b"\xff\n"), None);
    }
}
