//! Prints its progress while a tool runs (`invalid-json`); `--sane` prints none.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.before_reply(Method::ToolsCall, |out| {
                out.line("→ echo called");
                out.line("  arguments: none");
                out.line("✓ done in 3 ms");
            })
        })
        .serve();
}
