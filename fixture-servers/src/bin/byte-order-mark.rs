//! Writes a byte-order mark before its first reply (`byte-order-mark`); `--sane` writes none.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.before_reply(Method::Initialize, |out| out.write(b"\xEF\xBB\xBF")))
        .serve();
}
