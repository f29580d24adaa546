//! Writes an integer beyond 2^53-1 into the tool's input schema (`number-range`, advice); `--sane`
//! writes an ordinary schema.

use fixture_servers::{Method, Server};

const SCHEMA: &str =
    r#"{"type":"object","properties":{"seed":{"type":"integer","maximum":18446744073709551615}}}"#;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::ToolsList, |request| request.tool_with_schema(SCHEMA))
        })
        .serve();
}
