//! Ends with status 3 when stdin ends (`nonzero-exit`, advice); `--sane` ends with status 0.

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.at_eof(|_| std::process::exit(3)))
        .serve();
}
