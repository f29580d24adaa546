//! Writes NaN into the result of a tool (`invalid-json`); `--sane` writes an ordinary result.

use fixture_servers::{Method, Server};

const RESULT: &str =
    r#"{"content":[{"type":"text","text":"hello"}],"structuredContent":{"ratio":NaN}}"#;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.reply(Method::ToolsCall, |request| request.result(RESULT)))
        .serve();
}
