//! Prints a coloured line on stdout where FORCE_COLOR is set (`invalid-json`); `--sane` never does.

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.at_start(|out| {
                if std::env::var_os("FORCE_COLOR").is_some() {
                    out.line("\u{1b}[32minfo\u{1b}[0m ready");
                }
            })
        })
        .serve();
}
