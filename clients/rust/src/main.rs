//! The client of the Rust SDK: connect, list the tools, call one, and close. The last line says
//! what became of it; `outcome:` is what `mcp-stdio-probe judge` reads.

use std::future::Future;
use std::io;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::service::ServiceError;
use rmcp::transport::TokioChildProcess;
use tokio::process::Command;
use tokio::time::timeout;

const TIMEOUT: Duration = Duration::from_secs(3);

static SAID: AtomicBool = AtomicBool::new(false);

/// Whatever is logged at the level of a warning or above.
struct Listener;

impl io::Write for Listener {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        SAID.store(true, Ordering::Relaxed);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .with_writer(|| Listener)
        .init();
    let word = session().await.err().unwrap_or("silent");
    let said = SAID.load(Ordering::Relaxed);
    match (word, said) {
        ("silent", true) => println!("outcome: logged"),
        ("reply lost", true) => println!("outcome: reply lost, logged"),
        (word, _) => println!("outcome: {word}"),
    }
    std::process::exit(0);
}

async fn session() -> Result<(), &'static str> {
    let mut words = std::env::args_os().skip(1);
    let mut command = Command::new(words.next().ok_or("no server")?);
    command.args(words);
    let (process, _) = TokioChildProcess::builder(command)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|_| "no server")?;
    let client = match timeout(TIMEOUT, ().serve(process)).await {
        Ok(Ok(client)) => client,
        Ok(Err(error)) if error.to_string().contains("closed") => return Err("connection dies"),
        Ok(Err(_)) => return Err("reply refused"),
        Err(_) => return Err("reply lost"),
    };
    step(client.list_all_tools()).await?;
    step(client.call_tool(CallToolRequestParams::new("echo"))).await
}

async fn step<T>(reply: impl Future<Output = Result<T, ServiceError>>) -> Result<(), &'static str> {
    match timeout(TIMEOUT, reply).await {
        // An error reply is a reply.
        Ok(Ok(_) | Err(ServiceError::McpError(_))) => Ok(()),
        Ok(Err(ServiceError::TransportClosed | ServiceError::TransportSend(_))) => {
            Err("connection dies")
        }
        Ok(Err(_)) => Err("reply refused"),
        Err(_) => Err("reply lost"),
    }
}
