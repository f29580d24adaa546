//! Ends in the middle of the tools/list reply (`partial-frame`); `--sane` writes the whole reply
//! and lives on.

use fixture_servers::{Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.instead_of_reply(Method::ToolsList, |request, out| {
                let reply = request.reply();
                out.write(&reply[..reply.len() / 2]);
                std::process::exit(0);
            })
        })
        .serve();
}
