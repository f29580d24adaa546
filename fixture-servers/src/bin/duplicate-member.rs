//! Writes the id of the tools/list reply twice, once with an escape in its name
//! (`duplicate-member`); `--sane` writes it once.

use fixture_servers::{Method, Server, TOOLS};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::ToolsList, |request| {
                let id = &request.id;
                format!(r#"{{"jsonrpc":"2.0","id":{id},"\u0069d":{id},"result":{TOOLS}}}"#)
            })
        })
        .serve();
}
