//! What passes a tap, frame by frame: a log for machines, a view for people. Neither changes or
//! judges anything.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::time::Duration;

use drive::Observer;
use inspect::Step;
use model::{Event, EventKind, MessageKind, Sent};
use report::{Cap, Untrusted};
use serde::Serialize;

/// The beginning of a frame that the view shows.
const SHOWN: Cap = Cap { columns: 120, bytes: 480 };
/// How much of a frame is kept for the view.
const KEPT: usize = 1024;

/// Whether the text of frames is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    Shown,
    Hidden,
}

/// Keeps count of what passes.
pub(crate) struct Passage {
    log: Option<BufWriter<File>>,
    view: View,
    seq: u64,
    /// The server's frame that has begun: its length, and its first bytes.
    len: u64,
    kept: Vec<u8>,
}

/// A line of the log.
#[derive(Serialize)]
struct Entry<'a> {
    seq: u64,
    /// Since the launch.
    time_ms: f64,
    from: &'static str,
    /// The length of a frame of the server, without its 0x0A.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
}

impl Passage {
    pub(crate) fn new(log: Option<File>, view: View) -> Self {
        Self { log: log.map(BufWriter::new), view, seq: 0, len: 0, kept: Vec::new() }
    }

    fn write(&mut self, at: Duration, from: &'static str, entry: Entry<'_>) {
        self.seq += 1;
        let entry = Entry { seq: self.seq, time_ms: at.as_micros() as f64 / 1000.0, from, ..entry };
        // A full disk must not stop the session.
        if let Some(log) = &mut self.log
            && let Ok(mut line) = serde_json::to_vec(&entry)
        {
            line.push(b'\n');
            _ = log.write_all(&line).and_then(|()| log.flush());
        }
    }

    fn show(&self, arrow: &str, bytes: u64, text: &[u8]) {
        if self.view == View::Shown {
            let text = Untrusted::new(text).text(SHOWN);
            _ = writeln!(io::stderr().lock(), "{arrow} {bytes:>6} B  {text}");
        }
    }

    fn server(&mut self, at: Duration, bytes: &[u8], step: &Step) {
        let mut accepted = step.accepted.iter();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let text = piece.strip_suffix(b"\n");
            let part = text.unwrap_or(piece);
            self.len += part.len() as u64;
            let room = KEPT.saturating_sub(self.kept.len());
            self.kept.extend_from_slice(&part[..part.len().min(room)]);
            if text.is_none() {
                continue;
            }
            // Which message a frame holds is known where each frame holds one.
            let message = accepted.next();
            let entry = Entry {
                bytes: Some(self.len),
                kind: message.map(|message| message.kind.name()),
                id: message.and_then(|message| message.id.as_ref()).map(|id| id.as_str()),
                method: message.and_then(|message| message.method.as_deref()),
                ..Entry::EMPTY
            };
            self.write(at, "server", entry);
            self.show("<-", self.len, &self.kept);
            self.len = 0;
            self.kept.clear();
        }
    }

    fn client(&mut self, at: Duration, sent: &Sent) {
        let (kind, id, method) = match sent {
            Sent::Request { id, method, .. } => {
                (MessageKind::Request.name(), Some(id.as_str()), Some(&**method))
            }
            Sent::Notification { method } => {
                (MessageKind::Notification.name(), None, Some(&**method))
            }
            Sent::Reply { id } => ("reply", Some(id.as_str()), None),
            // A client that is listened to sends what it sends; what is no message is not told.
            Sent::Malformed => return,
        };
        self.write(at, "client", Entry { kind: Some(kind), id, method, ..Entry::EMPTY });
        if self.view == View::Shown {
            let name = [Some(kind), method, id].into_iter().flatten().collect::<Vec<_>>().join(" ");
            let name = Untrusted::new(name.as_bytes()).text(SHOWN);
            _ = writeln!(io::stderr().lock(), "->           {name}");
        }
    }
}

impl Entry<'_> {
    const EMPTY: Self =
        Self { seq: 0, time_ms: 0.0, from: "", bytes: None, kind: None, id: None, method: None };
}

impl Observer for Passage {
    fn event(&mut self, event: &Event<'_>, step: &Step) {
        if self.log.is_none() && self.view == View::Hidden {
            return;
        }
        match &event.kind {
            EventKind::Stdout(bytes) => self.server(event.at, bytes, step),
            EventKind::Sent(sent) => self.client(event.at, sent),
            EventKind::StdoutEof if self.len > 0 => {
                let entry = Entry { bytes: Some(self.len), ..Entry::EMPTY };
                self.write(event.at, "server", entry);
                self.show("<-", self.len, &self.kept);
            }
            _ => {}
        }
    }
}
