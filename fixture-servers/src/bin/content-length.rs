//! Frames its replies as language servers do (`content-length-header`); `--sane` ends each by a
//! newline.

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.send(|message, out| {
                let header = format!("Content-Length: {}\r\n\r\n", message.len());
                out.write([header.as_bytes(), message].concat());
            })
        })
        .serve();
}
