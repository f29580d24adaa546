//! Answers tools/list by a message without result or error (`unknown-kind`); `--sane` sends the
//! result.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::ToolsList, |request| {
                format!(r#"{{"jsonrpc":"2.0","id":{}}}"#, request.id)
            })
        })
        .serve();
}
