//! Answers an unknown method by the code of invalid params (`wrong-error-code`, advice); `--sane`
//! by that of an unknown method.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::Unknown, |request| request.error(-32602, "Invalid params"))
        })
        .serve();
}
