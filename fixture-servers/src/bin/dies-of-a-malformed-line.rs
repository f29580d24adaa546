//! Ends when it reads a line that is no JSON object (`exit-before-response`); `--sane` reads on.

use std::process::exit;

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.on_line(|line, _| {
                if !line.ends_with(b"}\n") {
                    exit(1);
                }
            })
        })
        .serve();
}
