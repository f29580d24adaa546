//! Prints text without a newline before the tools/list reply (`invalid-json`); `--sane` prints
//! none.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.before_reply(Method::ToolsList, |out| out.write("[info] 1 tool ")))
        .serve();
}
