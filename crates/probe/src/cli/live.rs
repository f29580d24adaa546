//! `jsonl` reports of live sessions: each line is written when its event happens.
//!
//! A thread of its own writes, so that a reader who is slow costs the session no time.

use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use drive::{Observer, Session};
use inspect::Step;
use model::Event;
use report::{EventStream, Evidence, Format, RunFacts};

use super::UsageError;
use super::args::Target;

/// The `jsonl` reports of a run.
pub(crate) struct Live {
    lines: Sender<String>,
    writer: JoinHandle<io::Result<()>>,
}

/// One session of them.
pub(crate) struct LiveSession {
    stream: EventStream,
    lines: Sender<String>,
}

/// Where the lines go.
enum Sink {
    Stdout,
    File(File),
}

impl Live {
    /// Opens the reports that are written as the run goes. None if none is asked for.
    pub(crate) fn open(targets: &[Target]) -> Result<Option<Self>, UsageError> {
        let mut sinks = Vec::new();
        for target in targets.iter().filter(|target| target.format == Format::Jsonl) {
            sinks.push(match &target.file {
                None => Sink::Stdout,
                Some(path) => Sink::File(File::create(path).map_err(|error| {
                    UsageError::new(format!("cannot write {}: {error}", path.display()))
                })?),
            });
        }
        if sinks.is_empty() {
            return Ok(None);
        }
        let (lines, received) = channel::<String>();
        let writer = std::thread::Builder::new()
            .spawn(move || {
                let mut result = Ok(());
                // After an error the rest is taken and dropped: the session must go on.
                for text in received {
                    if result.is_ok() {
                        result = sinks.iter_mut().try_for_each(|sink| sink.write(&text));
                    }
                }
                result
            })
            .map_err(|error| UsageError::new(format!("cannot start a thread: {error}")))?;
        Ok(Some(Self { lines, writer }))
    }

    /// Begins a session, of which is known what is known before its launch.
    pub(crate) fn session(&self, facts: RunFacts, name: Option<&str>) -> LiveSession {
        let stream = EventStream::new(facts, name);
        let session = LiveSession { stream, lines: self.lines.clone() };
        session.send(session.stream.begin());
        session
    }

    /// Waits until every line is written.
    pub(crate) fn finish(self) -> Result<(), UsageError> {
        drop(self.lines);
        let result = self.writer.join().unwrap_or_else(|_| Err(io::Error::other("it panicked")));
        result.map_err(|error| UsageError::new(format!("cannot write the jsonl report: {error}")))
    }
}

impl LiveSession {
    /// Ends the session by what was found.
    pub(crate) fn end(self, evidence: &Evidence) {
        let Self { stream, lines } = self;
        // Whoever no longer listens has told of an error.
        _ = lines.send(stream.end(evidence));
    }

    fn send(&self, text: String) {
        if !text.is_empty() {
            _ = self.lines.send(text);
        }
    }
}

impl Observer for LiveSession {
    fn event(&mut self, event: &Event<'_>, _: &Step) {
        let text = self.stream.event(event);
        self.send(text);
    }
}

/// Who hears of sessions that are run side by side.
pub(crate) struct Audience<'a, D> {
    pub(crate) live: &'a Live,
    /// What is known of a session before its launch.
    pub(crate) before: &'a (dyn Fn(&Session) -> RunFacts + Sync),
    /// What was found in it.
    pub(crate) found: &'a (dyn Fn(&D) -> Evidence + Sync),
}

/// Two observers, one after the other; the second may be missing.
pub(crate) struct Both<'a, A>(pub(crate) &'a mut A, pub(crate) Option<&'a mut LiveSession>);

impl<A: Observer> Observer for Both<'_, A> {
    fn event(&mut self, event: &Event<'_>, step: &Step) {
        self.0.event(event, step);
        if let Some(session) = &mut self.1 {
            session.event(event, step);
        }
    }
}

impl Sink {
    fn write(&mut self, text: &str) -> io::Result<()> {
        match self {
            // A reader that has gone away is no error of ours.
            Self::Stdout => {
                let mut stdout = io::stdout().lock();
                match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                    result => result,
                }
            }
            Self::File(file) => file.write_all(text.as_bytes()),
        }
    }
}

/// What is not written as the run goes.
pub(crate) fn others(targets: &[Target]) -> Vec<Target> {
    targets.iter().filter(|target| target.format != Format::Jsonl).cloned().collect()
}
