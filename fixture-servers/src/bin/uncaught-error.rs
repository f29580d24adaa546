//! Dies of an error in a tool (`exit-before-response`); `--sane` answers the call.

use fixture_servers::{Method, Server, log};

const TRACE: &str = "\
Traceback (most recent call last):
  File \"/srv/weather.py\", line 41, in echo
    return cities[name]
KeyError: 'name'";

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.instead_of_reply(Method::ToolsCall, |_, _| {
                log(TRACE);
                std::process::exit(1);
            })
        })
        .serve();
}
