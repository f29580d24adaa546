//! Sends a notification whose method is a number before the tools/list reply (`method-type`);
//! `--sane` sends none.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.before_reply(Method::ToolsList, |out| {
                out.line(r#"{"jsonrpc":"2.0","method":7}"#);
            })
        })
        .serve();
}
