//! Answers tools/call by a string (`result-type`); `--sane` by an object.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.reply(Method::ToolsCall, |request| request.result(r#""hello""#)))
        .serve();
}
