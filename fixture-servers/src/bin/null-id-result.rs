//! Writes null for the id of the tools/list reply (`id-null`); `--sane` copies it.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.reply(Method::ToolsList, |request| request.with_id("null").reply()))
        .serve();
}
