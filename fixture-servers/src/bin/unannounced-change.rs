//! Tells of a changed tool list and has not announced that it will (`undeclared-capability`,
//! advice); `--sane` tells nothing.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.before_reply(Method::Unknown, |out| {
                out.line(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
            })
        })
        .serve();
}
