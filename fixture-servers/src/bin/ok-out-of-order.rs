//! Answers tools/list after prompts/list, or after a second (a control); `--sane` changes nothing.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use fixture_servers::{Method, Server};

fn main() {
    let holding = Rc::new(Cell::new(None));
    let held = Rc::clone(&holding);
    Server::new(env!("CARGO_BIN_NAME"))
        .reply(Method::Initialize, |request| {
            request.initialize_reply(r#"{"prompts":{},"tools":{}}"#)
        })
        .instead_of_reply(Method::ToolsList, move |request, out| {
            let (hold, released) = mpsc::channel::<()>();
            holding.set(Some(hold));
            let (reply, out) = (request.reply(), out.clone());
            thread::spawn(move || {
                // Nothing is ever sent: the wait ends when `hold` is dropped.
                let _ = released.recv_timeout(Duration::from_secs(1));
                out.line(reply);
            });
        })
        .reply(Method::PromptsList, |request| request.result(r#"{"prompts":[]}"#))
        .after_reply(Method::PromptsList, move |_| drop(held.take()))
        .serve();
}
