//! Wraps the tools/list reply in an array (`batch-array`); `--sane` sends it as it is.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::ToolsList, |request| format!("[{}]", request.reply()))
        })
        .serve();
}
