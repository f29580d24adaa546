//! Writes a description in ISO 8859-1 (`decode-error`); `--sane` leaves the description out.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::ToolsList, |request| request.tool_described_as(b"caf\xE9"))
        })
        .serve();
}
