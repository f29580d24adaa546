//! Sends a last notification without a newline when stdin ends (`unterminated-frame`); `--sane`
//! sends none.

use fixture_servers::{LOG_NOTIFICATION, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.at_eof(|out| out.write(LOG_NOTIFICATION)))
        .serve();
}
