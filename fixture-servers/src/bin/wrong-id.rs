//! Answers tools/list under an id of its own (`unknown-id`); `--sane` copies that of the request.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.reply(Method::ToolsList, |request| request.with_id("9999").reply()))
        .serve();
}
