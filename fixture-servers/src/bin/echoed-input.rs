//! Copies each line of stdin to stdout, as a terminal does (`echoed-input`); `--sane` copies none.

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| server.on_line(|line, out| out.write(line)))
        .serve();
}
