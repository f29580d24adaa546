//! What is kept of a frame: size, time, id, method and a digest.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::redact::{Edge, Edges, Redactor, holds_content};

/// The bytes of a frame that are looked at for its envelope.
const ENVELOPE_BYTES: usize = 256 * 1024;

/// The longest frame whose hash is shown: all of it must be kept to know that it holds no secret.
const HASHED_BYTES: usize = 8 * 1024;

/// What is known of a frame.
#[derive(Clone)]
pub(crate) struct FrameFact {
    /// Counted from 1.
    pub(crate) number: u64,
    /// When its first byte came, since the launch.
    pub(crate) began: Duration,
    /// Without its newline.
    pub(crate) bytes: u64,
    /// The JSON text of its id.
    pub(crate) id: Option<String>,
    /// Its method, or that of the request that it answers.
    pub(crate) method: Option<String>,
    /// Its kind, if it has the look of a message.
    pub(crate) kind: Option<FrameKind>,
    /// Its hash.
    pub(crate) digest: FrameDigest,
}

/// The kind of message that a frame looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    Request,
    Notification,
    Result,
    Error,
}

impl FrameKind {
    /// The name used in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Notification => "notification",
            Self::Result => "result",
            Self::Error => "error",
        }
    }
}

/// The SHA-256 of a frame, and its bytes, by which it is told whether the hash may be shown.
/// None of both for a longer frame.
#[derive(Clone)]
pub(crate) struct FrameDigest {
    kept: Option<([u8; 32], Box<[u8]>)>,
    /// Whether a newline ended the frame. What ended without may end inside a secret.
    end: Edge,
}

impl FrameDigest {
    /// The hash in hexadecimal, unless something in the frame is a secret: who knows the rest of
    /// the frame could guess it from the hash.
    pub(crate) fn shown(&self, redactor: &Redactor) -> Option<String> {
        let (hash, frame) = self.kept.as_ref()?;
        let redacted = redactor.redact(frame, Edges { start: Edge::Whole, end: self.end });
        let clean = !redacted.has_replaced() && !redacted.lost_end() && !holds_content(frame);
        clean.then(|| hash.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// Keeps what is needed of the frame that is coming.
#[derive(Clone, Default)]
pub(super) struct FrameKeeper {
    began: Option<Duration>,
    prefix: Vec<u8>,
    len: u64,
    hash: Sha256,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

impl FrameKeeper {
    pub(super) fn feed(&mut self, at: Duration, bytes: &[u8]) {
        self.began.get_or_insert(at);
        let room = ENVELOPE_BYTES - self.prefix.len();
        self.prefix.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.len += bytes.len() as u64;
        self.hash.update(bytes);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The frame that has ended. The next one begins.
    pub(super) fn end(
        &mut self,
        at: Duration,
        number: u64,
        end: Edge,
        requests: &HashMap<String, String>,
    ) -> FrameFact {
        let frame = std::mem::take(self);
        let whole = frame.prefix.len() as u64 == frame.len;
        let envelope: Option<Envelope<'_>> =
            whole.then(|| serde_json::from_slice(&frame.prefix).ok()).flatten();
        let (mut id, mut method, mut kind) = (None, None, None);
        if let Some(envelope) = envelope {
            id = envelope.id.map(|id| id.get().to_owned());
            kind = match (&envelope.method, &id, envelope.result, envelope.error) {
                (Some(_), Some(_), _, _) => Some(FrameKind::Request),
                (Some(_), None, _, _) => Some(FrameKind::Notification),
                (None, _, Some(_), _) => Some(FrameKind::Result),
                (None, _, None, Some(_)) => Some(FrameKind::Error),
                (None, _, None, None) => None,
            };
            let answered = || id.as_ref().and_then(|id| requests.get(id)).cloned();
            method = envelope.method.map(Cow::into_owned).or_else(answered);
        }
        FrameFact {
            number,
            began: frame.began.unwrap_or(at),
            bytes: frame.len,
            id,
            method,
            kind,
            digest: FrameDigest {
                kept: (frame.prefix.len() <= HASHED_BYTES && whole)
                    .then(|| (frame.hash.finalize().into(), frame.prefix.into())),
                end,
            },
        }
    }
}
