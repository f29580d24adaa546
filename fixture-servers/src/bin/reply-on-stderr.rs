//! Writes the tools/list reply to stderr (`replied-on-stderr`); `--sane` writes it to stdout.

use fixture_servers::{Method, Server, log};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.instead_of_reply(Method::ToolsList, |request, _| log(request.reply()))
        })
        .serve();
}
