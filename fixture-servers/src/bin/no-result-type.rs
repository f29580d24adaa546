//! Serves revision 2026-07-28 and leaves out the kind of a result (`result-kind`); `--sane` says it.

use fixture_servers::{DISCOVERED, Method, Server, TOOLS_OF_2026};

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .reply(Method::Discover, |request| request.result(DISCOVERED))
        .reply(Method::ToolsList, |request| request.result(TOOLS_OF_2026))
        .defect(|server| {
            server.reply(Method::ToolsList, |request| {
                request.result(&TOOLS_OF_2026.replace(r#""resultType":"complete","#, ""))
            })
        })
        .serve();
}
