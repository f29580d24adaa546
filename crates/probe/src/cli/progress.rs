//! What a person or a CI job sees while a run goes on: nothing for a second; then one line that
//! is drawn anew on a terminal, or one line every 15 s elsewhere, since some CI systems end a job
//! that is silent for long.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
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

struct Shared {
    doing: Doing,
    /// Whether the run is over.
    over: Mutex<Over>,
    ended: Condvar,
}

/// What goes on.
enum Doing {
    /// A run: the place of its phase in [`Phase::ALL`].
    Phase(AtomicUsize),
    /// Reading: so many bytes, of so many if that is known.
    Bytes { read: AtomicU64, all: Option<u64> },
}

impl Doing {
    fn text(&self) -> String {
        const MEGABYTE: u64 = 1_000_000;
        match self {
            Self::Phase(place) => format!("phase {}", Phase::ALL[place.load(Ordering::Relaxed)]),
            Self::Bytes { read, all } => {
                let read = read.load(Ordering::Relaxed) / MEGABYTE;
                match all {
                    Some(all) => format!("{read} of {} MB read", all / MEGABYTE),
                    None => format!("{read} MB read"),
                }
            }
        }
    }
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
    /// Begins to tell of a run, on stderr.
    pub(crate) fn of_run() -> Self {
        Self::start(Doing::Phase(AtomicUsize::new(0)))
    }

    /// Begins to tell of what is read, so many bytes in all if that is known.
    pub(crate) fn of_reading(all: Option<u64>) -> Self {
        Self::start(Doing::Bytes { read: AtomicU64::new(0), all })
    }

    /// So many bytes more were read.
    pub(crate) fn read(&self, bytes: usize) {
        if let Doing::Bytes { read, .. } = &self.shared.doing {
            read.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }

    fn start(doing: Doing) -> Self {
        let shared = Arc::new(Shared { doing, over: Mutex::default(), ended: Condvar::new() });
        let sink = if io::stderr().is_terminal() { Sink::Terminal } else { Sink::Log };
        let watched = Arc::clone(&shared);
        // Without a thread there is no progress to see, and nothing else is lost.
        let thread = std::thread::Builder::new().spawn(move || tell(&watched, sink)).ok();
        Self { shared, thread }
    }
}

impl Observer for Progress {
    fn event(&mut self, event: &Event<'_>, _: &Step) {
        if let (EventKind::StepBegan(phase), Doing::Phase(current)) =
            (&event.kind, &self.shared.doing)
        {
            let place = Phase::ALL.iter().position(|other| other == phase);
            current.store(place.unwrap_or(0), Ordering::Relaxed);
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
        let text = shared.doing.text();
        match sink {
            Sink::Terminal => {
                draw(&format!("{NAME}: {text}, {seconds} s"));
                drawn = true;
            }
            Sink::Log if seconds % TICKS_A_LINE == 0 => {
                output::say(&format!("still running: {text}, {seconds} s"));
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, AtomicUsize};

    use super::Doing;

    #[test]
    fn what_goes_on_is_told_in_a_few_words() {
        let read = || AtomicU64::new(2_500_000);
        assert_eq!(Doing::Bytes { read: read(), all: None }.text(), "2 MB read");
        let some = Doing::Bytes { read: read(), all: Some(10_000_000) };
        assert_eq!(some.text(), "2 of 10 MB read");
        assert_eq!(Doing::Phase(AtomicUsize::new(0)).text(), "phase launch");
    }
}
