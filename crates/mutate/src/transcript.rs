//! The events of one run, owned, with what an operator must know to act on them.

use std::borrow::Cow;
use std::time::Duration;

use model::{Event, EventKind, ProtocolVersion, Seq};

/// The events of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    events: Vec<EventKind<'static>>,
    stdout: Vec<u8>,
    terms: Terms,
}

/// What a run is judged by, as far as an operator's promise depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The revision in force: from the initialize reply on where there is a client side, else
    /// from the start. None where nobody says.
    pub protocol: Option<ProtocolVersion>,
    /// The largest frame in bytes, without its 0x0A.
    pub max_frame_bytes: u64,
}

impl Transcript {
    /// The transcript of these events.
    #[must_use]
    pub fn new(events: impl IntoIterator<Item = EventKind<'static>>, terms: Terms) -> Self {
        let events: Vec<EventKind<'static>> = events.into_iter().collect();
        let pieces: Vec<&[u8]> = events.iter().map(stdout_of).collect();
        let stdout = pieces.concat();
        Self { events, stdout, terms }
    }

    /// What happened, in order.
    #[must_use]
    pub fn kinds(&self) -> &[EventKind<'static>] {
        &self.events
    }

    /// All of stdout.
    #[must_use]
    pub fn stdout(&self) -> &[u8] {
        &self.stdout
    }

    /// What the run is judged by.
    #[must_use]
    pub fn terms(&self) -> Terms {
        self.terms
    }

    /// The events, numbered, with the bytes of stdout in pieces of at most `size`. Time stands
    /// still: it never decides a verdict.
    pub fn events(&self, size: usize) -> impl Iterator<Item = Event<'_>> {
        self.cut(move |_| size)
    }

    /// The events, numbered, with the bytes of stdout cut as `size` says: it is asked before
    /// each piece, with the offset at which the piece begins.
    pub fn cut(&self, mut size: impl FnMut(usize) -> usize) -> impl Iterator<Item = Event<'_>> {
        let mut kinds = Vec::new();
        let mut at = 0;
        for event in &self.events {
            let mut rest = stdout_of(event);
            if rest.is_empty() {
                kinds.push(borrowed(event));
            }
            while !rest.is_empty() {
                let (piece, after) = rest.split_at(size(at).clamp(1, rest.len()));
                kinds.push(EventKind::Stdout(Cow::Borrowed(piece)));
                at += piece.len();
                rest = after;
            }
        }
        let numbered = kinds.into_iter().zip(0..);
        numbered.map(|(kind, seq)| Event { seq: Seq(seq), at: Duration::ZERO, kind })
    }
}

/// The bytes of stdout that an event brings.
pub(crate) fn stdout_of<'a>(event: &'a EventKind<'_>) -> &'a [u8] {
    match event {
        EventKind::Stdout(bytes) => bytes,
        _ => &[],
    }
}

fn borrowed<'a>(event: &'a EventKind<'static>) -> EventKind<'a> {
    match event {
        EventKind::Stdout(bytes) => EventKind::Stdout(Cow::Borrowed(bytes)),
        EventKind::Stderr(bytes) => EventKind::Stderr(Cow::Borrowed(bytes)),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use model::EventKind;

    use super::{Terms, Transcript, stdout_of};

    #[test]
    fn cutting_keeps_every_byte_and_every_event() {
        let terms = Terms { protocol: None, max_frame_bytes: 100 };
        let stdout = |bytes: &'static [u8]| EventKind::Stdout(bytes.into());
        let events = [stdout(b"ab"), EventKind::StderrEof, stdout(b"cdefg"), EventKind::StdoutEof];
        let transcript = Transcript::new(events, terms);
        assert_eq!(transcript.stdout(), b"abcdefg");
        for size in [1, 2, 3, 100] {
            let cut: Vec<_> = transcript.events(size).collect();
            let bytes: Vec<u8> =
                cut.iter().flat_map(|event| stdout_of(&event.kind).to_vec()).collect();
            assert_eq!(bytes, b"abcdefg");
            assert!(cut.iter().all(|event| stdout_of(&event.kind).len() <= size));
            assert!(cut.iter().map(|event| event.seq.0).eq(0..cut.len() as u64));
            assert!(cut.iter().any(|event| event.kind == EventKind::StderrEof));
        }
    }
}
