//! Answers tools/call with a little over 10 MiB (`large-frame`, advice); `--sane` with a word.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::ToolsCall, |request| {
                request.reply().replace("hello", &"a".repeat(10 * 1024 * 1024))
            })
        })
        .serve();
}
