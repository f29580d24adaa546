//! Sends a notification with an array for params before the tools/list reply (`params-type`);
//! `--sane` sends none.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.before_reply(Method::ToolsList, |out| {
                out.line(r#"{"jsonrpc":"2.0","method":"notifications/message","params":[]}"#);
            })
        })
        .serve();
}
