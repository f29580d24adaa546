//! Prints a notice the first time that it is run in a HOME (`invalid-json`); `--sane` never does.

use std::env;
use std::fs::File;
use std::path::PathBuf;

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.at_start(|out| {
                let mark = env::var_os("HOME").map(|home| PathBuf::from(home).join(".noticed"));
                if mark.is_some_and(|mark| File::create_new(mark).is_ok()) {
                    out.line("Telemetry is on. To turn it off, set DEMO_TELEMETRY=0.");
                }
            })
        })
        .serve();
}
