//! Answers tools/list twice (`duplicate-response`); `--sane` answers it once.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            // In one write, so that the client asks nothing between the two.
            server.reply(Method::ToolsList, |request| format!("{0}\n{0}", request.reply()))
        })
        .serve();
}
