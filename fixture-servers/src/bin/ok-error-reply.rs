//! Tells of a failing tool on stderr, and answers by an error (a control); `--sane` changes
//! nothing.

use fixture_servers::{Method, Server, log};

const TRACE: &str = "\
Traceback (most recent call last):
  File \"/srv/weather.py\", line 41, in echo
    return cities[name]
KeyError: 'name'";

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .before_reply(Method::ToolsCall, |_| log(TRACE))
        .reply(Method::ToolsCall, |request| request.error(-32603, "no such city"))
        .serve();
}
