//! Tries a write that fails again for ever (`stdout-write-retry`, advice); `--sane` ends by it.

use std::io::{Write, stdout};

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.send(|message, _| {
                let line = [message, b"\n"].concat();
                while stdout().write_all(&line).and_then(|()| stdout().flush()).is_err() {}
            })
        })
        .serve();
}
