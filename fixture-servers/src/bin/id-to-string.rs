//! Turns integer ids into strings (`id-changed`); `--sane` copies them.

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply_id(|id| match id.parse::<i64>() {
                Ok(integer) => format!("\"{integer}\""),
                Err(_) => id.to_owned(),
            })
        })
        .serve();
}
