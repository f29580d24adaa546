//! Writes 8 MiB to stderr before its first reply (a control); `--sane` changes nothing.

use fixture_servers::{Method, Server, log};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .before_reply(Method::Initialize, |_| {
            for _ in 0..131_072 {
                log("TRACE one line of 64 bytes with its newline, of which many come");
            }
        })
        .serve();
}
