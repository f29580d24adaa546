//! One frame, layer by layer. A frame that fails in one layer never reaches the next.

use model::{
    Aspect, Detail, IdKind, KeepBody, Layer, LevelContext, Member, MessageKind, NotChecked,
    ProtocolVersion, RuleId, TailEnd, UNKNOWN_METHOD,
};

use crate::canary::Canary;
use crate::detector::Accepted;
use crate::grammar::{Completeness, ValueKind};
use crate::inspector::{Found, FrameEnd, Inspector, NotificationWindow, Passage};
use crate::methods::only_clients_send;
use crate::requests::Match;
use crate::rule_set::{Correlation, Messages};
use crate::shape::{self, Id, Shape, TooLong};

/// The code of "Method not found" in the simplest of its forms.
const METHOD_NOT_FOUND: &str = "-32601";

/// Longer frames are beyond what several clients read.
pub(crate) const LARGE_FRAME_BYTES: u64 = 10 * 1024 * 1024;

impl Inspector {
    /// Judges the frame that has just ended.
    pub(crate) fn judge_frame(&mut self, end: FrameEnd, accepted: &mut Vec<Accepted>) {
        let text = self.frame.finish();
        let end_tail = match end {
            FrameEnd::Tail(tail) => Some(tail),
            FrameEnd::Newline | FrameEnd::Cap => None,
        };
        if end != FrameEnd::Newline {
            // An unfinished frame never reaches the layers above.
            let found = self.framing_of_unfinished(end_tail, text);
            self.settle(Layer::Framing, found);
            return;
        }
        let messages = self.messages(text);
        let found = self.framing(text, &messages);
        if self.settle(Layer::Framing, found) == Passage::Blocked {
            return;
        }
        let found = self.json(text);
        if self.settle(Layer::Json, found) == Passage::Blocked {
            return;
        }
        let found = self.json_rpc(&messages);
        if self.settle(Layer::JsonRpc, found) == Passage::Blocked {
            return;
        }
        if let Some(schema) = self.rules.schema {
            let found = self.mcp(schema, &messages);
            if self.settle(Layer::Mcp, found) == Passage::Blocked {
                return;
            }
        }
        let canary = self.canary.as_ref().and_then(Canary::in_frame);
        if let Some(at) = canary {
            let found = self.found(RuleId::CanaryOnStdout, at);
            if self.settle(Layer::Lifecycle, vec![found]) == Passage::Blocked {
                return;
            }
        }
        let mut whole: Vec<Accepted> = Vec::with_capacity(messages.len());
        for message in messages {
            whole.extend(self.correlate(message));
            // The first violation is final; the members behind it are not looked at.
            if self.is_fixed() {
                return;
            }
        }
        // A frame with a violation gives no message, however many it holds.
        self.accept(whole.len());
        if self.rules.messages == Messages::HandedBack {
            accepted.extend(whole);
        }
    }

    pub(crate) fn found(&self, rule: RuleId, at: u64) -> Found {
        Found { rule, at, context: self.context(), detail: Detail::None }
    }

    /// The messages of a frame that is JSON.
    fn messages(&self, text: Completeness) -> Vec<Message> {
        if text != Completeness::Complete {
            return Vec::new();
        }
        let in_array = matches!(self.frame.tracker.top, Some((ValueKind::Array, _)));
        self.frame
            .tracker
            .envelopes()
            .iter()
            .map(|envelope| {
                // What is missing in a batch member is missing at its closing bracket.
                let end = if in_array { envelope.end - 1 } else { self.frame.len() };
                Message {
                    start: envelope.start,
                    end: envelope.end,
                    missing_at: end,
                    shape: shape::read(envelope, end),
                }
            })
            .collect()
    }

    /// Layer 1 of a frame that 0x0A ended.
    fn framing(&self, text: Completeness, messages: &[Message]) -> Vec<Found> {
        let len = self.frame.len();
        let mut found = Vec::new();
        if text == Completeness::Blank {
            found.push(self.found(RuleId::EmptyFrame, len));
        } else if self.frame.ends_with_carriage_return() {
            found.push(self.found(RuleId::CarriageReturn, len - 1));
        }
        found.extend(self.decode_error(self.frame.undecodable()));
        found.extend(self.byte_order_mark());
        match text {
            Completeness::Open => found.push(self.found(RuleId::SplitMessage, len)),
            Completeness::Joined(second) => {
                found.push(self.found(RuleId::JoinedMessages, second));
            }
            _ => {}
        }
        if self.frame.is_header() {
            found.push(self.found(RuleId::ContentLengthHeader, 0));
        }
        // Reached only where the rule does not end the frame at its cap.
        if len > self.rules.max_frame_bytes {
            found.push(self.found(RuleId::OversizedFrame, self.rules.max_frame_bytes));
        }
        if len > LARGE_FRAME_BYTES {
            found.push(self.found(RuleId::LargeFrame, LARGE_FRAME_BYTES));
        }
        if messages.iter().any(|message| self.is_echo(&message.shape)) {
            found.push(self.found(RuleId::EchoedInput, 0));
        }
        found
    }

    /// Layer 1 of a frame that something else ended.
    fn framing_of_unfinished(&self, end: Option<TailEnd>, text: Completeness) -> Vec<Found> {
        let len = self.frame.len();
        let mut found = Vec::new();
        found.extend(self.decode_error(self.frame.proven_undecodable()));
        found.extend(self.byte_order_mark());
        match end {
            None => found.push(self.found(RuleId::OversizedFrame, len)),
            // We cut the stream ourselves, so that its end proves nothing.
            Some(_) if self.is_cut() => {}
            Some(end) => {
                let object = matches!(self.frame.tracker.top, Some((ValueKind::Object, _)));
                let whole = text == Completeness::Complete && object && end == TailEnd::Eof;
                let rule = if whole { RuleId::UnterminatedFrame } else { RuleId::PartialFrame };
                let detail = Detail::Tail { end, partial_bytes: len };
                found.push(Found { detail, ..self.found(rule, len) });
            }
        }
        found
    }

    fn decode_error(&self, at: Option<u64>) -> Option<Found> {
        let detail = self.frame.utf16().map_or(Detail::None, Detail::Utf16);
        Some(Found { detail, ..self.found(RuleId::DecodeError, at?) })
    }

    fn byte_order_mark(&self) -> Option<Found> {
        self.frame.has_byte_order_mark().then(|| self.found(RuleId::ByteOrderMark, 0))
    }

    /// Whether the message is one of our own, all of which are well-formed.
    fn is_echo(&self, shape: &Shape) -> bool {
        if !shape.met.is_empty() {
            return false;
        }
        let Some(method) = shape.method.as_deref().filter(|method| only_clients_send(method))
        else {
            return false;
        };
        let id = shape.id.as_ref().map(|id| id.value.as_ref());
        match id {
            Some(None) => false,
            Some(Some(id)) => self.requests.sent_exactly(Some(id), method),
            None => self.requests.sent_exactly(None, method),
        }
    }

    /// Layer 2.
    fn json(&mut self, text: Completeness) -> Vec<Found> {
        let len = self.frame.len();
        let notes = self.frame.tracker.notes;
        if notes.keys_not_checked {
            self.not_checked.insert(NotChecked::DuplicateKeys);
        }
        let broken = match text {
            Completeness::Complete => None,
            Completeness::Broken(at) | Completeness::Joined(at) => Some(at),
            Completeness::Blank | Completeness::Open | Completeness::Unfinished => Some(len),
        };
        let detail = self.frame.utf16().map_or(Detail::None, Detail::Utf16);
        let mut found = Vec::new();
        found.extend(broken.map(|at| Found { detail, ..self.found(RuleId::InvalidJson, at) }));
        let shades = [
            (RuleId::DuplicateMember, notes.duplicate_member),
            (RuleId::DuplicateKey, notes.duplicate_key),
            (RuleId::LoneSurrogate, notes.lone_surrogate),
            (RuleId::NumberRange, notes.number_range),
            (RuleId::DeepNesting, notes.deep_nesting),
        ];
        found.extend(shades.into_iter().filter_map(|(rule, at)| Some(self.found(rule, at?))));
        found
    }

    /// Layer 3.
    fn json_rpc(&mut self, messages: &[Message]) -> Vec<Found> {
        let mut found = Vec::new();
        match self.frame.tracker.top {
            Some((ValueKind::Array, at)) => found.push(self.batch_array(at, messages)),
            Some((ValueKind::Object, _)) | None => {}
            Some((_, at)) => found.push(self.found(RuleId::NotAnObject, at)),
        }
        let notes = self.frame.tracker.notes;
        found.extend(notes.bad_element.map(|at| self.found(RuleId::NotAnObject, at)));
        if notes.batch_not_checked {
            self.not_checked.insert(NotChecked::BatchMembers);
        }
        for message in messages {
            found.extend(message.shape.met.iter().map(|met| Found {
                rule: met.rule,
                at: met.at,
                context: LevelContext { version: self.version, kind: met.kind, aspect: met.aspect },
                detail: met.detail.clone(),
            }));
        }
        found
    }

    /// "An array containing one or more requests and/or notifications", or replies alone.
    fn batch_array(&self, at: u64, messages: &[Message]) -> Found {
        let replies = messages.iter().filter(|message| is_reply(message.shape.kind)).count();
        let mixed = replies > 0 && replies < messages.len();
        let empty = messages.is_empty() && self.frame.tracker.notes.bad_element.is_none();
        let aspect = (mixed || empty).then_some(Aspect::MalformedBatch);
        let mut found = self.found(RuleId::BatchArray, at);
        found.context.aspect = aspect;
        found
    }

    /// Layer 5, as far as a message shows it. None if it breaks a rule.
    fn correlate(&mut self, message: Message) -> Option<Accepted> {
        let shape = &message.shape;
        let kind = shape.kind?;
        if shape.too_long == TooLong::Some {
            self.not_checked.insert(NotChecked::LongMember);
        }
        let mut body = None;
        if is_reply(shape.kind) {
            match self.rules.correlation {
                Correlation::Off => self.negotiate(kind, shape),
                Correlation::On => {
                    let found = self.reply(&message);
                    let answers = match found {
                        Ok(answers) => answers,
                        Err(found) => {
                            if self.settle(Layer::Lifecycle, vec![found]) == Passage::Blocked {
                                return None;
                            }
                            None
                        }
                    };
                    let found = answers.and_then(|index| self.wrong_error_code(index, shape));
                    if self.settle(Layer::Lifecycle, found.into_iter().collect())
                        == Passage::Blocked
                    {
                        return None;
                    }
                    if let Some(index) = answers {
                        body = self.answer(index, kind, &message);
                    }
                }
            }
        }
        let Shape { id, method, .. } = message.shape;
        Some(Accepted { kind, id: id.and_then(|id| id.raw), method, body })
    }

    /// The pending request that a reply answers, or the rule that it breaks.
    fn reply(&self, message: &Message) -> Result<Option<usize>, Found> {
        let id = message.shape.id.as_ref().filter(|id| id.kind != IdKind::Null);
        let Some(id) = id else {
            // Without an id it answers nothing: perhaps a notification.
            return match (self.notification, message.shape.kind) {
                (NotificationWindow::Shut, _) | (_, Some(MessageKind::Result)) => Ok(None),
                _ => {
                    let at = message.shape.id.as_ref().map_or(message.missing_at, |id| id.at);
                    Err(self.found(RuleId::ReplyToNotification, at))
                }
            };
        };
        let matched = id.value.as_ref().map_or(Match::Nothing, |value| self.requests.find(value));
        let (rule, sent) = match matched {
            Match::Pending { index } => return Ok(Some(index)),
            Match::Answered { sent } => (RuleId::DuplicateResponse, Some(sent)),
            Match::Changed { sent } => (RuleId::IdChanged, Some(sent)),
            Match::Nothing => (RuleId::UnknownId, None),
        };
        Err(self.wrong_id(rule, id, sent))
    }

    /// "Method not found" has a code of its own.
    fn wrong_error_code(&self, index: usize, shape: &Shape) -> Option<Found> {
        let code = shape.error_code.as_ref()?;
        let wrong =
            self.requests.method(index) == UNKNOWN_METHOD && *code.text != *METHOD_NOT_FOUND;
        wrong.then(|| Found {
            detail: Detail::Wrong(Member::ErrorCode),
            ..self.found(RuleId::WrongErrorCode, code.at)
        })
    }

    fn wrong_id(&self, rule: RuleId, id: &Id, sent: Option<model::RawId>) -> Found {
        let detail = match &id.raw {
            Some(got) => Detail::Id { got: got.clone(), sent },
            None => Detail::None,
        };
        Found { detail, ..self.found(rule, id.at) }
    }

    /// Marks a request as answered and hands back its reply's bytes, if they are wanted.
    fn answer(&mut self, index: usize, kind: MessageKind, message: &Message) -> Option<Box<[u8]>> {
        self.notification = NotificationWindow::Shut;
        let answered = self.requests.answer(index);
        let opening = match answered.method {
            "initialize" => Some(model::Inconclusive::NotInitialized),
            "server/discover" => Some(model::Inconclusive::NotDiscovered),
            _ => None,
        };
        let keep = answered.keep_body == KeepBody::Keep;
        match (opening, kind) {
            (None, _) => {}
            (Some(refused), MessageKind::Error) => {
                self.inconclusive.get_or_insert(refused);
            }
            (Some(model::Inconclusive::NotDiscovered), _) => {
                // Each request of ours has named this revision, and a result grants it.
                self.version = self.rules.protocol.or(Some(ProtocolVersion::V2026_07_28));
            }
            (Some(_), _) => self.negotiate(kind, &message.shape),
        }
        keep.then(|| self.frame.body(message.start, message.end).map(Into::into)).flatten()
    }

    /// From an initialize result on, its revision is in force.
    fn negotiate(&mut self, kind: MessageKind, shape: &Shape) {
        if kind == MessageKind::Result && self.version.is_none() {
            let name = shape.protocol_version.as_deref();
            let answered = name.and_then(|name| name.parse().ok());
            self.version = self.rules.protocol.or(answered);
            // A result that names none takes nothing back.
            if name.is_some() {
                self.revision_is_unknown = self.version.is_none();
            }
        }
    }
}

pub(crate) fn is_reply(kind: Option<MessageKind>) -> bool {
    matches!(kind, Some(MessageKind::Result | MessageKind::Error))
}

/// One message of a frame.
#[derive(Debug)]
pub(crate) struct Message {
    /// The first byte of the object, and the byte after it.
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// The byte that stands for what is missing.
    missing_at: u64,
    pub(crate) shape: Shape,
}
