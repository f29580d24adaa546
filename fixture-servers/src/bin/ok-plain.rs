//! Makes no mistake at all (a control); `--sane` changes nothing.

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME")).serve();
}
