//! Sends notifications between its replies (a control); `--sane` changes nothing.

use fixture_servers::{LOG_NOTIFICATION, Method, Server};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .reply(Method::Initialize, |request| {
            request.initialize_reply(r#"{"logging":{},"tools":{}}"#)
        })
        .reply(Method::SetLevel, |request| request.result("{}"))
        .before_reply(Method::ToolsList, |out| out.line(LOG_NOTIFICATION))
        .before_reply(Method::Unknown, |out| out.line(LOG_NOTIFICATION))
        .serve();
}
