//! The two servers of `demo`, as small as a server can be.

use std::io::{self, BufRead, Write};

use serde_json::{Value, json};

use super::args::DemoServer;
use super::{Status, output};

pub(crate) fn serve(server: DemoServer) -> Status {
    output::say("demo server: this log line belongs on stderr");
    let mut stdout = io::stdout().lock();
    let banner = match server {
        DemoServer::Clean => Ok(()),
        DemoServer::Banner => writeln!(stdout, "Demo MCP server v1.0 running on stdio"),
    };
    let served = banner.and_then(|()| {
        for line in io::stdin().lock().lines() {
            if let Some(reply) = reply(&line?) {
                writeln!(stdout, "{reply}")?;
            }
        }
        Ok(())
    });
    match served {
        Ok(()) => Status::Valid,
        Err(_) => Status::Internal,
    }
}

/// The reply to a request; None for anything else.
fn reply(line: &str) -> Option<Value> {
    let message: Value = serde_json::from_str(line).ok()?;
    let (id, method) = (message.get("id")?, message.get("method")?.as_str()?);
    let result = match method {
        "initialize" => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "demo", "version": "1.0"},
        }),
        "tools/list" => json!({
            "tools": [{"name": "echo", "inputSchema": {"type": "object"}}],
        }),
        _ => {
            let error = json!({"code": -32601, "message": "Method not found"});
            return Some(json!({"jsonrpc": "2.0", "id": id, "error": error}));
        }
    };
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}
