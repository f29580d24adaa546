//! Lives on when stdin ends, and ignores SIGTERM (`no-exit-at-eof` and `ignored-sigterm`, advice);
//! `--sane` ends with stdin or by the signal.

use fixture_servers::{Server, live_on, start_over_after};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.at_start(|_| start_over_after("trap '' TERM")).at_eof(|_| live_on())
        })
        .serve();
}
