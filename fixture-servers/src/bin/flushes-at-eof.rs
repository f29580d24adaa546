//! Keeps its replies in a buffer until stdin ends (`no-response`); `--sane` writes each at once.

use std::cell::RefCell;
use std::rc::Rc;

use fixture_servers::Server;

fn main() {
    let buffer = Rc::new(RefCell::new(Vec::new()));
    let kept = Rc::clone(&buffer);
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server
                .send(move |message, _| {
                    kept.borrow_mut().extend_from_slice(message);
                    kept.borrow_mut().push(b'\n');
                })
                .at_eof(move |out| out.write(&*buffer.borrow()))
        })
        .serve();
}
