//! Answers tools/list with more than 4096 bytes, to be judged with that limit (`oversized-frame`);
//! `--sane` gives the tool a short description.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .reply(Method::ToolsList, |request| request.tool_described_as(b"short"))
        .defect(|server| {
            server.reply(Method::ToolsList, |request| {
                request.tool_described_as(&b"long ".repeat(1000))
            })
        })
        .serve();
}
