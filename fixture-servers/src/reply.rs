//! The ordinary replies, as constant text around the id of the request.

use crate::message::{Method, Request};

/// The result of `tools/list`: one tool.
pub const TOOLS: &str = r#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}"#;

/// What a server of revision 2026-07-28 says of itself.
pub const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}"#;

/// The result of `tools/list` in that revision.
pub const TOOLS_OF_2026: &str = r#"{"resultType":"complete","tools":[{"name":"echo","inputSchema":{"type":"object"}}],"ttlMs":0,"cacheScope":"private"}"#;

/// A log record in the form that MCP has for it.
pub const LOG_NOTIFICATION: &str = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hello"}}"#;

/// An error that names no request.
pub const NULL_ID_ERROR: &str =
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}"#;

/// The revisions that begin with `initialize`, as JSON text, the newest first.
const REVISIONS: [&str; 4] =
    [r#""2025-11-25""#, r#""2025-06-18""#, r#""2025-03-26""#, r#""2024-11-05""#];

impl Request {
    /// The ordinary reply, without its newline.
    #[must_use]
    pub fn reply(&self) -> String {
        match self.method {
            Method::Initialize => self.initialize_reply(r#"{"tools":{}}"#),
            Method::Ping => self.result("{}"),
            Method::ToolsList => self.result(TOOLS),
            Method::ToolsCall => self.result(r#"{"content":[{"type":"text","text":"hello"}]}"#),
            Method::Initialized
            | Method::Discover
            | Method::PromptsList
            | Method::SetLevel
            | Method::Unknown => self.error(-32601, "Method not found"),
        }
    }

    /// A reply with a result, given as JSON text.
    #[must_use]
    pub fn result(&self, result: &str) -> String {
        let id = &self.id;
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
    }

    /// A reply with an error. The message needs no escapes.
    #[must_use]
    pub fn error(&self, code: i32, message: &str) -> String {
        let id = &self.id;
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#)
    }

    /// The reply to `initialize` of a server with these capabilities, given as JSON text.
    #[must_use]
    pub fn initialize_reply(&self, capabilities: &str) -> String {
        let asked = self.protocol_version.as_deref();
        let known = REVISIONS.into_iter().find(|known| asked == Some(*known));
        let version = known.unwrap_or(REVISIONS[0]);
        self.result(&format!(
            r#"{{"protocolVersion":{version},"capabilities":{capabilities},"serverInfo":{{"name":"fixture","version":"1"}}}}"#
        ))
    }

    /// The reply to `tools/list` with a description of the tool, given as the inside of a string.
    #[must_use]
    pub fn tool_described_as(&self, description: &[u8]) -> Vec<u8> {
        let ordinary = self.result(TOOLS);
        let (start, end) = ordinary.split_once(r#""inputSchema""#).expect("the tool has a schema");
        let parts = [
            start.as_bytes(),
            br#""description":""#,
            description,
            br#"","inputSchema""#,
            end.as_bytes(),
        ];
        parts.concat()
    }

    /// The reply to `tools/list` with another schema of the tool's input, given as JSON text.
    #[must_use]
    pub fn tool_with_schema(&self, schema: &str) -> String {
        self.result(&TOOLS.replace(r#"{"type":"object"}"#, schema))
    }

    /// The ordinary reply with one more member at the end, given as JSON text.
    #[must_use]
    pub fn reply_with(&self, member: &str) -> String {
        let mut reply = self.reply();
        reply.truncate(reply.len() - 1);
        format!("{reply},{member}}}")
    }

    /// The same request with another id, given as JSON text.
    #[must_use]
    pub fn with_id(&self, id: impl Into<String>) -> Self {
        Self { id: id.into(), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::Request;
    use crate::message::Method;

    fn request(method: Method, protocol_version: Option<&str>) -> Request {
        let protocol_version = protocol_version.map(str::to_owned);
        Request { method, id: "7".to_owned(), protocol_version }
    }

    #[test]
    fn a_known_revision_is_granted_and_another_is_not() {
        for (asked, granted) in [
            (Some(r#""2024-11-05""#), r#""protocolVersion":"2024-11-05""#),
            (Some(r#""2025-06-18""#), r#""protocolVersion":"2025-06-18""#),
            (Some(r#""1999-01-01""#), r#""protocolVersion":"2025-11-25""#),
            (Some("7"), r#""protocolVersion":"2025-11-25""#),
            (None, r#""protocolVersion":"2025-11-25""#),
        ] {
            let reply = request(Method::Initialize, asked).reply();
            assert!(reply.contains(granted), "{asked:?}: {reply}");
        }
    }

    #[test]
    fn a_description_stands_inside_the_tool() {
        assert_eq!(
            request(Method::ToolsList, None).tool_described_as(b"x"),
            br#"{"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"echo","description":"x","inputSchema":{"type":"object"}}]}}"#
        );
    }

    #[test]
    fn a_further_member_stands_at_the_end() {
        let ping = request(Method::Ping, None).with_id("\"a\"");
        assert_eq!(
            ping.reply_with(r#""more":1"#),
            r#"{"jsonrpc":"2.0","id":"a","result":{},"more":1}"#
        );
    }
}
