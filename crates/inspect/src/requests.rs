//! The client side's requests, and which of them have a reply.

use std::collections::{BTreeMap, BTreeSet};

use model::{IdValue, KeepBody, PendingRequest, PlanStep, RawId};

use crate::mcp::Declared;
use crate::string::unescape;

/// The requests of one session.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    list: Vec<Request>,
    by_id: BTreeMap<IdValue, usize>,
    pending: usize,
    pending_kept: usize,
    /// No request before this index is pending.
    oldest: usize,
    notifications: BTreeSet<Box<str>>,
    deadline: Deadline,
}

/// Whether a deadline of the session passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Deadline {
    #[default]
    NotPassed,
    Passed,
}

#[derive(Debug)]
struct Request {
    id: RawId,
    method: Box<str>,
    keep_body: KeepBody,
    declared: Declared,
    reply: Reply,
}

impl Request {
    fn is_pending(&self) -> bool {
        matches!(self.reply, Reply::Awaited | Reply::OnStderr)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reply {
    Awaited,
    /// Awaited, and stderr held it.
    OnStderr,
    Accepted,
    /// No longer awaited; it may still come.
    GivenUp,
    /// It stays open, and its acknowledgement has come.
    Acknowledged,
}

/// What a reply's id stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    Pending {
        index: usize,
    },
    Answered {
        sent: RawId,
    },
    /// The id of a request, but with another JSON type.
    Changed {
        sent: RawId,
    },
    Nothing,
}

/// The request that a reply answered.
#[derive(Debug)]
pub(crate) struct Answered<'a> {
    pub(crate) method: &'a str,
    pub(crate) keep_body: KeepBody,
}

impl Requests {
    pub(crate) fn sent(
        &mut self,
        id: &RawId,
        method: &str,
        keep_body: KeepBody,
        declared: Declared,
    ) {
        self.by_id.insert(compared(id), self.list.len());
        self.pending += 1;
        self.pending_kept += usize::from(keep_body == KeepBody::Keep);
        self.list.push(Request {
            id: id.clone(),
            method: method.into(),
            keep_body,
            declared,
            reply: Reply::Awaited,
        });
    }

    pub(crate) fn notified(&mut self, method: &str) {
        self.notifications.insert(method.into());
    }

    /// Whether we sent exactly this message.
    pub(crate) fn sent_exactly(&self, id: Option<&IdValue>, method: &str) -> bool {
        match id {
            Some(id) => {
                self.by_id.get(id).is_some_and(|&index| *self.list[index].method == *method)
            }
            None => self.notifications.contains(method),
        }
    }

    pub(crate) fn find(&self, id: &IdValue) -> Match {
        if let Some(&index) = self.by_id.get(id) {
            let request = &self.list[index];
            return match request.reply {
                Reply::Accepted => Match::Answered { sent: request.id.clone() },
                Reply::Awaited | Reply::OnStderr | Reply::GivenUp | Reply::Acknowledged => {
                    Match::Pending { index }
                }
            };
        }
        let other_type = match id {
            IdValue::Number(text) => Some(IdValue::String(text.as_bytes().into())),
            IdValue::String(text) => {
                std::str::from_utf8(text).ok().map(|text| IdValue::Number(text.into()))
            }
        };
        match other_type.and_then(|id| self.by_id.get(&id)) {
            Some(&index) => Match::Changed { sent: self.list[index].id.clone() },
            None => Match::Nothing,
        }
    }

    /// The method of a request, and what it declares.
    pub(crate) fn asked(&self, index: usize) -> (&str, &Declared) {
        let request = &self.list[index];
        (&request.method, &request.declared)
    }

    /// Marks a pending request as answered.
    pub(crate) fn answer(&mut self, index: usize) -> Answered<'_> {
        self.settle(index, Reply::Accepted);
        let request = &self.list[index];
        Answered { method: &request.method, keep_body: request.keep_body }
    }

    pub(crate) fn method(&self, index: usize) -> &str {
        &self.list[index].method
    }

    pub(crate) fn replied_on_stderr(&mut self, index: usize) {
        let request = &mut self.list[index];
        if request.reply == Reply::Awaited {
            request.reply = Reply::OnStderr;
        }
    }

    /// No reply is awaited any more, though each may still come.
    pub(crate) fn give_up(&mut self) {
        for index in self.oldest..self.list.len() {
            if self.list[index].is_pending() {
                self.settle(index, Reply::GivenUp);
            }
        }
    }

    /// The requests that stay open are in force. Whether there was one that was awaited.
    pub(crate) fn acknowledge(&mut self) -> bool {
        let open = self.list.iter().position(|request| {
            request.is_pending() && *request.method == *PlanStep::Listen.method()
        });
        if let Some(index) = open {
            self.settle(index, Reply::Acknowledged);
        }
        open.is_some()
    }

    fn settle(&mut self, index: usize, reply: Reply) {
        let request = &mut self.list[index];
        if request.is_pending() {
            self.pending -= 1;
            self.pending_kept -= usize::from(request.keep_body == KeepBody::Keep);
        }
        request.reply = reply;
        while self.list.get(self.oldest).is_some_and(|request| !request.is_pending()) {
            self.oldest += 1;
        }
    }

    /// A deadline of the session passed.
    pub(crate) fn overdue(&mut self) {
        self.deadline = Deadline::Passed;
    }

    /// Whether a reply was waited for in vain.
    pub(crate) fn any_overdue(&self) -> bool {
        self.any_pending() && self.deadline == Deadline::Passed
    }

    /// Whether nothing was asked.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(crate) fn pending(&self) -> usize {
        self.pending
    }

    pub(crate) fn any_pending(&self) -> bool {
        self.pending > 0
    }

    /// Whether the bytes of some awaited reply are wanted.
    pub(crate) fn keeps_bodies(&self) -> bool {
        self.pending_kept > 0
    }

    pub(crate) fn oldest_pending(&self) -> Option<PendingRequest> {
        let request = self.list.get(self.oldest)?;
        Some(PendingRequest { id: request.id.clone(), method: request.method.clone() })
    }

    /// Whether the oldest pending request was answered on stderr.
    pub(crate) fn oldest_is_on_stderr(&self) -> bool {
        self.list.get(self.oldest).is_some_and(|request| request.reply == Reply::OnStderr)
    }
}

pub(crate) fn compared(id: &RawId) -> IdValue {
    let text = id.as_str();
    if text.starts_with('"') {
        IdValue::String(unescape(text.as_bytes()).into_owned().into())
    } else {
        IdValue::Number(text.into())
    }
}

#[cfg(test)]
mod tests {
    use model::{IdValue, KeepBody, RawId};

    use super::{Declared, Match, Requests};

    #[test]
    fn bodies_are_kept_as_long_as_a_wanted_reply_is_awaited() {
        let mut requests = Requests::default();
        requests.sent(&RawId::integer(1), "a", KeepBody::Drop, Declared::default());
        assert!(!requests.keeps_bodies());
        requests.sent(&RawId::integer(2), "b", KeepBody::Keep, Declared::default());
        requests.sent(&RawId::integer(3), "c", KeepBody::Keep, Declared::default());
        assert!(requests.keeps_bodies());
        requests.answer(1);
        assert!(requests.keeps_bodies());
        requests.answer(2);
        assert!(!requests.keeps_bodies());
        assert!(requests.any_pending());
        requests.answer(0);
        assert!(!requests.any_pending());
    }

    #[test]
    fn the_oldest_without_a_reply_is_the_one_that_waits() {
        let mut requests = Requests::default();
        for (number, method) in [(1, "a"), (2, "b"), (3, "c")] {
            requests.sent(&RawId::integer(number), method, KeepBody::Drop, Declared::default());
        }
        let oldest = |requests: &Requests| requests.oldest_pending().map(|request| request.id);
        requests.answer(1);
        assert_eq!(oldest(&requests), Some(RawId::integer(1)));
        requests.replied_on_stderr(0);
        assert!(requests.oldest_is_on_stderr());
        assert_eq!(requests.find(&IdValue::Number("1".into())), Match::Pending { index: 0 });
        requests.answer(0);
        assert!(!requests.oldest_is_on_stderr());
        assert_eq!(oldest(&requests), Some(RawId::integer(3)));
        requests.answer(2);
        assert_eq!(oldest(&requests), None);
    }
}
