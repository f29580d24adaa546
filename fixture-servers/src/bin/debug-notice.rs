//! Prints its settings on stdout where DEBUG is set (`invalid-json`); `--sane` never does.

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.at_start(|out| {
                if std::env::var_os("DEBUG").is_some() {
                    out.line("demo:settings loaded +0ms");
                }
            })
        })
        .serve();
}
