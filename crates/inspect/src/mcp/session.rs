//! What layer 4 remembers of a session: what each side offered, and what is under way.

use std::collections::{BTreeMap, BTreeSet};

use model::{Aspect, IdValue, ProtocolVersion, RuleId};

use super::declared::{Augmented, ClientCapability, Declared, Topic};
use crate::rule_set::Correlation;

/// What layer 4 remembers of a session.
#[derive(Debug, Default)]
pub(crate) struct McpSession {
    pub(super) handshake: Handshake,
    pub(super) client: BTreeSet<ClientCapability>,
    /// None until a result has told it.
    pub(super) server: Option<BTreeSet<ServerCapability>>,
    pub(super) progress: BTreeMap<IdValue, Progress>,
}

/// Whether the client has begun a session of the era with a handshake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Handshake {
    #[default]
    NotBegun,
    Begun,
}

/// What a server may announce, as far as rules look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ServerCapability {
    Logging,
    ListChanged(Topic),
}

/// The progress that a request of ours asked for.
#[derive(Debug)]
pub(super) struct Progress {
    /// The request's id.
    pub(super) request: IdValue,
    pub(super) augmented: Augmented,
    pub(super) state: UnderWay,
    /// The last value, as raw text.
    pub(super) last: Option<Box<str>>,
}

/// Whether a request is still under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnderWay {
    Yes,
    Answered,
}

/// What the rules are told of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<'a> {
    /// The revision by which it is judged; None where none is negotiated.
    pub(super) version: Option<ProtocolVersion>,
    pub(super) correlation: Correlation,
    /// The message, and the offset of its first byte in the frame.
    pub(super) body: &'a [u8],
    pub(super) start: u64,
}

/// The request that a result answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    pub(super) id: &'a IdValue,
    pub(super) method: &'a str,
    pub(super) declared: &'a Declared,
}

/// A rule of layer 4 met by a message.
#[derive(Debug)]
pub(super) struct Met {
    pub(super) rule: RuleId,
    pub(super) aspect: Option<Aspect>,
    /// The offset in the frame.
    pub(super) at: u64,
    pub(super) pointer: &'static str,
    pub(super) reason: Box<str>,
}

impl Met {
    pub(super) fn new(
        rule: RuleId,
        at: u64,
        pointer: &'static str,
        reason: impl Into<Box<str>>,
    ) -> Self {
        Self { rule, aspect: None, at, pointer, reason: reason.into() }
    }
}

impl McpSession {
    /// Takes note of a request of ours.
    pub(crate) fn sent(&mut self, id: &IdValue, method: &str, declared: &Declared) {
        if method == "initialize" {
            self.begin_handshake();
        }
        self.client.extend(&declared.capabilities);
        if let Some(token) = &declared.progress_token {
            let progress = Progress {
                request: id.clone(),
                augmented: declared.augmented,
                state: UnderWay::Yes,
                last: None,
            };
            self.progress.insert(token.clone(), progress);
        }
    }

    pub(super) fn begin_handshake(&mut self) {
        self.handshake = Handshake::Begun;
    }

    /// Whether the client has begun with a handshake.
    pub(crate) fn has_handshake(&self) -> bool {
        self.handshake == Handshake::Begun
    }

    /// Takes note of the reply to a request of ours.
    pub(super) fn answered(&mut self, id: &IdValue) {
        for progress in self.progress.values_mut() {
            if progress.request == *id && progress.augmented == Augmented::No {
                progress.state = UnderWay::Answered;
            }
        }
    }

    /// Whether the server is known not to have announced a capability.
    pub(super) fn lacks(&self, capability: ServerCapability) -> bool {
        self.server.as_ref().is_some_and(|announced| !announced.contains(&capability))
    }
}
