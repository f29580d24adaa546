//! Says good-bye on stdout when stdin ends (`invalid-json`); `--sane` says nothing.

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.at_eof(|out| out.line("bye")))
        .serve();
}
