//! Being the server of a case: what it awaits, what it writes, how it ends.
//!
//! Timing is in events: a server waits for the client's message or for the end of stdin, never
//! for a while.

mod client;
mod client_kind;
mod live;
mod ordinary;
mod performance;

pub(crate) use client::{Client, Message, Presence};
pub(crate) use client_kind::Pipelining;
pub(crate) use live::LiveIds;
pub(crate) use ordinary::reply as ordinary_reply;
pub(crate) use performance::{Act, Groups, Hold, Leave, Performance, Sigterm, performance};

/// Why no process can be the server of a case; None if `play` can.
#[must_use]
pub fn not_playable(case: &corpus::Case) -> Option<String> {
    performance(case).err().map(|not| not.reason())
}
