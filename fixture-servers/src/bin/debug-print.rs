//! Prints a debug line while it lists its tools (`invalid-json`); `--sane` prints none.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.before_reply(Method::ToolsList, |out| out.line("listing tools")))
        .serve();
}
