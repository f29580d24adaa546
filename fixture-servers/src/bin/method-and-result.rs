//! Names a method in the tools/list reply (`method-and-result`); `--sane` names none.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::ToolsList, |request| {
                request.reply_with(r#""method":"tools/listed""#)
            })
        })
        .serve();
}
