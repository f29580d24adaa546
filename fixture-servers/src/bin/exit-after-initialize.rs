//! Ends when tools/list comes (`exit-before-response`); `--sane` answers it.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.instead_of_reply(Method::ToolsList, |_, _| std::process::exit(0)))
        .serve();
}
