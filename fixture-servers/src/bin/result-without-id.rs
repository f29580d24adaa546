//! Leaves the id out of the tools/list reply (`id-missing`); `--sane` copies it.

use fixture_servers::{Method, Server, TOOLS};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::ToolsList, |_| format!(r#"{{"jsonrpc":"2.0","result":{TOOLS}}}"#))
        })
        .serve();
}
