//! Frames that are vouched for as they are read, without the exact machine.
//!
//! Only where there is no client side, so that a plain message has nothing that it could be matched
//! with, and where nobody takes the messages.

use model::{Layer, NotChecked};

use crate::inspector::Inspector;
use crate::judge::LARGE_FRAME_BYTES;
use crate::mcp;
use crate::plain::{Plain, PlainKind, Replacement};
use crate::rule_set::{Correlation, Messages};

/// How far the bytes of one event hold whole frames that are UTF-8.
pub(crate) enum Decoded {
    /// Not looked at yet.
    NotYet,
    /// Until so many bytes before their end.
    Until { left: usize },
}

impl Decoded {
    /// The whole frames at the start of the rest of an event's bytes, as far as they are UTF-8.
    /// They are looked at once.
    fn of<'b>(&mut self, rest: &'b [u8]) -> &'b [u8] {
        let left = match *self {
            Self::Until { left } => left,
            Self::NotYet => {
                let whole = memchr::memrchr(b'\n', rest).map_or(0, |newline| newline + 1);
                let left = rest.len() - decoded_bytes(&rest[..whole]);
                *self = Self::Until { left };
                left
            }
        };
        &rest[..rest.len().saturating_sub(left)]
    }
}

/// How many bytes are UTF-8, from the first on.
fn decoded_bytes(bytes: &[u8]) -> usize {
    // The answer that says where costs more, and is seldom asked for.
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => text.len(),
        Err(_) => match simdutf8::compat::from_utf8(bytes) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        },
    }
}

impl Inspector {
    /// Passes over the frames at the start of these bytes that are vouched for, and tells how many
    /// bytes those are.
    pub(crate) fn pass_plain(&mut self, rest: &[u8], decoded: &mut Decoded) -> usize {
        if !self.may_pass() {
            return 0;
        }
        let text = decoded.of(rest);
        let mut passed = 0;
        let mut results = 0;
        while let Some(plain) = self.plain.read(&text[passed..]) {
            if !self.passes(plain, &text[passed..passed + plain.len]) {
                break;
            }
            self.end_plain(plain.len as u64);
            results += usize::from(plain.kind == PlainKind::Result);
            passed += plain.len + 1;
        }
        if passed > 0 {
            self.reached(results);
        }
        passed
    }

    /// Whether a message may be passed over at all.
    fn may_pass(&self) -> bool {
        // From 2026-07-28 on layer 4 asks more of every result.
        let later = self.version.is_some_and(|version| !version.has_handshake());
        self.rules.correlation == Correlation::Off
            && self.rules.messages == Messages::Counted
            && self.canary.is_none()
            && !later
    }

    /// Whether no rule beyond those that `plain` knows has anything to say.
    fn passes(&self, plain: Plain, frame: &[u8]) -> bool {
        let most = self.rules.max_frame_bytes.min(LARGE_FRAME_BYTES);
        if frame.len() as u64 > most {
            return false;
        }
        let layer_4_looks = self.rules.schema.is_some();
        let unseen =
            || plain.replacement == Replacement::NotSeen && !mcp::holds_raw_replacement(frame);
        match plain.kind {
            PlainKind::Call => !layer_4_looks,
            PlainKind::Result | PlainKind::Error => !layer_4_looks || unseen(),
        }
    }

    /// Notes how far the frames came, so many of which are results.
    fn reached(&mut self, results: usize) {
        self.layers.extend([Layer::Framing, Layer::Json, Layer::JsonRpc]);
        if self.rules.schema.is_some() {
            self.layers.insert(Layer::Mcp);
            if results > 0 {
                self.not_checked.insert(NotChecked::SchemaOfResults);
            }
        }
    }
}
