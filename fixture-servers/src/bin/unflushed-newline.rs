//! Never writes the newline after the tools/list reply (`partial-frame`); `--sane` writes it.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.instead_of_reply(Method::ToolsList, |request, out| out.write(request.reply()))
        })
        .serve();
}
