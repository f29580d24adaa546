//! Prints text behind the tools/list reply, on the same line (`invalid-json`); `--sane` prints
//! none.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::ToolsList, |request| request.reply() + " listed 1 tool")
        })
        .serve();
}
