//! Ends its lines by CR LF (`carriage-return`, advice); `--sane` ends them by LF.

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.send(|message, out| out.line([message, b"\r"].concat())))
        .serve();
}
