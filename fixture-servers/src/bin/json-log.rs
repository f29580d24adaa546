//! Logs JSON to stdout before the tools/list reply (`jsonrpc-version`); `--sane` logs nothing.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.before_reply(Method::ToolsList, |out| {
                out.line(r#"{"level":"info","msg":"x"}"#);
            })
        })
        .serve();
}
