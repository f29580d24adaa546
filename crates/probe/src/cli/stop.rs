//! The signals that stop a run: the first asks for the short way down.

use std::cell::Cell;
use std::future::Future;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Which signal stopped the run, if one did.
#[derive(Debug, Default)]
pub(crate) struct Stopped(Cell<Option<u8>>);

impl Stopped {
    /// The number of the signal.
    pub(crate) fn by(&self) -> Option<u8> {
        self.0.get()
    }

    /// Completes when SIGINT, SIGTERM or SIGHUP arrives. Must be called within a runtime.
    pub(crate) fn on_signal(&self) -> impl Future<Output = ()> + '_ {
        let signals = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        async move {
            let [interrupt, terminate, hangup] =
                signals.map(|kind| (kind.as_raw_value(), signal(kind).ok()));
            let number = tokio::select! {
                number = arrival(interrupt) => number,
                number = arrival(terminate) => number,
                number = arrival(hangup) => number,
            };
            self.0.set(u8::try_from(number).ok());
        }
    }
}

async fn arrival((number, stream): (i32, Option<Signal>)) -> i32 {
    match stream {
        Some(mut stream) => {
            stream.recv().await;
            number
        }
        // A signal that cannot be listened for keeps its usual effect.
        None => std::future::pending().await,
    }
}
