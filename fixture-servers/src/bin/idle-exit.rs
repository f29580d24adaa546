//! Ends by itself after half a second without a line (`exit-while-idle`); `--sane` stays.

use std::process::exit;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use fixture_servers::{Method, Server};

fn main() {
    let (line, lines) = mpsc::channel();
    let mut lines = Some(lines);
    Server::new(env!("CARGO_BIN_NAME"))
        .defect(|server| {
            server
                .on_line(move |_, _| line.send(()).expect("the other end is kept"))
                .on_notification(Method::Initialized, move |_| {
                    let Some(lines) = lines.take() else { return };
                    thread::spawn(move || {
                        while lines.recv_timeout(Duration::from_millis(500)).is_ok() {}
                        exit(0)
                    });
                })
        })
        .serve();
}
