//! Layer 4: whether each message of a frame conforms to the schema of what it is, and whether it
//! may be sent there and then.

mod declared;
mod notifications;
mod progress;
mod replacement;
mod requests;
mod results;
mod session;
mod values;

use model::{Detail, LevelContext, MessageKind, NotChecked, ProtocolVersion, RuleId};

use crate::frame::Frame;
use crate::inspector::{Found, Inspector};
use crate::judge::{Message, is_reply};
use crate::pick::{pick, place, place_of_pointer};
use crate::readable::readable;
use crate::requests::Match;
use crate::rule_set::Correlation;
use crate::schema::{MessageSchema, Mismatch, SchemaAnswer, Subject};
use crate::shape::Id;

pub(crate) use declared::Declared;
pub(crate) use replacement::holds_raw as holds_raw_replacement;
pub(crate) use session::McpSession;

use session::{Asked, Seen};

/// The largest message that is checked, in bytes: a parser makes many times as much of it.
const MOST_BYTES: u64 = 8 * 1024 * 1024;
/// Where there is no client side only requests and notifications are checked, which are small,
/// and a recording of any size must be judged in little memory.
const MOST_BYTES_WITHOUT_CLIENT: u64 = 64 * 1024;
/// The most values of a frame whose messages are checked. An object with one member costs most
/// of a kilobyte as a parsed value.
const MOST_VALUES: u64 = 200_000;

/// The largest frame whose messages are checked, in bytes.
pub(crate) fn most_bytes(correlation: Correlation) -> u64 {
    match correlation {
        Correlation::On => MOST_BYTES,
        Correlation::Off => MOST_BYTES_WITHOUT_CLIENT,
    }
}

/// What the result of the handshake is.
const INITIALIZE: Subject<'static> = Subject::Result { request: "initialize" };

/// The revisions by which a message is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Revision {
    /// This one.
    Known(ProtocolVersion),
    /// None is negotiated: what breaks a rule must break it in every revision that has it.
    Open,
    /// One that nobody knows.
    Unknown,
}

/// What checking a message led to.
enum Checked {
    Conforms,
    Mismatch { at: u64, mismatch: Mismatch },
    UnknownMethod,
    Not(NotChecked),
}

impl Inspector {
    /// Layer 4 of a frame.
    pub(crate) fn mcp(
        &mut self,
        schema: &'static dyn MessageSchema,
        messages: &[Message],
    ) -> Vec<Found> {
        let mut found = Vec::new();
        for message in messages {
            let Some(kind) = message.shape.kind else { continue };
            let revision = self.revision(message);
            let version = match revision {
                Revision::Known(version) => Some(version),
                Revision::Open | Revision::Unknown => None,
            };
            let context = LevelContext { version, kind: Some(kind), aspect: None };
            found.extend(self.schema_rules(schema, revision, message, context));
            found.extend(self.session_rules(message, context));
        }
        found
    }

    /// What the schemas say of a message.
    fn schema_rules(
        &mut self,
        schema: &'static dyn MessageSchema,
        revision: Revision,
        message: &Message,
        context: LevelContext,
    ) -> Option<Found> {
        let kind = context.kind?;
        let checked = match self.subject(message) {
            Some(_) if revision == Revision::Unknown => {
                Checked::Not(NotChecked::SchemaOfUnknownRevision)
            }
            Some(subject) => self.conformance(schema, revision, subject, message),
            None if kind == MessageKind::Result && self.rules.correlation == Correlation::Off => {
                Checked::Not(NotChecked::SchemaOfResults)
            }
            // An error is a matter of layer 3; a reply to nothing is one of layer 5.
            None => return None,
        };
        match checked {
            Checked::Conforms => None,
            Checked::Not(why) => {
                self.not_checked.insert(why);
                None
            }
            Checked::UnknownMethod => {
                // Whoever asks for what nobody knows gets an error; telling of it gets nothing.
                (kind == MessageKind::Notification)
                    .then(|| self.unknown_notification(message, context))
            }
            Checked::Mismatch { at, mismatch: Mismatch { pointer, reason } } => {
                let detail = Detail::Value { pointer, reason };
                Some(Found { rule: RuleId::SchemaMismatch, at, context, detail })
            }
        }
    }

    fn unknown_notification(&self, message: &Message, context: LevelContext) -> Found {
        let body = self.frame.body(message.start, message.end).unwrap_or_default();
        let found = pick(body, message.start, &[place(&["method"])]);
        let at = found.last().map_or(message.start, |value| value.at);
        let reason = match context.version {
            Some(version) => format!("is no notification of a server in revision {version}"),
            None => "is no notification of a server in any revision".to_owned(),
        };
        let detail = Detail::Value { pointer: "/method".into(), reason: reason.into() };
        Found { rule: RuleId::UnknownNotification, at, context, detail }
    }

    /// What a message says in the session in which it stands.
    fn session_rules(&mut self, message: &Message, context: LevelContext) -> Vec<Found> {
        let shape = &message.shape;
        let answers = match (self.rules.correlation, is_reply(shape.kind), &shape.id) {
            (Correlation::On, true, Some(Id { value: Some(id), .. })) => {
                match self.requests.find(id) {
                    Match::Pending { index } => Some((id, index)),
                    Match::Answered { .. } | Match::Changed { .. } | Match::Nothing => None,
                }
            }
            _ => None,
        };
        let asked = answers.map(|(id, index)| {
            let (method, declared) = self.requests.asked(index);
            Asked { id, method, declared }
        });
        let initialize = self.subject(message) == Some(INITIALIZE);
        let most = most_bytes(self.rules.correlation);
        let met = match body(&self.frame, most, message) {
            None => Vec::new(),
            Some(body) => {
                let seen = Seen {
                    version: context.version,
                    correlation: self.rules.correlation,
                    body,
                    start: message.start,
                };
                match (shape.kind, shape.method.as_deref()) {
                    (Some(MessageKind::Request), Some(method)) => {
                        self.session.request(seen, method)
                    }
                    (Some(MessageKind::Notification), Some(method)) => {
                        self.session.notification(seen, method)
                    }
                    (Some(MessageKind::Result), _) if initialize => {
                        self.session.initialize_result(seen, asked)
                    }
                    (Some(MessageKind::Result), _) => self.session.result(seen, asked),
                    _ => Vec::new(),
                }
            }
        };
        if let Some(asked) = asked {
            self.session.answered(asked.id);
        }
        let found = met.into_iter().map(|met| Found {
            rule: met.rule,
            at: met.at,
            context: LevelContext { aspect: met.aspect, ..context },
            detail: Detail::Value { pointer: met.pointer.into(), reason: met.reason },
        });
        found.collect()
    }

    /// What a message is. None where no schema belongs to it.
    fn subject<'a>(&'a self, message: &'a Message) -> Option<Subject<'a>> {
        let shape = &message.shape;
        match shape.kind? {
            MessageKind::Request => Some(Subject::Request { method: shape.method.as_deref()? }),
            MessageKind::Notification => {
                Some(Subject::Notification { method: shape.method.as_deref()? })
            }
            MessageKind::Result => match self.rules.correlation {
                Correlation::Off => {
                    shape.protocol_version.as_ref()?;
                    Some(INITIALIZE)
                }
                Correlation::On => {
                    let id = shape.id.as_ref()?.value.as_ref()?;
                    match self.requests.find(id) {
                        Match::Pending { index } => {
                            Some(Subject::Result { request: self.requests.asked(index).0 })
                        }
                        Match::Answered { .. } | Match::Changed { .. } | Match::Nothing => None,
                    }
                }
            },
            MessageKind::Error => None,
        }
    }

    /// The revision by which a message is judged: for an initialize result, its own.
    fn revision(&self, message: &Message) -> Revision {
        if let Some(version) = self.version {
            return Revision::Known(version);
        }
        let answered = message.shape.protocol_version.as_deref();
        match answered.filter(|_| self.subject(message) == Some(INITIALIZE)) {
            None if self.revision_is_unknown => Revision::Unknown,
            None => Revision::Open,
            Some(answered) => match self.rules.protocol.or(answered.parse().ok()) {
                Some(version) => Revision::Known(version),
                None => Revision::Unknown,
            },
        }
    }

    fn conformance(
        &self,
        schema: &'static dyn MessageSchema,
        revision: Revision,
        subject: Subject<'_>,
        message: &Message,
    ) -> Checked {
        let notes = &self.frame.tracker.notes;
        let most = most_bytes(self.rules.correlation);
        let body = body(&self.frame, most, message).filter(|_| notes.values <= MOST_VALUES);
        let Some(body) = body else {
            return Checked::Not(NotChecked::SchemaOfLargeMessage);
        };
        if notes.deep_nesting.is_some() {
            return Checked::Not(NotChecked::SchemaOfDeepMessage);
        }
        let as_it_is = notes.number_range.is_none() && notes.lone_surrogate.is_none();
        let text = if as_it_is { Some(body.into()) } else { readable(body) };
        let Some(text) = text else {
            return Checked::Not(NotChecked::SchemaOfLargeMessage);
        };
        // Who has begun with initialize speaks a revision that has it.
        let with_handshake = self.session.has_handshake();
        let versions: Vec<_> = match revision {
            Revision::Known(version) => vec![version],
            Revision::Open | Revision::Unknown => ProtocolVersion::ALL
                .into_iter()
                .filter(|version| version.has_handshake() || !with_handshake)
                .collect(),
        };
        let answers =
            versions.into_iter().rev().map(|version| schema.check(version, subject, &text));
        let mut whole = Checked::UnknownMethod;
        for answer in answers {
            match answer {
                SchemaAnswer::Conforms => return Checked::Conforms,
                SchemaAnswer::Mismatch(mismatches) => {
                    whole = first(body, message.start, mismatches).unwrap_or(whole);
                }
                SchemaAnswer::UnknownMethod => {}
                SchemaAnswer::Unreadable => {
                    return Checked::Not(NotChecked::SchemaOfLargeMessage);
                }
            }
        }
        whole
    }
}

/// The bytes of a message of a frame that has at most this many.
fn body<'f>(frame: &'f Frame, most: u64, message: &Message) -> Option<&'f [u8]> {
    frame.body(message.start, message.end).filter(|_| frame.len() <= most)
}

/// The mismatch whose value stands first.
fn first(body: &[u8], start: u64, mismatches: Vec<Mismatch>) -> Option<Checked> {
    let places: Vec<_> =
        mismatches.iter().map(|mismatch| place_of_pointer(&mismatch.pointer)).collect();
    let found = pick(body, start, &places);
    // Of two members with one name the last one was checked.
    let at = |number: usize| {
        let values = found.iter().filter(|picked| picked.place == number);
        values.map(|picked| picked.at).next_back().unwrap_or(start)
    };
    let numbered = mismatches.into_iter().enumerate();
    let (at, mismatch) = numbered
        .map(|(number, mismatch)| (at(number), mismatch))
        .min_by(|(a, x), (b, y)| (a, &x.pointer, &x.reason).cmp(&(b, &y.pointer, &y.reason)))?;
    Some(Checked::Mismatch { at, mismatch })
}
