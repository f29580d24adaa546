//! Writes line separators of Unicode raw and newlines as escapes in a string, all of which is legal
//! (a control); `--sane` changes nothing.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .reply(Method::ToolsList, |request| {
            let raw = "raw: \u{2028}\u{2029}\u{85}, ";
            request.tool_described_as(format!(r"{raw}escaped: \n\r\u000a\u2028").as_bytes())
        })
        .serve();
}
