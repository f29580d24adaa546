//! A clean transcript as the operators see it: frames, messages, and who answers whom.

use std::ops::Range;

use model::{EventKind, MessageKind, Phase, ProtocolVersion, RawId, Sent, Side};

use crate::edit::Cut;
use crate::json::{self, Kind, Value};
use crate::transcript::{Transcript, stdout_of};

/// A clean transcript, taken apart, for operators to act on.
#[derive(Debug)]
pub struct View<'a> {
    pub(crate) transcript: &'a Transcript,
    pub(crate) frames: Vec<Frame>,
    pub(crate) requests: Vec<Request>,
    /// The offset in stdout at which each event begins.
    starts: Vec<usize>,
    /// The frame that answers `initialize`.
    initialized_by: Option<usize>,
}

/// One frame.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) start: usize,
    /// The offset of its 0x0A.
    pub(crate) end: usize,
    /// The message; None where the frame is a batch.
    pub(crate) message: Option<Message>,
    /// The request that it answers.
    pub(crate) answers: Option<usize>,
}

/// One message.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) kind: MessageKind,
    /// All values, the message itself first.
    pub(crate) values: Vec<Value>,
    /// The members of the envelope.
    pub(crate) members: Vec<Member>,
}

/// A member of an envelope.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) key: Range<usize>,
    pub(crate) value: Range<usize>,
    pub(crate) kind: Kind,
}

impl Member {
    /// Key and value.
    pub(crate) fn range(&self) -> Range<usize> {
        self.key.start..self.value.end
    }
}

/// A request of the client side.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) id: RawId,
    pub(crate) method: Box<str>,
    /// The event that tells of it.
    pub(crate) event: usize,
    /// The frame that answers it.
    pub(crate) answered_by: Option<usize>,
}

impl Message {
    pub(crate) fn object(&self) -> Range<usize> {
        self.values[0].range.clone()
    }

    pub(crate) fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    pub(crate) fn is_reply(&self) -> bool {
        matches!(self.kind, MessageKind::Result | MessageKind::Error)
    }

    /// The object whose members are the sender's own affair: params or result.
    pub(crate) fn free_object(&self) -> Option<&Value> {
        let member = self.member("result").or(self.member("params"))?;
        self.values.iter().find(|value| value.range == member.value && value.kind == Kind::Object)
    }

    /// The levels of nesting, the message itself counted.
    pub(crate) fn depth(&self) -> usize {
        let mut depths: Vec<usize> = Vec::with_capacity(self.values.len());
        for value in &self.values {
            let outside = value.parent.map_or(0, |parent| depths[parent]);
            let own = usize::from(matches!(value.kind, Kind::Object | Kind::Array));
            depths.push(outside + own);
        }
        depths.into_iter().max().unwrap_or(0)
    }

    /// The strings that stand as values, keys left out.
    pub(crate) fn strings(&self) -> impl Iterator<Item = &Value> {
        self.values.iter().filter(|value| value.kind == Kind::String)
    }

    pub(crate) fn numbers(&self) -> impl Iterator<Item = &Value> {
        self.values.iter().filter(|value| value.kind == Kind::Number)
    }
}

impl<'a> View<'a> {
    /// Takes a transcript apart. What operators promise holds only if a detector finds nothing
    /// in it, advice included.
    #[must_use]
    pub fn of(transcript: &'a Transcript) -> Self {
        let mut starts = Vec::new();
        let mut requests = Vec::new();
        let mut at = 0;
        for (index, event) in transcript.kinds().iter().enumerate() {
            starts.push(at);
            at += stdout_of(event).len();
            if let EventKind::Sent(Sent::Request { id, method, .. }) = event {
                let (id, method) = (id.clone(), method.clone());
                requests.push(Request { id, method, event: index, answered_by: None });
            }
        }
        let mut view =
            Self { transcript, frames: Vec::new(), requests, starts, initialized_by: None };
        let mut start = 0;
        for line in transcript.stdout().split_inclusive(|byte| *byte == b'\n') {
            let Some(text) = line.strip_suffix(b"\n") else { break };
            view.read_frame(text, start);
            start += line.len();
        }
        view
    }

    /// The transcript.
    #[must_use]
    pub fn transcript(&self) -> &'a Transcript {
        self.transcript
    }

    /// How many frames it has.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// The text of the frame that answers the request with this id.
    #[must_use]
    pub fn reply(&self, id: &RawId) -> Option<&'a [u8]> {
        self.frames
            .get(self.frame_that_answers(id)?)
            .map(|frame| self.text(&(frame.start..frame.end)))
    }

    /// The text of the first frame that holds a request or notification with this method.
    #[must_use]
    pub fn call(&self, method: &str) -> Option<&'a [u8]> {
        self.frames
            .get(self.frame_that_calls(method)?)
            .map(|frame| self.text(&(frame.start..frame.end)))
    }

    fn read_frame(&mut self, text: &[u8], start: usize) {
        let values = json::read(text, start).unwrap_or_default();
        let mut answers = None;
        let batch = values.first().is_some_and(|value| value.kind == Kind::Array);
        for (index, value) in values.iter().enumerate() {
            let root = if batch { value.parent == Some(0) } else { index == 0 };
            if let Some(message) = root.then(|| message(&values, index, self.stdout())).flatten() {
                answers = self.answer(&message);
            }
        }
        let message = if batch { None } else { message(&values, 0, self.stdout()) };
        let answers = answers.filter(|_| !batch);
        self.frames.push(Frame { start, end: start + text.len(), message, answers });
    }

    /// Notes that the frame read next holds this message.
    fn answer(&mut self, message: &Message) -> Option<usize> {
        let frame = self.frames.len();
        let id = message.member("id").filter(|_| message.is_reply())?;
        let raw = self.text(&id.value);
        let pending = |request: &Request| request.answered_by.is_none();
        let request = self
            .requests
            .iter()
            .position(|request| pending(request) && same_id(&request.id, raw))?;
        self.requests[request].answered_by = Some(frame);
        if &*self.requests[request].method == "initialize" {
            self.initialized_by = Some(frame);
        }
        Some(request)
    }

    pub(crate) fn stdout(&self) -> &'a [u8] {
        self.transcript.stdout()
    }

    pub(crate) fn text(&self, range: &Range<usize>) -> &'a [u8] {
        &self.stdout()[range.clone()]
    }

    /// The message of a frame.
    pub(crate) fn message(&self, frame: usize) -> Option<&Message> {
        self.frames.get(frame)?.message.as_ref()
    }

    /// The request that a frame answers.
    pub(crate) fn answered(&self, frame: usize) -> Option<&Request> {
        self.requests.get(self.frames.get(frame)?.answers?)
    }

    /// The frame that answers the request with this id.
    pub(crate) fn frame_that_answers(&self, id: &RawId) -> Option<usize> {
        self.requests.iter().find(|request| request.id == *id)?.answered_by
    }

    /// The first frame that holds a request or notification with this method.
    pub(crate) fn frame_that_calls(&self, method: &str) -> Option<usize> {
        (0..self.frames.len()).find(|frame| self.method(*frame).as_deref() == Some(method))
    }

    /// The method of a frame that is the first to call it.
    pub(crate) fn first_call(&self, frame: usize) -> Option<Box<str>> {
        let method = self.method(frame)?;
        (self.frame_that_calls(&method) == Some(frame)).then(|| method.into())
    }

    fn method(&self, frame: usize) -> Option<String> {
        let message = self.message(frame)?;
        json::decode(self.text(&message.member("method")?.value))
    }

    /// Whether there is a client side, so that replies are matched with requests.
    pub(crate) fn has_client(&self) -> bool {
        !self.requests.is_empty()
    }

    /// The revision in force when a frame is judged.
    pub(crate) fn protocol_at(&self, frame: usize) -> Option<ProtocolVersion> {
        let negotiated = !self.has_client() || self.initialized_by.is_some_and(|by| by < frame);
        self.transcript.terms().protocol.filter(|_| negotiated)
    }

    /// The event that brings a byte of stdout.
    pub(crate) fn event_of(&self, at: usize) -> Option<usize> {
        let events = self.transcript.kinds().iter();
        events
            .zip(&self.starts)
            .position(|(event, start)| (*start..start + stdout_of(event).len()).contains(&at))
    }

    /// The place just before a byte comes: after everything else that happened before.
    pub(crate) fn before(&self, at: usize) -> Option<Cut> {
        let event = self.event_of(at)?;
        Some(Cut { event, bytes: at - self.starts[event] })
    }

    /// The place just after the byte at `at` came.
    pub(crate) fn after(&self, at: usize) -> Option<Cut> {
        let cut = self.before(at)?;
        Some(Cut { bytes: cut.bytes + 1, ..cut })
    }

    /// The offset in stdout that a place stands for.
    pub(crate) fn offset_of(&self, cut: Cut) -> usize {
        self.starts.get(cut.event).map_or(self.stdout().len(), |start| start + cut.bytes)
    }

    /// The requests that have no reply at a place between two frames, oldest first.
    pub(crate) fn pending(&self, cut: Cut, frames: usize) -> impl Iterator<Item = &Request> {
        self.requests.iter().filter(move |request| {
            request.event < cut.event && request.answered_by.is_none_or(|frame| frame >= frames)
        })
    }

    /// Whether stdin is open at a place.
    pub(crate) fn stdin_is_open(&self, cut: Cut) -> bool {
        !self.transcript.kinds()[..cut.event].iter().any(|event| {
            matches!(
                event,
                EventKind::StdinClosed { by: Side::Client } | EventKind::StepBegan(Phase::Shutdown)
            )
        })
    }

    /// Whether the server's output was cut by nobody before a place.
    pub(crate) fn is_uncut(&self, cut: Cut) -> bool {
        !self.transcript.kinds()[..cut.event].iter().any(|event| {
            matches!(
                event,
                EventKind::Signalled(_)
                    | EventKind::Deadline(_)
                    | EventKind::CapReached(_)
                    | EventKind::LeakWindowEnded { .. }
                    | EventKind::Exited(_)
            )
        })
    }

    /// What stderr held before a place.
    pub(crate) fn stderr_before(&self, cut: Cut) -> Vec<u8> {
        let events = self.transcript.kinds()[..cut.event].iter();
        events
            .flat_map(|event| match event {
                EventKind::Stderr(bytes) => bytes.as_ref(),
                _ => &[],
            })
            .copied()
            .collect()
    }
}

/// The message that the object at `root` is.
fn message(values: &[Value], root: usize, stdout: &[u8]) -> Option<Message> {
    if values.get(root)?.kind != Kind::Object {
        return None;
    }
    let mut members = Vec::new();
    for value in values.iter().filter(|value| value.parent == Some(root)) {
        let key = value.key.clone()?;
        let name = json::decode(&stdout[key.clone()])?;
        members.push(Member { name, key, value: value.range.clone(), kind: value.kind });
    }
    let has = |name: &str| members.iter().any(|member| member.name == name);
    let kind = match (has("method"), has("id"), has("error")) {
        (true, true, _) => MessageKind::Request,
        (true, false, _) => MessageKind::Notification,
        (false, _, true) => MessageKind::Error,
        (false, _, false) => MessageKind::Result,
    };
    Some(Message { kind, values: values.to_vec(), members })
}

/// Strings are compared decoded, numbers as they stand.
fn same_id(sent: &RawId, raw: &[u8]) -> bool {
    let sent = sent.as_str().as_bytes();
    match (json::decode(sent), json::decode(raw)) {
        (Some(sent), Some(got)) => sent == got,
        (None, None) => sent == raw,
        _ => false,
    }
}
