//! Prints a line on stdout once its cache is warm, from the second run in a HOME on (`invalid-json`);
//! `--sane` never does.

use std::env;
use std::fs::File;
use std::io::ErrorKind;
use std::path::PathBuf;

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.at_start(|out| {
                let cache = env::var_os("HOME").map(|home| PathBuf::from(home).join(".cached"));
                let found = cache.map(File::create_new).and_then(Result::err);
                if found.is_some_and(|error| error.kind() == ErrorKind::AlreadyExists) {
                    out.line("cache: 14 entries restored");
                }
            })
        })
        .serve();
}
