//! Spins when stdin ends (`busy-at-eof`, advice); `--sane` ends with stdin.

use std::hint::spin_loop;

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.at_eof(|_| {
                loop {
                    spin_loop();
                }
            })
        })
        .serve();
}
