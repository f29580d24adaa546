//! Pings the client, and answers tools/list when the answer has come (a control); `--sane` changes
//! nothing.

use std::cell::Cell;
use std::rc::Rc;

use fixture_servers::{Method, Server};

fn main() {
    let holding = Rc::new(Cell::new(None));
    let held = Rc::clone(&holding);
    Server::new(env!("CARGO_BIN_NAME"))
        .instead_of_reply(Method::ToolsList, move |request, out| {
            holding.set(Some(request.reply()));
            out.line(r#"{"jsonrpc":"2.0","id":"ping-1","method":"ping"}"#);
        })
        .on_client_reply(move |out| {
            if let Some(reply) = held.take() {
                out.line(reply);
            }
        })
        .serve();
}
