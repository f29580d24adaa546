//! Writes integer ids as floats in its replies (`id-type`, advice); `--sane` copies them.

use fixture_servers::Server;

fn main() {
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.reply_id(|id| match id.parse::<i64>() {
                Ok(integer) => format!("{integer}.0"),
                Err(_) => id.to_owned(),
            })
        })
        .serve();
}
