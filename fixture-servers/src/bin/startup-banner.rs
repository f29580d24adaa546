//! Prints a banner before it reads stdin (`invalid-json`); `--sane` prints none.

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.at_start(|out| out.line("startup-banner 1.0 listening on stdio")))
        .serve();
}
