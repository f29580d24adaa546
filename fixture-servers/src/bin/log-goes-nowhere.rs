//! Does not log what it was given to log (`canary-missing`); `--sane` logs it to stderr.

use fixture_servers::{Server, log};

fn main() {
    let canary = std::env::var("CANARY").unwrap_or_default();
    let mut logs = Some(canary);
    Server::new(env!("CARGO_BIN_NAME"))
        .at_start(move |_| logs.take().into_iter().for_each(log))
        .defect(|server| server.at_start(|_| {}))
        .serve();
}
