//! The messages of the client side, byte for byte.

use inspect::Accepted;
use model::{KeepBody, List, MessageKind, PlanStep, ProtocolVersion, Sent};

use super::ToolCall;

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

pub(super) fn initialized() -> Outgoing {
    message(PlanStep::Initialized, None, KeepBody::Drop)
}

/// A page of a list. `cursor` is JSON text, as the server wrote it.
pub(super) fn list(list: List, page: u32, cursor: Option<&str>) -> Outgoing {
    let params = cursor.map(|cursor| format!(r#"{{"cursor":{cursor}}}"#));
    message(PlanStep::List { list, page }, params.as_deref(), KeepBody::Keep)
}

pub(super) fn call(number: u32, call: &ToolCall) -> Outgoing {
    let params = format!(r#"{{"name":{},"arguments":{}}}"#, string(call.tool()), call.arguments());
    message(PlanStep::Call { number }, Some(&params), KeepBody::Drop)
}

pub(super) fn unknown_method() -> Outgoing {
    message(PlanStep::UnknownMethod, None, KeepBody::Drop)
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
            text(&list(List::Tools, 1, None)),
            "{\"jsonrpc\":\"2.0\",\"id\":\"list-3\",\"method\":\"tools/list\"}\n"
        );
        assert_eq!(
            text(&list(List::Tools, 2, Some("\"\\u0041\""))),
            "{\"jsonrpc\":\"2.0\",\"id\":\"list-3.2\",\"method\":\"tools/list\",\"params\":\
             {\"cursor\":\"\\u0041\"}}\n"
        );
        let echo = ToolCall::new("say \"hi\"\n", "{\"a\":1}").unwrap();
        assert_eq!(
            text(&call(1, &echo)),
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
