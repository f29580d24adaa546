//! What a person or a CI job sees while a run goes on: nothing for a second; then one line that
//! is drawn anew on a terminal, or one line every 15 s elsewhere, since some CI systems end a job
//! that is silent for long.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use drive::Observer;
use inspect::Step;
use model::{Event, EventKind, Phase};

use super::{NAME, output};

/// How often a terminal's line is drawn.
const TICK: Duration = Duration::from_secs(1);

/// How many ticks lie between two lines elsewhere.
const TICKS_A_LINE: u64 = 15;

/// Tells how a run goes until it is dropped.
pub(crate) struct Progress {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    /// The place of the current phase in [`Phase::ALL`].
    phase: AtomicUsize,
    /// Whether the run is over.
    over: Mutex<Over>,
    ended: Condvar,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Over {
    #[default]
    No,
    Yes,
}

/// Where the line goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sink {
    Terminal,
    Log,
}

impl Progress {
    /// Begins to tell, on stderr.
    pub(crate) fn start() -> Self {
        let shared = Arc::new(Shared::default());
        let sink = if io::stderr().is_terminal() { Sink::Terminal } else { Sink::Log };
        let watched = Arc::clone(&shared);
        // Without a thread there is no progress to see, and nothing else is lost.
        let thread = std::thread::Builder::new().spawn(move || tell(&watched, sink)).ok();
        Self { shared, thread }
    }
}

impl Observer for Progress {
    fn event(&mut self, event: &Event<'_>, _: &Step) {
        if let EventKind::StepBegan(phase) = event.kind {
            let place = Phase::ALL.iter().position(|other| *other == phase);
            self.shared.phase.store(place.unwrap_or(0), Ordering::Relaxed);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        *self.shared.over.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Over::Yes;
        self.shared.ended.notify_all();
        if let Some(thread) = self.thread.take() {
            // Its end is waited for, so that its line is gone before the report begins.
            _ = thread.join();
        }
    }
}

fn tell(shared: &Shared, sink: Sink) {
    let mut seconds = 0;
    let mut drawn = false;
    let mut over = shared.over.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    while *over == Over::No {
        let (guard, waited) = shared
            .ended
            .wait_timeout_while(over, TICK, |over| *over == Over::No)
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        over = guard;
        if !waited.timed_out() {
            break;
        }
        seconds += TICK.as_secs();
        let phase = Phase::ALL[shared.phase.load(Ordering::Relaxed)];
        match sink {
            Sink::Terminal => {
                draw(&format!("{NAME}: {phase}, {seconds} s"));
                drawn = true;
            }
            Sink::Log if seconds % TICKS_A_LINE == 0 => {
                output::say(&format!("still running: phase {phase}, {seconds} s"));
            }
            Sink::Log => {}
        }
    }
    if drawn {
        draw("");
    }
}

/// Draws a line over the one before it.
fn draw(line: &str) {
    let mut stderr = io::stderr().lock();
    // A terminal that has gone away has nobody in front of it.
    _ = write!(stderr, "\r\x1b[K{line}").and_then(|()| stderr.flush());
}
