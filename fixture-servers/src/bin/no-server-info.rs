//! Leaves serverInfo out of the initialize result (`schema-mismatch`); `--sane` has it.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::Initialize, |request| {
                request.result(r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}"#)
            })
        })
        .serve();
}
