//! Sends a request with the id 1.5 before the tools/list reply (`id-type`); `--sane` sends none.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.before_reply(Method::ToolsList, |out| {
                out.line(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#);
            })
        })
        .serve();
}
