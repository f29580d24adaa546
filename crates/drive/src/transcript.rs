//! A capped recording of the events of one run.
//!
//! The bytes of stdout and of stderr are stored once, in order; an event that brought some only
//! holds where they begin and how many they are.

use std::borrow::Cow;
use std::time::Duration;

use model::{Event, EventKind, Sent, Seq};

use crate::budget::Caps;

/// A capped recording of the events of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    stdout: Kept,
    stderr: Kept,
    entries: Vec<Entry>,
    entries_cap: usize,
    left_out: u64,
}

/// The beginning of a stream of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    bytes: Vec<u8>,
    cap: usize,
    len: u64,
}

/// One event of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its place in the order of events.
    pub seq: Seq,
    /// When it happened, since the launch began.
    pub at: Duration,
    /// What happened.
    pub what: Recorded,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// Bytes came on stdout.
    Stdout {
        /// Where they begin in the stream.
        offset: u64,
        /// How many.
        len: u64,
    },
    /// Bytes came on stderr.
    Stderr {
        /// Where they begin in the stream.
        offset: u64,
        /// How many.
        len: u64,
    },
    /// Anything that brought no bytes of the server.
    Other(EventKind<'static>),
}

impl Kept {
    fn new(cap: usize) -> Self {
        Self { bytes: Vec::new(), cap, len: 0 }
    }

    fn add(&mut self, bytes: &[u8]) -> (u64, u64) {
        let offset = self.len;
        let room = self.cap - self.bytes.len();
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.len += bytes.len() as u64;
        (offset, bytes.len() as u64)
    }

    /// The bytes, up to the cap.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many bytes came, those beyond the cap too.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether none came.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether every byte that came was kept.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.bytes.len() as u64 == self.len
    }

    /// The kept ones of these bytes.
    fn part(&self, offset: u64, len: u64) -> &[u8] {
        let end = usize::try_from(offset + len).unwrap_or(usize::MAX).min(self.bytes.len());
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(end);
        &self.bytes[start..end]
    }
}

impl Transcript {
    pub(crate) fn new(caps: &Caps) -> Self {
        Self {
            stdout: Kept::new(caps.transcript_stdout),
            stderr: Kept::new(caps.transcript_stderr),
            entries: Vec::new(),
            entries_cap: caps.transcript_events,
            left_out: 0,
        }
    }

    pub(crate) fn record(&mut self, event: &Event<'_>) {
        let what = match &event.kind {
            EventKind::Stdout(bytes) => {
                let (offset, len) = self.stdout.add(bytes);
                Recorded::Stdout { offset, len }
            }
            EventKind::Stderr(bytes) => {
                let (offset, len) = self.stderr.add(bytes);
                Recorded::Stderr { offset, len }
            }
            other => Recorded::Other(owned(other)),
        };
        if self.entries.len() >= self.entries_cap && by_server(&what) {
            // Bytes that follow bytes of the same stream are one event as well as two: how they
            // are cut carries no meaning.
            match (self.entries.last_mut().map(|entry| &mut entry.what), what) {
                (Some(Recorded::Stdout { len, .. }), Recorded::Stdout { len: more, .. })
                | (Some(Recorded::Stderr { len, .. }), Recorded::Stderr { len: more, .. }) => {
                    *len += more;
                }
                _ => self.left_out += 1,
            }
            return;
        }
        self.entries.push(Entry { seq: event.seq, at: event.at, what });
    }

    /// What came on stdout.
    #[must_use]
    pub fn stdout(&self) -> &Kept {
        &self.stdout
    }

    /// What came on stderr.
    #[must_use]
    pub fn stderr(&self) -> &Kept {
        &self.stderr
    }

    /// The events, in order.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// How many events were left out because of the cap.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Whether [`events`](Self::events) are all that happened, with every byte.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.left_out == 0 && self.stdout.is_complete() && self.stderr.is_complete()
    }

    /// The events again, as a detector takes them. Bytes that were not kept are missing.
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> {
        self.entries.iter().map(|entry| Event {
            seq: entry.seq,
            at: entry.at,
            kind: match &entry.what {
                Recorded::Stdout { offset, len } => {
                    EventKind::Stdout(Cow::Borrowed(self.stdout.part(*offset, *len)))
                }
                Recorded::Stderr { offset, len } => {
                    EventKind::Stderr(Cow::Borrowed(self.stderr.part(*offset, *len)))
                }
                Recorded::Other(kind) => kind.clone(),
            },
        })
    }
}

/// Whether the server decides how many such events there are.
fn by_server(what: &Recorded) -> bool {
    matches!(
        what,
        Recorded::Stdout { .. }
            | Recorded::Stderr { .. }
            | Recorded::Other(
                EventKind::WriteProgress { .. } | EventKind::Sent(Sent::Reply { .. })
            )
    )
}

fn owned(kind: &EventKind<'_>) -> EventKind<'static> {
    match kind {
        EventKind::LaunchFailed(failure) => EventKind::LaunchFailed(*failure),
        EventKind::StepBegan(phase) => EventKind::StepBegan(*phase),
        EventKind::Sent(sent) => EventKind::Sent(sent.clone()),
        EventKind::WriteProgress { written, total } => {
            EventKind::WriteProgress { written: *written, total: *total }
        }
        EventKind::WriteFailed => EventKind::WriteFailed,
        EventKind::StdinClosed { by } => EventKind::StdinClosed { by: *by },
        EventKind::Stdout(bytes) => EventKind::Stdout(Cow::Owned(bytes.to_vec())),
        EventKind::StdoutEof => EventKind::StdoutEof,
        EventKind::Stderr(bytes) => EventKind::Stderr(Cow::Owned(bytes.to_vec())),
        EventKind::StderrEof => EventKind::StderrEof,
        EventKind::Deadline(name) => EventKind::Deadline(*name),
        EventKind::CapReached(cap) => EventKind::CapReached(*cap),
        EventKind::Signalled(signal) => EventKind::Signalled(*signal),
        EventKind::Exited(status) => EventKind::Exited(*status),
        EventKind::LeakWindowEnded { stdout } => EventKind::LeakWindowEnded { stdout: *stdout },
        EventKind::Census { strays } => EventKind::Census { strays: *strays },
        EventKind::Untested(untested) => EventKind::Untested(untested.clone()),
        EventKind::GaveUp => EventKind::GaveUp,
        EventKind::StdoutClosed => EventKind::StdoutClosed,
        EventKind::Usage { cpu, wall } => EventKind::Usage { cpu: *cpu, wall: *wall },
        EventKind::Stopped => EventKind::Stopped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording(caps: Caps, kinds: &[EventKind<'static>]) -> Transcript {
        let mut transcript = Transcript::new(&caps);
        for (seq, kind) in (0..).zip(kinds) {
            transcript.record(&Event { seq: Seq(seq), at: Duration::ZERO, kind: kind.clone() });
        }
        transcript
    }

    fn stdout(bytes: &'static [u8]) -> EventKind<'static> {
        EventKind::Stdout(Cow::Borrowed(bytes))
    }

    fn stderr(bytes: &'static [u8]) -> EventKind<'static> {
        EventKind::Stderr(Cow::Borrowed(bytes))
    }

    #[test]
    fn what_was_recorded_comes_back() {
        let kinds = [stdout(b"ab"), stderr(b"x"), stdout(b"c"), EventKind::StdoutEof];
        let transcript = recording(Caps::default(), &kinds);
        assert!(transcript.is_complete());
        assert_eq!(transcript.stdout().bytes(), b"abc");
        assert_eq!(transcript.stderr().bytes(), b"x");
        assert_eq!(transcript.entries()[2].what, Recorded::Stdout { offset: 2, len: 1 });
        assert!(transcript.events().map(|event| event.kind).eq(kinds));
    }

    #[test]
    fn bytes_beyond_the_cap_are_counted() {
        let caps = Caps { transcript_stdout: 3, ..Caps::default() };
        let transcript = recording(caps, &[stdout(b"ab"), stdout(b"cd"), stdout(b"ef")]);
        assert_eq!(transcript.stdout().bytes(), b"abc");
        assert_eq!(transcript.stdout().len(), 6);
        assert!(!transcript.is_complete());
        let kinds: Vec<_> = transcript.events().map(|event| event.kind).collect();
        assert_eq!(kinds, [stdout(b"ab"), stdout(b"c"), stdout(b"")]);
    }

    #[test]
    fn beyond_the_cap_of_events_only_those_of_the_server_are_merged_or_left_out() {
        let caps = Caps { transcript_events: 1, ..Caps::default() };
        let transcript =
            recording(caps, &[stdout(b"a"), stdout(b"b"), stderr(b"x"), EventKind::StdoutEof]);
        assert_eq!(transcript.left_out(), 1);
        assert!(!transcript.is_complete());
        let kinds: Vec<_> = transcript.events().map(|event| event.kind).collect();
        assert_eq!(kinds, [stdout(b"ab"), EventKind::StdoutEof]);
    }
}
