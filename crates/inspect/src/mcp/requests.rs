//! Requests of the server: whether it may send any, and whether we offered what they need.

use model::RuleId;

use super::declared::ClientCapability;
use super::session::{McpSession, Met, Seen};
use super::values::Values;
use crate::pick::place;
use crate::rule_set::Correlation;

impl McpSession {
    pub(super) fn request(&self, seen: Seen<'_>, method: &str) -> Vec<Met> {
        let values = Values::of(seen.body, seen.start, &[place(&["method"])]);
        let at = values.last(0).map_or(seen.start, |value| value.at);
        let needed = ClientCapability::of_request(method);
        // What a client offered is not part of a recording without one.
        let missing = needed
            .filter(|needed| seen.correlation == Correlation::On && !self.client.contains(needed));
        missing.map(|needed| undeclared(needed, at, "/method")).into_iter().collect()
    }
}

/// A request for what we did not offer.
pub(super) fn undeclared(needed: ClientCapability, at: u64, pointer: &'static str) -> Met {
    let reason = format!("needs the client capability `{}`, which was not offered", needed.name());
    Met::new(RuleId::UndeclaredCapability, at, pointer, reason)
}
