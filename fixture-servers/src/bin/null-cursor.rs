//! Says that its next cursor is null (`schema-mismatch`); `--sane` leaves the cursor out.

use fixture_servers::{Method, Server, TOOLS};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::ToolsList, |request| {
                let mut reply = request.result(TOOLS);
                reply.truncate(reply.len() - 2);
                reply + r#","nextCursor":null}}"#
            })
        })
        .serve();
}
