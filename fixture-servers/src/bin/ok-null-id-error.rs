//! Sends an error with a null id before the error for an unknown method, which is no more than
//! `id-null` advice (a control); `--sane` changes nothing.

use fixture_servers::{Method, NULL_ID_ERROR, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .before_reply(Method::Unknown, |out| out.line(NULL_ID_ERROR))
        .serve();
}
