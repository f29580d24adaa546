//! The messages of the client side, byte for byte.

use inspect::Accepted;
use model::{KeepBody, MessageKind, ProtocolVersion, RawId, Sent};

use super::ToolCall;

/// A message of ours: what the detector is told of it, and its bytes with their newline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outgoing {
    pub(crate) sent: Sent,
    pub(crate) line: Vec<u8>,
}

pub(super) const INITIALIZE: &str = "initialize";
pub(super) const INITIALIZE_ID: i64 = 31;
/// The first call has this id, the next one the number after it.
pub(super) const FIRST_CALL_ID: i64 = 42;
pub(super) const UNKNOWN_ID: i64 = 71;

pub(super) fn initialize(protocol: ProtocolVersion) -> Outgoing {
    let params = format!(
        r#"{{"protocolVersion":"{protocol}","capabilities":{{}},"clientInfo":{{"name":"mcp-stdio-probe","version":"1"}}}}"#
    );
    request(RawId::integer(INITIALIZE_ID), INITIALIZE, Some(&params), KeepBody::Keep)
}

pub(super) fn initialized() -> Outgoing {
    const METHOD: &str = "notifications/initialized";
    Outgoing {
        sent: Sent::Notification { method: METHOD.into() },
        line: format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{METHOD}\"}}\n").into_bytes(),
    }
}

/// A page of a list. `cursor` is JSON text, as the server wrote it.
pub(super) fn list(id: RawId, method: &str, cursor: Option<&str>) -> Outgoing {
    let params = cursor.map(|cursor| format!(r#"{{"cursor":{cursor}}}"#));
    request(id, method, params.as_deref(), KeepBody::Keep)
}

pub(super) fn call(id: i64, call: &ToolCall) -> Outgoing {
    let params = format!(r#"{{"name":{},"arguments":{}}}"#, string(call.tool()), call.arguments());
    request(RawId::integer(id), "tools/call", Some(&params), KeepBody::Drop)
}

pub(super) fn unknown_method() -> Outgoing {
    request(RawId::integer(UNKNOWN_ID), "mcp-stdio-probe/unknown", None, KeepBody::Drop)
}

/// The answer to a request of the server. We announce no capability, so all but `ping` is a
/// method that we do not have. None if the request's id is not known: it was too long to keep.
pub(crate) fn answer(request: &Accepted) -> Option<Outgoing> {
    if request.kind != MessageKind::Request {
        return None;
    }
    let id = request.id.clone()?;
    let outcome = match request.method.as_deref() {
        Some("ping") => r#""result":{}"#,
        _ => r#""error":{"code":-32601,"message":"Method not found"}"#,
    };
    Some(Outgoing {
        line: format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{outcome}}}\n").into_bytes(),
        sent: Sent::Reply { id },
    })
}

fn request(id: RawId, method: &str, params: Option<&str>, keep_body: KeepBody) -> Outgoing {
    let mut line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}""#);
    if let Some(params) = params {
        line.push_str(r#","params":"#);
        line.push_str(params);
    }
    line.push_str("}\n");
    Outgoing {
        line: line.into_bytes(),
        sent: Sent::Request { id, method: method.into(), keep_body },
    }
}

fn string(text: &str) -> String {
    serde_json::to_string(text).expect("every str has a JSON form")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(outgoing: &Outgoing) -> &str {
        str::from_utf8(&outgoing.line).unwrap()
    }

    #[test]
    fn the_bytes_are_those_of_the_message_plan() {
        assert_eq!(
            text(&initialize(ProtocolVersion::V2025_11_25)),
            "{\"jsonrpc\":\"2.0\",\"id\":31,\"method\":\"initialize\",\"params\":\
             {\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":\
             {\"name\":\"mcp-stdio-probe\",\"version\":\"1\"}}}\n"
        );
        assert_eq!(
            text(&initialized()),
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
        );
        assert_eq!(
            text(&list(RawId::new("\"list-3\""), "tools/list", None)),
            "{\"jsonrpc\":\"2.0\",\"id\":\"list-3\",\"method\":\"tools/list\"}\n"
        );
        assert_eq!(
            text(&list(RawId::new("\"list-3.2\""), "tools/list", Some("\"\\u0041\""))),
            "{\"jsonrpc\":\"2.0\",\"id\":\"list-3.2\",\"method\":\"tools/list\",\"params\":\
             {\"cursor\":\"\\u0041\"}}\n"
        );
        let echo = ToolCall::new("say \"hi\"\n", "{\"a\":1}").unwrap();
        assert_eq!(
            text(&call(FIRST_CALL_ID, &echo)),
            "{\"jsonrpc\":\"2.0\",\"id\":42,\"method\":\"tools/call\",\"params\":\
             {\"name\":\"say \\\"hi\\\"\\n\",\"arguments\":{\"a\":1}}}\n"
        );
        assert_eq!(
            text(&unknown_method()),
            "{\"jsonrpc\":\"2.0\",\"id\":71,\"method\":\"mcp-stdio-probe/unknown\"}\n"
        );
    }

    fn from_server(kind: MessageKind, id: Option<&str>, method: &str) -> Accepted {
        Accepted { kind, id: id.map(RawId::new), method: Some(method.into()), body: None }
    }

    #[test]
    fn ping_is_answered_and_all_else_is_not_found() {
        let ping = answer(&from_server(MessageKind::Request, Some("\"\\u0041\""), "ping")).unwrap();
        assert_eq!(text(&ping), "{\"jsonrpc\":\"2.0\",\"id\":\"\\u0041\",\"result\":{}}\n");
        assert_eq!(ping.sent, Sent::Reply { id: RawId::new("\"\\u0041\"") });
        let roots = answer(&from_server(MessageKind::Request, Some("0"), "roots/list")).unwrap();
        assert_eq!(
            text(&roots),
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32601,\"message\":\"Method not \
             found\"}}\n"
        );
        assert_eq!(answer(&from_server(MessageKind::Request, None, "ping")), None);
        assert_eq!(
            answer(&from_server(MessageKind::Notification, None, "notifications/message")),
            None
        );
    }
}
