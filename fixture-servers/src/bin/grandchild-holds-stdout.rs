//! Leaves a child behind that holds stdout open (`leaked-descendant`, advice); `--sane` starts
//! none.

use fixture_servers::{Server, hold_stdout_in_a_child};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.at_start(|_| hold_stdout_in_a_child()))
        .serve();
}
