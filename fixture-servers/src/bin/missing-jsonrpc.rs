//! Leaves "jsonrpc" out of the initialize reply (`jsonrpc-version`); `--sane` writes it.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::Initialize, |request| {
                request.reply().replacen(r#""jsonrpc":"2.0","#, "", 1)
            })
        })
        .serve();
}
