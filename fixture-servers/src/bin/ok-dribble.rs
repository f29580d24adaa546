//! Writes every reply one byte at a time (a control); `--sane` changes nothing.

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .send(|message, out| {
            for byte in message {
                out.write([*byte]);
            }
            out.write("\n");
        })
        .serve();
}
