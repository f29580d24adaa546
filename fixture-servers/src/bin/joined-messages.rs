//! Leaves out the newline between the tools/list reply and a notification (`joined-messages`);
//! `--sane` sends no notification.

use fixture_servers::{LOG_NOTIFICATION, Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::ToolsList, |request| request.reply() + LOG_NOTIFICATION)
        })
        .serve();
}
