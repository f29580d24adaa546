//! The signals that a tap passes on to the server.

use std::io;

use rustix::process::Signal;
use tokio::signal::unix::{self, SignalKind};

/// Listens for the signals that are passed on. Those that a terminal sends reach the server
/// through us alone: it leads a process group of its own.
pub(super) struct Signals {
    streams: Vec<(Signal, unix::Signal)>,
}

impl Signals {
    pub(super) fn new() -> io::Result<Self> {
        let passed = [
            (Signal::TERM, SignalKind::terminate()),
            (Signal::INT, SignalKind::interrupt()),
            (Signal::HUP, SignalKind::hangup()),
            (Signal::QUIT, SignalKind::quit()),
            (Signal::USR1, SignalKind::user_defined1()),
            (Signal::USR2, SignalKind::user_defined2()),
        ];
        let listen = |(signal, kind)| Ok((signal, unix::signal(kind)?));
        Ok(Self { streams: passed.into_iter().map(listen).collect::<io::Result<_>>()? })
    }

    /// The next signal.
    pub(super) async fn next(&mut self) -> Signal {
        std::future::poll_fn(|context| {
            for (signal, stream) in &mut self.streams {
                if stream.poll_recv(context).is_ready() {
                    return std::task::Poll::Ready(*signal);
                }
            }
            std::task::Poll::Pending
        })
        .await
    }
}

/// The signal as the detector knows it: after one that ends the server, an unfinished line is
/// not the server's fault.
pub(super) fn of(signal: Signal) -> Option<model::Signal> {
    match signal {
        Signal::TERM | Signal::INT | Signal::HUP | Signal::QUIT => Some(model::Signal::Term),
        _ => None,
    }
}
