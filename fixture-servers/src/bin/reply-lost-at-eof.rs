//! Keeps its replies to ping until more comes, and so loses them when stdin ends (`lost-at-eof`,
//! advice); `--sane` answers at once.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.instead_of_reply(Method::Ping, |_, _| {}))
        .serve();
}
