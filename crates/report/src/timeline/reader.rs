//! From events to what is told of them: stdout is cut into frames, and what says nothing is left
//! out. It keeps no more than the frame that is coming.

use std::collections::HashMap;
use std::time::Duration;

use model::{Event, EventKind, Sent};

use super::frame::FrameKeeper;
use super::{Happening, SentKind};
use crate::redact::Edge;

/// Reads events in their order.
#[derive(Clone, Default)]
pub(crate) struct Reader {
    frame: FrameKeeper,
    /// Frames that have ended.
    frames: u64,
    /// The methods of our requests, by the JSON text of their ids.
    requests: HashMap<String, String>,
}

impl Reader {
    /// Tells what an event means, and when it happened. Bytes on stderr are told as they came.
    pub(crate) fn read(&mut self, event: &Event<'_>, tell: &mut dyn FnMut(Duration, Happening)) {
        let at = event.at;
        let what = match &event.kind {
            EventKind::Stdout(bytes) => return self.stdout(at, bytes, tell),
            EventKind::StdoutEof => {
                self.end_tail(at, tell);
                Happening::StdoutEof
            }
            EventKind::Stderr(bytes) => Happening::Stderr { bytes: bytes.len() as u64 },
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
                self.end_tail(at, tell);
                Happening::LeakWindow(*stdout)
            }
            EventKind::Census { strays } if *strays > 0 => Happening::Strays(*strays),
            EventKind::Stopped => Happening::Stopped,
            // What the verdict says anyway, and what did not happen.
            _ => return,
        };
        tell(at, what);
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

    fn stdout(&mut self, at: Duration, bytes: &[u8], tell: &mut dyn FnMut(Duration, Happening)) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let newline = rest.iter().position(|byte| *byte == b'\n');
            self.frame.feed(at, &rest[..newline.unwrap_or(rest.len())]);
            match newline {
                Some(newline) => {
                    self.end_frame(at, Edge::Whole, tell);
                    rest = &rest[newline + 1..];
                }
                None => return,
            }
        }
    }

    fn end_tail(&mut self, at: Duration, tell: &mut dyn FnMut(Duration, Happening)) {
        if !self.frame.is_empty() {
            self.end_frame(at, Edge::Cut, tell);
        }
    }

    fn end_frame(&mut self, at: Duration, end: Edge, tell: &mut dyn FnMut(Duration, Happening)) {
        self.frames += 1;
        let frame = self.frame.end(at, self.frames, end, &self.requests);
        tell(at, Happening::Frame(Box::new(frame)));
    }
}
