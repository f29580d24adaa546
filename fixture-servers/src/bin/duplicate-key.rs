//! Writes a key of the tool's input schema twice (`duplicate-key`, advice); `--sane` writes it
//! once.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::ToolsList, |request| {
                request.tool_with_schema(r#"{"type":"object","type":"object"}"#)
            })
        })
        .serve();
}
