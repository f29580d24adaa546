//! Prints the stack trace of a failing tool to stdout (`invalid-json`); `--sane` prints none, and
//! the error reply alone tells of the failure.

use fixture_servers::{Method, Server};

const TRACE: &str = "\
java.lang.IllegalStateException: no such city
\tat com.example.weather.Cities.find(Cities.java:41)
\tat com.example.weather.Tools.call(Tools.java:97)
\tat com.example.weather.Main.main(Main.java:12)";

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .reply(Method::ToolsCall, |request| request.error(-32603, "no such city"))
        .defect(|server| server.before_reply(Method::ToolsCall, |out| out.line(TRACE)))
        .serve();
}
