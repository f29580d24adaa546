//! Answers tools/call with 5 MiB on one line (a control); `--sane` changes nothing.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .reply(Method::ToolsCall, |request| {
            request.reply().replace("hello", &"a".repeat(5 * 1024 * 1024))
        })
        .serve();
}
