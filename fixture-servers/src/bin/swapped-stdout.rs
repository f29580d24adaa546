//! Sends what it replies while a call is under way to stderr (`replied-on-stderr`), as a guard does
//! that swaps stdout for each call; `--sane` swaps nothing.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use fixture_servers::{Method, Server, log};

fn main() {
    let under_way = Arc::new(AtomicBool::new(false));
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server.instead_of_reply(Method::ToolsCall, move |request, out| {
                if under_way.swap(true, Ordering::SeqCst) {
                    return log(request.reply());
                }
                let (reply, out, over) = (request.reply(), out.clone(), Arc::clone(&under_way));
                thread::spawn(move || {
                    let (_never, told) = mpsc::channel::<()>();
                    // Nothing is ever told: this is what a call takes.
                    let _ = told.recv_timeout(Duration::from_millis(200));
                    over.store(false, Ordering::SeqCst);
                    out.line(reply);
                });
            })
        })
        .serve();
}
