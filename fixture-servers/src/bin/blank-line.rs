//! Prints an empty line before the tools/list reply (`empty-frame`); `--sane` prints none.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.before_reply(Method::ToolsList, |out| out.line("")))
        .serve();
}
