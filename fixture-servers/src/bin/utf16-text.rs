//! Prints a line of UTF-16 before its first reply, as wsl.exe does (`invalid-json`, since letters
//! with NUL bytes between are valid UTF-8); `--sane` prints none.

use fixture_servers::{Method, Server};

const NOTICE: &str = "wsl: a localhost proxy was detected";

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.before_reply(Method::Initialize, |out| {
                // The newline is a single byte: the NUL of its second half would spoil the reply.
                let utf16 = NOTICE.encode_utf16().flat_map(u16::to_le_bytes);
                out.line(utf16.collect::<Vec<u8>>());
            })
        })
        .serve();
}
