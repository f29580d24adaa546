//! What happened in a session and when, without the bytes: the source of the picture of a
//! session and of the list of events.
//!
//! It reads the events of a run once, in order. What a frame holds is looked at for its id and
//! method alone, which are display data: whether it is a message is the detector's to say.

mod frame;
mod reader;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Duration;

use model::{CapName, DeadlineName, Event, ExitStatus, Held, Phase, Side, Signal};

pub(crate) use frame::FrameFact;
pub(crate) use reader::Reader;

/// The first and the last frames that are kept one by one. Those between are only counted.
pub(crate) const FRAMES: Ends = Ends { head: 256, tail: 64 };

/// The first and the last other moments that are kept.
pub(crate) const OTHERS: Ends = Ends { head: 512, tail: 128 };

/// How many of the first and of the last are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ends {
    pub(crate) head: usize,
    pub(crate) tail: usize,
}

/// What happened in a session and when: unredacted, and unsafe to print.
#[derive(Clone, Default)]
pub struct Timeline {
    reader: Reader,
    frames: Kept,
    others: Kept,
    /// What came last.
    last: Last,
}

/// The first and the last moments of a kind.
#[derive(Clone, Default)]
struct Kept {
    head: Vec<Moment>,
    tail: VecDeque<Moment>,
    seen: u64,
}

/// What came last, as far as it matters to what comes next.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Last {
    Stderr,
    #[default]
    Else,
}

/// Something that happened.
#[derive(Clone)]
pub(crate) struct Moment {
    /// Its place in the order.
    order: u64,
    /// Since the launch.
    pub(crate) at: Duration,
    pub(crate) what: Happening,
}

/// What happened.
#[derive(Clone)]
pub(crate) enum Happening {
    /// The client side went on to its next step.
    Phase(Phase),
    /// A message of ours was about to be written.
    Sent { kind: SentKind, id: Option<String>, method: Option<String> },
    /// Not all of a message of ours was taken yet.
    Written { written: u64, total: u64 },
    /// The server's stdin takes no more.
    WriteFailed,
    /// stdin was closed.
    StdinClosed(Side),
    /// A frame of stdout ended.
    Frame(Box<FrameFact>),
    /// stdout ended.
    StdoutEof,
    /// Bytes came on stderr.
    Stderr { bytes: u64 },
    /// stderr ended.
    StderrEof,
    /// A deadline passed.
    Deadline(DeadlineName),
    /// A cap was reached.
    Cap(CapName),
    /// We sent a signal.
    Signalled(Signal),
    /// The launched process ended.
    Exited(ExitStatus),
    /// The process had ended, and the time in which stdout may stay open was over.
    LeakWindow(Held),
    /// Processes were left.
    Strays(u32),
    /// The run was stopped from outside.
    Stopped,
}

/// The kind of a message of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SentKind {
    Request,
    Notification,
    Reply,
}

impl SentKind {
    /// The name used in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Notification => "notification",
            Self::Reply => "reply",
        }
    }
}

impl Timeline {
    /// What the events of a run tell, in their order.
    #[must_use]
    pub fn new<'a>(events: impl IntoIterator<Item = Event<'a>>) -> Self {
        let mut timeline = Self::default();
        for event in events {
            timeline.add(&event);
        }
        timeline
    }

    /// Adds what happened next.
    pub fn add(&mut self, event: &Event<'_>) {
        let Self { reader, frames, others, last } = self;
        reader.read(event, &mut |at, what| {
            let order = frames.seen + others.seen;
            match what {
                Happening::Frame(_) => {
                    frames.push(Moment { order, at, what }, FRAMES);
                    *last = Last::Else;
                }
                Happening::Stderr { bytes } => {
                    // How stderr is cut carries no meaning.
                    if *last == Last::Stderr
                        && let Some(Happening::Stderr { bytes: before }) = others.last_mut()
                    {
                        *before += bytes;
                        return;
                    }
                    others.push(Moment { order, at, what }, OTHERS);
                    *last = Last::Stderr;
                }
                what => {
                    others.push(Moment { order, at, what }, OTHERS);
                    *last = Last::Else;
                }
            }
        });
    }

    /// The moments that were kept, in order; a frame that no newline ended is the last of its
    /// kind.
    pub(crate) fn moments(&self) -> Vec<&Moment> {
        let mut moments: Vec<&Moment> = self.frames.all().chain(self.others.all()).collect();
        moments.sort_by_key(|moment| moment.order);
        moments
    }

    /// Frames that came, those that were not kept one by one too.
    pub(crate) fn frames_seen(&self) -> u64 {
        self.frames.seen
    }

    /// Other moments that came, those that were not kept too.
    pub(crate) fn others_seen(&self) -> u64 {
        self.others.seen
    }
}

impl Kept {
    /// Keeps one more; beyond both ends, the oldest of the tail goes.
    fn push(&mut self, moment: Moment, ends: Ends) {
        self.seen += 1;
        if self.head.len() < ends.head {
            self.head.push(moment);
            return;
        }
        if self.tail.len() == ends.tail {
            self.tail.pop_front();
        }
        self.tail.push_back(moment);
    }

    fn last_mut(&mut self) -> Option<&mut Happening> {
        self.tail.back_mut().or(self.head.last_mut()).map(|moment| &mut moment.what)
    }

    fn all(&self) -> impl Iterator<Item = &Moment> {
        self.head.iter().chain(&self.tail)
    }
}
