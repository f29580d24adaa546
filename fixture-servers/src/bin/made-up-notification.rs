//! Sends a notification of its own making (`unknown-notification`, advice); `--sane` sends none.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.before_reply(Method::Unknown, |out| {
                out.line(r#"{"jsonrpc":"2.0","method":"notifications/ready"}"#);
            })
        })
        .serve();
}
