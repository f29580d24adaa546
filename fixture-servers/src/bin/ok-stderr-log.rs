//! Logs to stderr, where logs belong (a control); `--sane` changes nothing.

use fixture_servers::{Method, Server, log};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .at_start(|_| log("INFO  listening on stdio"))
        .before_reply(Method::ToolsList, |_| log("DEBUG listing tools"))
        .before_reply(Method::Unknown, |_| log("ERROR no such method"))
        .at_eof(|_| log("INFO  bye"))
        .serve();
}
