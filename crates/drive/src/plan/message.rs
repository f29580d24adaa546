//! The messages of the client side, byte for byte.

use inspect::Accepted;
use model::{KeepBody, List, MessageKind, PlanStep, ProtocolVersion, RawId, Sent};

use super::ToolCall;
use crate::scenario::{Era, Message};

const CANCELLED: &str = "notifications/cancelled";

/// A message of ours: what the detector is told of it, and its bytes with their newline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outgoing {
    pub(crate) sent: Sent,
    pub(crate) line: Vec<u8>,
}

pub(super) fn initialize(protocol: ProtocolVersion) -> Outgoing {
    let params = format!(
        r#"{{"protocolVersion":"{protocol}","capabilities":{{}},"clientInfo":{{"name":"mcp-stdio-probe","version":"1"}}}}"#
    );
    message(PlanStep::Initialize, Some(&params), KeepBody::Keep)
}

/// What every request says where there is no handshake: MCP 2026-07-28, Base protocol, `_meta`.
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"mcp-stdio-probe","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

/// The params of a request: its members, and what every request of the era says.
fn params(era: Era, members: Option<&str>) -> Option<String> {
    match (era, members) {
        (Era::Handshake, None) => None,
        (Era::Handshake, Some(members)) => Some(format!("{{{members}}}")),
        (Era::Stateless, None) => Some(format!("{{{META}}}")),
        (Era::Stateless, Some(members)) => Some(format!("{{{members},{META}}}")),
    }
}

pub(super) fn discover() -> Outgoing {
    message(PlanStep::Discover, params(Era::Stateless, None).as_deref(), KeepBody::Keep)
}

/// `filter` is the members of `notifications`: what is subscribed to.
pub(super) fn listen(filter: &str) -> Outgoing {
    let members = format!(r#""notifications":{{{filter}}}"#);
    message(PlanStep::Listen, params(Era::Stateless, Some(&members)).as_deref(), KeepBody::Drop)
}

pub(super) fn cancelled(id: &RawId) -> Outgoing {
    let line = format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"{CANCELLED}\",\"params\":{{\"requestId\":{id}}}}}\n"
    );
    Outgoing { sent: Sent::Notification { method: CANCELLED.into() }, line: line.into_bytes() }
}

/// A message that is no named step.
pub(super) fn written(message: &Message) -> Outgoing {
    let Message { id, method, params } = message;
    let mut line = r#"{"jsonrpc":"2.0""#.to_owned();
    if let Some(id) = id {
        line.push_str(&format!(r#","id":{id}"#));
    }
    line.push_str(&format!(r#","method":{}"#, string(method)));
    if let Some(params) = params {
        line.push_str(&format!(r#","params":{params}"#));
    }
    line.push_str("}\n");
    let method = method.clone();
    let sent = match id {
        Some(id) => Sent::Request {
            id: id.clone(),
            method,
            params: params.clone(),
            keep_body: KeepBody::Drop,
        },
        None => Sent::Notification { method },
    };
    Outgoing { sent, line: line.into_bytes() }
}

/// Bytes that are no message.
pub(super) fn raw(bytes: &[u8]) -> Outgoing {
    Outgoing { sent: Sent::Malformed, line: bytes.to_vec() }
}

pub(super) fn initialized() -> Outgoing {
    message(PlanStep::Initialized, None, KeepBody::Drop)
}

/// A page of a list. `cursor` is JSON text, as the server wrote it.
pub(super) fn list(era: Era, list: List, page: u32, cursor: Option<&str>) -> Outgoing {
    let members = cursor.map(|cursor| format!(r#""cursor":{cursor}"#));
    let params = params(era, members.as_deref());
    message(PlanStep::List { list, page }, params.as_deref(), KeepBody::Keep)
}

pub(super) fn call(era: Era, number: u32, call: &ToolCall) -> Outgoing {
    let members = format!(r#""name":{},"arguments":{}"#, string(call.tool()), call.arguments());
    let params = params(era, Some(&members));
    message(PlanStep::Call { number }, params.as_deref(), KeepBody::Drop)
}

pub(super) fn unknown_method(era: Era) -> Outgoing {
    message(PlanStep::UnknownMethod, params(era, None).as_deref(), KeepBody::Drop)
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

fn message(step: PlanStep, params: Option<&str>, keep_body: KeepBody) -> Outgoing {
    let (id, method) = (step.id(), step.method());
    let mut line = r#"{"jsonrpc":"2.0""#.to_owned();
    if let Some(id) = &id {
        line.push_str(&format!(r#","id":{id}"#));
    }
    line.push_str(&format!(r#","method":"{method}""#));
    if let Some(params) = params {
        line.push_str(&format!(r#","params":{params}"#));
    }
    line.push_str("}\n");
    let sent = match id {
        Some(id) => {
            Sent::Request { id, method: method.into(), params: params.map(Into::into), keep_body }
        }
        None => Sent::Notification { method: method.into() },
    };
    Outgoing { sent, line: line.into_bytes() }
}

fn string(text: &str) -> String {
    serde_json::to_string(text).expect("every str has a JSON form")
}

#[cfg(test)]
mod tests {
    use model::RawId;

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
            text(&list(Era::Handshake, List::Tools, 1, None)),
            "{\"jsonrpc\":\"2.0\",\"id\":\"list-3\",\"method\":\"tools/list\"}\n"
        );
        assert_eq!(
            text(&list(Era::Handshake, List::Tools, 2, Some("\"\\u0041\""))),
            "{\"jsonrpc\":\"2.0\",\"id\":\"list-3.2\",\"method\":\"tools/list\",\"params\":\
             {\"cursor\":\"\\u0041\"}}\n"
        );
        let echo = ToolCall::new("say \"hi\"\n", "{\"a\":1}").unwrap();
        assert_eq!(
            text(&call(Era::Handshake, 1, &echo)),
            "{\"jsonrpc\":\"2.0\",\"id\":42,\"method\":\"tools/call\",\"params\":\
             {\"name\":\"say \\\"hi\\\"\\n\",\"arguments\":{\"a\":1}}}\n"
        );
        assert_eq!(
            text(&unknown_method(Era::Handshake)),
            "{\"jsonrpc\":\"2.0\",\"id\":71,\"method\":\"mcp-stdio-probe/unknown\"}\n"
        );
    }

    #[test]
    fn without_a_handshake_every_request_says_who_asks_and_how() {
        let meta = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
                    \"io.modelcontextprotocol/clientInfo\":{\"name\":\"mcp-stdio-probe\",\
                    \"version\":\"1\"},\"io.modelcontextprotocol/clientCapabilities\":{}}";
        let echo = ToolCall::new("echo", "{}").unwrap();
        for (outgoing, id, method, members) in [
            (discover(), "32", "server/discover", String::new()),
            (list(Era::Stateless, List::Tools, 1, None), "\"list-3\"", "tools/list", String::new()),
            (
                list(Era::Stateless, List::Tools, 2, Some("\"x\"")),
                "\"list-3.2\"",
                "tools/list",
                "\"cursor\":\"x\",".to_owned(),
            ),
            (
                call(Era::Stateless, 1, &echo),
                "42",
                "tools/call",
                "\"name\":\"echo\",\"arguments\":{},".to_owned(),
            ),
            (
                listen("\"toolsListChanged\":true"),
                "\"listen-7\"",
                "subscriptions/listen",
                "\"notifications\":{\"toolsListChanged\":true},".to_owned(),
            ),
        ] {
            assert_eq!(
                text(&outgoing),
                format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\
                     \"params\":{{{members}{meta}}}}}\n"
                )
            );
        }
        assert_eq!(
            text(&cancelled(&RawId::new("\"listen-7\""))),
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\
             \"params\":{\"requestId\":\"listen-7\"}}\n"
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
