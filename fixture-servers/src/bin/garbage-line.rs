//! Writes a line of binary data before the tools/list reply (`decode-error`); `--sane` writes none.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.before_reply(Method::ToolsList, |out| out.line(b"\x1f\x8b\x08\xff"))
        })
        .serve();
}
