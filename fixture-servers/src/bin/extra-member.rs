//! Puts a time stamp beside the result of initialize (`extra-member`, advice); `--sane` leaves it
//! out.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::Initialize, |request| request.reply_with(r#""timestamp":1"#))
        })
        .serve();
}
