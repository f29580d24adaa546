//! Notifications: whether they were announced, asked for, and come in their order.

use model::RuleId;

use super::declared::Topic;
use super::progress;
use super::session::{Handshake, McpSession, Met, Seen, ServerCapability, UnderWay};
use super::values::{Values, token};
use crate::pick::{Picked, place};
use crate::rule_set::Correlation;

impl McpSession {
    pub(super) fn notification(&mut self, seen: Seen<'_>, method: &str) -> Vec<Met> {
        let places = [
            place(&["method"]),
            place(&["params", "progressToken"]),
            place(&["params", "progress"]),
        ];
        let values = Values::of(seen.body, seen.start, &places);
        let at = values.last(0).map_or(seen.start, |value| value.at);
        let with_client = seen.correlation == Correlation::On;
        let topic = Topic::of_notification(method);
        let mut met = Vec::new();
        met.extend(self.unannounced(seen, method, topic, at));
        if with_client && method == "notifications/progress" {
            met.extend(self.progress_order(values.last(1), values.last(2)));
        }
        met
    }

    /// A notification under a capability that the server has not announced.
    fn unannounced(
        &self,
        seen: Seen<'_>,
        method: &str,
        topic: Option<Topic>,
        at: u64,
    ) -> Option<Met> {
        let early = seen.correlation == Correlation::On
            && seen.version.is_none()
            && self.handshake == Handshake::Begun;
        let reason = match (method, topic) {
            ("notifications/message", _) if self.lacks(ServerCapability::Logging) => {
                "needs the capability `logging`, which was not announced"
            }
            (_, Some(topic)) if self.lacks(ServerCapability::ListChanged(topic)) => {
                "needs the capability `listChanged`, which was not announced"
            }
            (_, Some(_)) if self.server.is_none() && early => {
                "comes before the initialize result, which announces its capability"
            }
            _ => return None,
        };
        Some(Met::new(RuleId::UndeclaredCapability, at, "/method", reason))
    }

    /// "Progress notifications MUST only reference tokens that were provided in an active
    /// request", and "the progress value MUST increase with each notification".
    fn progress_order(&mut self, token_at: Option<&Picked>, value: Option<&Picked>) -> Option<Met> {
        // Without a token or a value the schema speaks.
        let token_at = token_at?;
        let rule = RuleId::ProgressOrder;
        let pointer = "/params/progressToken";
        let Some(progress) = token(token_at).and_then(|token| self.progress.get_mut(&token)) else {
            return Some(Met::new(rule, token_at.at, pointer, "is the token of no request"));
        };
        if progress.state == UnderWay::Answered {
            let reason = "is the token of a request that has been answered";
            return Some(Met::new(rule, token_at.at, pointer, reason));
        }
        let value = value?;
        let text = std::str::from_utf8(value.text.as_deref()?).ok()?;
        let last = progress.last.replace(text.into());
        last.filter(|last| progress::does_not_increase(last, text)).map(|_| {
            Met::new(rule, value.at, "/params/progress", "is not more than the value before it")
        })
    }
}
