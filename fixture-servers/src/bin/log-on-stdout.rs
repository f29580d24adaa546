//! Logs what it was given to log in a message on stdout too (`canary-on-stdout`); `--sane` to
//! stderr alone.

use fixture_servers::{LOG_NOTIFICATION, Method, Server, log};

fn main() {
    let canary = std::env::var("CANARY").unwrap_or_default();
    let message = LOG_NOTIFICATION.replace("hello", &canary);
    Server::new(env!("CARGO_BIN_NAME"))
        .reply(Method::Initialize, |request| {
            request.initialize_reply(r#"{"logging":{},"tools":{}}"#)
        })
        .reply(Method::SetLevel, |request| request.result("{}"))
        .at_start(move |_| log(&canary))
        .defect(|server| server.before_reply(Method::ToolsList, move |out| out.line(&message)))
        .serve();
}
