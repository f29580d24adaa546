//! Leaves the code out of the error for an unknown method (`error-shape`); `--sane` writes it.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server
                .reply(Method::Unknown, |request| request.reply().replace(r#""code":-32601,"#, ""))
        })
        .serve();
}
