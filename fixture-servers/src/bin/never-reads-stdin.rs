//! Never reads stdin, nor sees its end (`no-response`); `--sane` serves.

use fixture_servers::{Server, live_on};

fn main() {
    Server::new(env!("CARGO_BIN_NAME")).defect(|server| server.at_start(|_| live_on())).serve();
}
