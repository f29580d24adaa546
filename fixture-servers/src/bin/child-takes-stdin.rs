//! Starts a child that reads stdin in its place (`no-response`); `--sane` starts none.

use fixture_servers::{Method, Server, give_stdin_to_a_child};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.instead_of_reply(Method::ToolsList, |request, out| {
                give_stdin_to_a_child(|| out.line(request.reply()));
            })
        })
        .serve();
}
