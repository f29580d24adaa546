//! An ordinary server's replies: what a played case gives to requests that it does not tell of,
//! so that a client which goes on where ours stopped meets no second fault.

use serde_json::{Value, json};

use super::client::Message;

/// The reply to a request, without its newline; None for anything else.
pub(crate) fn reply(message: &Message) -> Option<String> {
    let (id, method) = (message.id.as_ref()?, message.method.as_deref()?);
    let outcome = match result(method) {
        Some(result) => format!("\"result\":{result}"),
        None => "\"error\":{\"code\":-32601,\"message\":\"Method not found\"}".to_owned(),
    };
    // Put together as text: the id is the client's own, to the letter.
    Some(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{outcome}}}"))
}

fn result(method: &str) -> Option<Value> {
    match method {
        "initialize" => Some(json!({
            "protocolVersion": model::ProtocolVersion::NEWEST_WITH_HANDSHAKE.name(),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "ordinary", "version": "1.0"},
        })),
        "ping" | "logging/setLevel" => Some(json!({})),
        "tools/list" => {
            Some(json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}))
        }
        "tools/call" => Some(json!({"content": [{"type": "text", "text": "done"}]})),
        "prompts/list" => Some(json!({"prompts": []})),
        "resources/list" => Some(json!({"resources": []})),
        "resources/templates/list" => Some(json!({"resourceTemplates": []})),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use model::RawId;

    use super::{Message, reply};

    #[test]
    fn a_request_has_a_reply_with_its_own_id_and_nothing_else_has_one() {
        let message = |method: Option<&str>, id: Option<&str>| Message {
            method: method.map(Box::from),
            id: id.map(RawId::new),
        };
        let ping = reply(&message(Some("ping"), Some("7")));
        assert_eq!(ping.as_deref(), Some(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#));
        let unknown = reply(&message(Some("server/discover"), Some("\"a\""))).unwrap();
        assert!(unknown.contains(r#""id":"a","error":{"code":-32601"#), "{unknown}");
        assert_eq!(reply(&message(Some("notifications/initialized"), None)), None);
        assert_eq!(reply(&message(None, Some("1"))), None);
    }
}
