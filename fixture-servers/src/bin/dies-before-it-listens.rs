//! Ends with an error where stdin ends before a line came (`nonzero-exit`, advice); `--sane` ends
//! well.

use std::cell::Cell;
use std::process::exit;
use std::rc::Rc;

use fixture_servers::Server;

fn main() {
    let heard = Rc::new(Cell::new(false));
    let asked = Rc::clone(&heard);
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.on_line(move |_, _| asked.set(true)).at_eof(move |_| {
                if !heard.get() {
                    exit(1);
                }
            })
        })
        .serve();
}
