//! Has decoded a description wrongly (`replacement-character`, advice); `--sane` leaves the
//! description out.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::ToolsList, |request| {
                request.tool_described_as("caf\u{FFFD}".as_bytes())
            })
        })
        .serve();
}
