//! Sets error to null beside the result of initialize (`result-and-error`); `--sane` leaves it out.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::Initialize, |request| request.reply_with(r#""error":null"#))
        })
        .serve();
}
