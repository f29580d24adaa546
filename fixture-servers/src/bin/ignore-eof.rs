//! Lives on when stdin ends, until SIGTERM (`no-exit-at-eof`, advice); `--sane` ends with stdin.

use fixture_servers::{Server, live_on};

fn main() {
    Server::new(env!("CARGO_BIN_NAME")).defect(|server| server.at_eof(|_| live_on())).serve();
}
