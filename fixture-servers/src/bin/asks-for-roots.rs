//! Asks for roots that the client did not offer (`undeclared-capability`); `--sane` does not ask.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.before_reply(Method::ToolsList, |out| {
                out.line(r#"{"jsonrpc":"2.0","id":"s1","method":"roots/list"}"#);
            })
        })
        .serve();
}
