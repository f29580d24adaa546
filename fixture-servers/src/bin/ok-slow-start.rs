//! Takes a second before it reads anything (a control); `--sane` changes nothing.

use std::sync::mpsc;
use std::time::Duration;

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .at_start(|_| {
            let (_never, told) = mpsc::channel::<()>();
            // Nothing is ever told: this is what the start takes.
            let _ = told.recv_timeout(Duration::from_secs(1));
        })
        .serve();
}
