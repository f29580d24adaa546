//! Answers initialize with a revision that has no handshake (`version-negotiation`); `--sane` with
//! the one that was asked for.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::Initialize, |request| {
                let reply = request.initialize_reply(r#"{"tools":{}}"#);
                reply.replace("2025-11-25", "2026-07-28")
            })
        })
        .serve();
}
