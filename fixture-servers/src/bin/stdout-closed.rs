//! Closes stdout after the initialize reply and lives on (`stdout-closed`); `--sane` keeps it open.

use fixture_servers::{Method, Server, start_over_after};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            // What holds stdout ends when another program takes over the process.
            server.after_reply(Method::Initialize, |_| start_over_after("exec >/dev/null"))
        })
        .serve();
}
