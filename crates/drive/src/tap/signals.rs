//! The signals that a tap passes on to the server.

use std::io;
use std::os::unix::net::UnixStream;
use std::task::Poll;

use rustix::process::Signal;
use signal_hook::low_level::pipe::register;
use tokio::io::ReadBuf;

/// Listens for the signals that are passed on. Those that a terminal sends reach the server
/// through us alone: it leads a session of its own.
pub(super) struct Signals {
    streams: Vec<(Signal, tokio::net::UnixStream)>,
}

impl Signals {
    /// Must be called within a runtime.
    pub(super) fn new() -> io::Result<Self> {
        let passed =
            [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT, Signal::USR1, Signal::USR2];
        let listen = |signal: Signal| {
            let (arrived, told) = UnixStream::pair()?;
            register(signal.as_raw(), told)?;
            arrived.set_nonblocking(true)?;
            Ok((signal, tokio::net::UnixStream::from_std(arrived)?))
        };
        Ok(Self { streams: passed.into_iter().map(listen).collect::<io::Result<_>>()? })
    }

    /// The next signal. One that comes again before it was heard is heard once.
    pub(super) async fn next(&mut self) -> Signal {
        std::future::poll_fn(|context| {
            for (signal, stream) in &mut self.streams {
                let mut bytes = [0; 64];
                let read = tokio::io::AsyncRead::poll_read(
                    std::pin::Pin::new(stream),
                    context,
                    &mut ReadBuf::new(&mut bytes),
                );
                if matches!(read, Poll::Ready(Ok(()))) {
                    return Poll::Ready(*signal);
                }
            }
            Poll::Pending
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
