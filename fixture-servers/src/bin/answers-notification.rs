//! Answers notifications/initialized by an error (`reply-to-notification`); `--sane` is silent.

use fixture_servers::{Method, NULL_ID_ERROR, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.on_notification(Method::Initialized, |out| out.line(NULL_ID_ERROR)))
        .serve();
}
