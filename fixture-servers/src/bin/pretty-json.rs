//! Spreads the tools/list reply over many lines (`split-message`); `--sane` writes one line.

use fixture_servers::{Method, Server};

const REPLY: &str = r#"{
  "jsonrpc": "2.0",
  "id": ID,
  "result": {
    "tools": [
      {
        "name": "echo",
        "inputSchema": {
          "type": "object"
        }
      }
    ]
  }
}"#;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply(Method::ToolsList, |request| REPLY.replace("ID", &request.id))
        })
        .serve();
}
