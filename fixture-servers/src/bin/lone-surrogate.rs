//! Cuts the tool's description inside a surrogate pair (`lone-surrogate`, advice); `--sane` leaves
//! the description out.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::ToolsList, |request| request.tool_described_as(br"echo \ud83d"))
        })
        .serve();
}
