//! Nests the result of a tool deeper than 128 levels (`deep-nesting`, advice); `--sane` writes a
//! flat result.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::ToolsCall, |request| {
                let tree = "[".repeat(150) + &"]".repeat(150);
                request
                    .result(&format!(r#"{{"content":[],"structuredContent":{{"tree":{tree}}}}}"#))
            })
        })
        .serve();
}
