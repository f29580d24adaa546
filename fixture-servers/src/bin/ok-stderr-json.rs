//! Logs every reply to stderr as the same JSON (a control); `--sane` changes nothing.

use fixture_servers::{Server, log};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .send(|message, out| {
            log(message);
            out.line(message);
        })
        .serve();
}
