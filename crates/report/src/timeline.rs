//! What happened in a session and when, without the bytes: the source of the picture of a
//! session and of the list of events.
//!
//! It reads the events of a run once, in order. What a frame holds is looked at for its id and
//! method alone, which are display data: whether it is a message is the detector's to say.

mod frame;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use model::{CapName, DeadlineName, Event, EventKind, ExitStatus, Held, Phase, Sent, Side, Signal};

pub(crate) use frame::FrameFact;
use frame::FrameKeeper;

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
    frames: Kept,
    others: Kept,
    frame: FrameKeeper,
    /// What came last.
    last: Last,
    /// The methods of our requests, by the JSON text of their ids.
    requests: HashMap<String, String>,
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
        let at = event.at;
        let what = match &event.kind {
            EventKind::Stdout(bytes) => return self.stdout(at, bytes),
            EventKind::StdoutEof => {
                self.end_tail(at);
                Happening::StdoutEof
            }
            EventKind::Stderr(bytes) => return self.stderr(at, bytes.len() as u64),
            EventKind::StepBegan(phase) => Happening::Phase(*phase),
            EventKind::Sent(sent) => match self.sent(sent) {
                Some(sent) => sent,
                None => return,
            },
            // Only what was not taken at once is worth a word.
            EventKind::WriteProgress { written, total } if written < total => {
                Happening::Written { written: *written, total: *total }
            }
            EventKind::WriteFailed => Happening::WriteFailed,
            EventKind::StdinClosed { by } => Happening::StdinClosed(*by),
            EventKind::StderrEof => Happening::StderrEof,
            EventKind::Deadline(name) => Happening::Deadline(*name),
            EventKind::CapReached(name) => Happening::Cap(*name),
            EventKind::Signalled(signal) => Happening::Signalled(*signal),
            EventKind::Exited(status) => Happening::Exited(*status),
            EventKind::LeakWindowEnded { stdout } => {
                self.end_tail(at);
                Happening::LeakWindow(*stdout)
            }
            EventKind::Census { strays } if *strays > 0 => Happening::Strays(*strays),
            EventKind::Stopped => Happening::Stopped,
            // What the verdict says anyway, and what did not happen.
            _ => return,
        };
        self.other(at, what);
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

    fn order(&self) -> u64 {
        self.frames.seen + self.others.seen
    }

    /// None for bytes that are no message.
    fn sent(&mut self, sent: &Sent) -> Option<Happening> {
        Some(match sent {
            Sent::Request { id, method, .. } => {
                self.requests.insert(id.as_str().to_owned(), method.to_string());
                Happening::Sent {
                    kind: SentKind::Request,
                    id: Some(id.as_str().to_owned()),
                    method: Some(method.to_string()),
                }
            }
            Sent::Notification { method, .. } => Happening::Sent {
                kind: SentKind::Notification,
                id: None,
                method: Some(method.to_string()),
            },
            Sent::Reply { id, .. } => Happening::Sent {
                kind: SentKind::Reply,
                id: Some(id.as_str().to_owned()),
                method: None,
            },
            Sent::Malformed => return None,
        })
    }

    fn stdout(&mut self, at: Duration, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let newline = rest.iter().position(|byte| *byte == b'\n');
            self.frame.feed(at, &rest[..newline.unwrap_or(rest.len())]);
            match newline {
                Some(newline) => {
                    self.end_frame(at);
                    rest = &rest[newline + 1..];
                }
                None => return,
            }
        }
    }

    fn end_tail(&mut self, at: Duration) {
        if !self.frame.is_empty() {
            self.end_frame(at);
        }
    }

    fn end_frame(&mut self, at: Duration) {
        let frame = self.frame.end(at, self.frames.seen + 1, &self.requests);
        let what = Happening::Frame(Box::new(frame));
        let order = self.order();
        self.frames.push(Moment { order, at, what }, FRAMES);
        self.last = Last::Else;
    }

    fn stderr(&mut self, at: Duration, len: u64) {
        // How stderr is cut carries no meaning.
        if self.last == Last::Stderr
            && let Some(Happening::Stderr { bytes }) = self.others.last_mut()
        {
            *bytes += len;
            return;
        }
        self.other(at, Happening::Stderr { bytes: len });
        self.last = Last::Stderr;
    }

    fn other(&mut self, at: Duration, what: Happening) {
        let order = self.order();
        self.others.push(Moment { order, at, what }, OTHERS);
        self.last = Last::Else;
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
