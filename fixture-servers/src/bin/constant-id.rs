//! Gives every reply the id 1 (`unknown-id`); `--sane` gives it that of its request.

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.reply_id(|_| "1".to_owned()))
        .serve();
}
