//! A server of the Rust SDK, rmcp.

use std::time::Duration;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::{ServiceExt, tool, tool_router, transport::stdio};

#[derive(Clone)]
struct Server;

#[derive(serde::Deserialize, rmcp::schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Text {
    text: String,
}

#[tool_router(server_handler)]
impl Server {
    /// Gives the text back, after a while: what an SDK may lose when stdin ends.
    #[tool(annotations(read_only_hint = true))]
    async fn echo(&self, Parameters(Text { text }): Parameters<Text>) -> String {
        tokio::time::sleep(Duration::from_millis(100)).await;
        text
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Server.serve(stdio()).await?.waiting().await?;
    Ok(())
}
