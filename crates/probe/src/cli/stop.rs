//! The signals that stop the command: the first asks for the short way down and a partial report,
//! the second kills what is left, a third ends the command itself.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use drive::{Stop, is_ignored};
use nix::sys::signal::{SigSet, Signal};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use tokio::sync::watch;

/// What the signals that came ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    Nothing,
    /// The end, the short way.
    Gently,
    /// That everything be killed.
    AtOnce,
}

/// What is known of the signals that came, in the whole process.
struct Listener {
    asked: watch::Receiver<Asked>,
    /// The first signal that the thread heard. 0: none.
    first: AtomicUsize,
    /// The latest signal, written as it comes: the thread may hear of it too late. 0: none came.
    latest: Arc<AtomicUsize>,
    /// Sessions that are being played. While there is one, a second signal is its business.
    sessions: AtomicUsize,
}

static LISTENER: OnceLock<Option<Arc<Listener>>> = OnceLock::new();

/// Begins to listen for SIGINT, SIGTERM and SIGHUP. To be called before any server is launched, so
/// that none of them is lost.
///
/// A signal that we were started with blocked is let in again. SIGHUP is left alone if it was
/// ignored: that is how a command is told to outlive its terminal. SIGTSTP does nothing from here
/// on: a server in a session of its own would go on while our deadlines stood still.
pub(crate) fn listen() {
    LISTENER.get_or_init(|| start().ok());
}

fn start() -> std::io::Result<Arc<Listener>> {
    SigSet::empty().thread_set_mask()?;
    let mut stopping = vec![Signal::SIGINT, Signal::SIGTERM];
    if !is_ignored(Signal::SIGHUP) {
        stopping.push(Signal::SIGHUP);
    }
    signal_hook::flag::register(Signal::SIGTSTP as i32, Arc::default())?;
    let numbers: Vec<_> = stopping.into_iter().map(|signal| signal as i32).collect();
    let latest = Arc::new(AtomicUsize::new(0));
    for number in &numbers {
        let value = usize::try_from(*number).unwrap_or_default();
        signal_hook::flag::register_usize(*number, Arc::clone(&latest), value)?;
    }
    let mut signals = Signals::new(numbers)?;
    let (ask, asked) = watch::channel(Asked::Nothing);
    let (first, sessions) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let listener = Arc::new(Listener { asked, first, latest, sessions });
    let heard = Arc::clone(&listener);
    // A thread of its own hears a signal whatever the rest of the command is waiting for.
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for number in signals.forever() {
            let asked = *ask.borrow();
            let playing = heard.sessions.load(Ordering::SeqCst) > 0;
            match asked {
                Asked::Nothing => {
                    heard.first.store(usize::try_from(number).unwrap_or(0), Ordering::SeqCst);
                    ask.send_replace(Asked::Gently);
                }
                Asked::Gently if playing => {
                    ask.send_replace(Asked::AtOnce);
                }
                Asked::Gently | Asked::AtOnce => end_by(number),
            }
        }
    })?;
    Ok(listener)
}

/// Ends this process as the signal would have, had nobody listened for it.
pub(crate) fn end_by(number: i32) {
    // If it cannot be raised, the exit status tells of it.
    let _ = emulate_default_handler(number);
}

/// The signals that stop the run of a server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopped;

impl Stopped {
    /// The number of the signal that came first, if one did.
    pub(crate) fn by(&self) -> Option<u8> {
        let listener = listener()?;
        let came = [&listener.first, &*listener.latest].map(|signal| signal.load(Ordering::SeqCst));
        came.into_iter().find(|number| *number > 0).and_then(|number| u8::try_from(number).ok())
    }

    /// What to pass to the run.
    pub(crate) fn stop(&self) -> Stop<impl Future<Output = ()>, impl Future<Output = ()>> {
        Stop { gently: when(Asked::Gently), at_once: when(Asked::AtOnce) }
    }
}

fn listener() -> Option<&'static Arc<Listener>> {
    LISTENER.get()?.as_ref()
}

/// Completes once so much was asked. A session counts as played until this is dropped.
fn when(least: Asked) -> impl Future<Output = ()> {
    let playing = listener().map(|listener| Playing::new(Arc::clone(listener)));
    async move {
        let Some(playing) = playing else {
            // A signal that is not listened for keeps its usual effect.
            return std::future::pending().await;
        };
        let mut asked = playing.0.asked.clone();
        if asked.wait_for(|asked| *asked >= least).await.is_err() {
            std::future::pending().await
        }
    }
}

/// A session that is being played.
struct Playing(Arc<Listener>);

impl Playing {
    fn new(listener: Arc<Listener>) -> Self {
        listener.sessions.fetch_add(1, Ordering::SeqCst);
        Self(listener)
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        self.0.sessions.fetch_sub(1, Ordering::SeqCst);
    }
}
