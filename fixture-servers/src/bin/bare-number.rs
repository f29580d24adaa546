//! Prints a number before the tools/list reply (`not-an-object`); `--sane` prints none.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.before_reply(Method::ToolsList, |out| out.line("42")))
        .serve();
}
