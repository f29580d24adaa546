//! Ends before it reads or writes anything (`exit-before-frame`); `--sane` serves.

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.at_start(|_| std::process::exit(0)))
        .serve();
}
