//! The client side of one session as a state machine without IO: given the accepted replies, what
//! to do next.

use std::collections::HashSet;

use inspect::Accepted;
use model::{List, MessageKind, Phase, PlanStep, RawId, Sent, Untested};

use super::message::{self, Outgoing};
use super::reply::{self, Capabilities, Unreadable};
use super::{Plan, ToolCall};

/// The most pages that are asked for of one list.
const MAX_PAGES: u32 = 256;

/// What to do, in order. After the last `Send` its reply is awaited, with all the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Go on to a step.
    Begin(Phase),
    /// Send a message.
    Send(Outgoing),
    /// Say that a step cannot be carried out.
    Untested(Untested),
    /// End the session: nothing is left to do.
    Finish,
}

/// The client side of one session.
pub(crate) struct Client<'p> {
    plan: &'p Plan,
    step: Step,
    outstanding: Vec<Outstanding>,
    lists: Vec<Pages>,
    tools: HashSet<Box<[u8]>>,
}

/// Whose replies are awaited.
#[derive(Clone, Copy)]
enum Step {
    Initialize,
    Lists,
    /// Of the call with this index.
    Call(usize),
    UnknownMethod,
}

/// A request of ours and, once it came, its reply.
struct Outstanding {
    id: RawId,
    reply: Option<Reply>,
}

enum Reply {
    Error,
    /// The body is None if it was too long to keep.
    Result(Option<Box<[u8]>>),
}

/// Whether a reply's id, as it stood on the wire, is this one of ours. The detector has accepted
/// it, so it is only to be told apart from our other ids.
fn answers(ours: &RawId, wire: &RawId) -> bool {
    let (ours, wire) = (ours.as_str(), wire.as_str());
    match (ours.starts_with('"'), wire.starts_with('"')) {
        (true, true) => {
            reply::decode_string(wire).is_ok_and(|id| *id == *ours.trim_matches('"').as_bytes())
        }
        (false, false) => wire.parse::<f64>().is_ok_and(|id| ours.parse() == Ok(id)),
        _ => false,
    }
}

/// A list that the server announced.
struct Pages {
    list: List,
    page: u32,
    seen: HashSet<Box<str>>,
    /// The cursor of the page to ask for next. None once the list has ended.
    next: Option<Box<str>>,
}

impl<'p> Client<'p> {
    pub(crate) fn new(plan: &'p Plan) -> Self {
        Self {
            plan,
            step: Step::Initialize,
            outstanding: Vec::new(),
            lists: Vec::new(),
            tools: HashSet::new(),
        }
    }

    /// The first step.
    pub(crate) fn start(&mut self) -> Vec<Action> {
        self.request(message::initialize(self.plan.protocol), Phase::Startup)
    }

    /// Takes an accepted reply to one of our requests. Anything else is ignored.
    pub(crate) fn take(&mut self, accepted: Accepted) {
        let reply = match accepted.kind {
            MessageKind::Error => Reply::Error,
            MessageKind::Result => Reply::Result(accepted.body),
            MessageKind::Request | MessageKind::Notification => return,
        };
        let mut open = self.outstanding.iter_mut().filter(|request| request.reply.is_none());
        let request = match accepted.id {
            Some(id) => open.find(|request| answers(&request.id, &id)),
            // An id that was too long to keep can only be told by what else is open.
            None => match (open.next(), open.next()) {
                (Some(only), None) => Some(only),
                _ => None,
            },
        };
        if let Some(request) = request {
            request.reply = Some(reply);
        }
    }

    /// Goes on once every request has its reply.
    pub(crate) fn proceed(&mut self) -> Vec<Action> {
        let replies: Vec<_> = self.outstanding.drain(..).map(|request| request.reply).collect();
        match self.step {
            Step::Initialize => self.initialized(replies.into_iter().next().flatten()),
            Step::Lists => self.listed(replies),
            Step::Call(index) => self.call(index + 1),
            Step::UnknownMethod => vec![Action::Finish],
        }
    }

    fn initialized(&mut self, reply: Option<Reply>) -> Vec<Action> {
        let body = match reply {
            Some(Reply::Error) => return vec![Action::Finish],
            Some(Reply::Result(body)) => body.unwrap_or_default(),
            None => Box::default(),
        };
        let announced = reply::result(&body).and_then(|result| {
            let capabilities = Capabilities::of(&result)?;
            Ok(List::ALL
                .map(|list| capabilities.announce(list.capability()).then(|| Pages::new(list))))
        });
        match announced {
            Ok(lists) => self.lists = lists.into_iter().flatten().collect(),
            Err(Unreadable) => return not_readable(PlanStep::Initialize.method()),
        }
        let mut actions =
            vec![Action::Begin(Phase::Handshake), Action::Send(message::initialized())];
        if self.lists.is_empty() {
            actions.extend(self.call(0));
        } else {
            self.step = Step::Lists;
            actions.extend(self.ask());
        }
        actions
    }

    fn listed(&mut self, replies: Vec<Option<Reply>>) -> Vec<Action> {
        // Only the lists that were asked for a page are left, in the order of the replies.
        for (list, reply) in self.lists.iter_mut().zip(replies) {
            let body = match reply {
                Some(Reply::Error) => {
                    list.next = None;
                    continue;
                }
                Some(Reply::Result(body)) => body.unwrap_or_default(),
                None => Box::default(),
            };
            let names = reply::result(&body).and_then(|page| {
                list.turn(reply::next_cursor(&page)?);
                // Without a call to make, nothing depends on the names.
                if list.list == List::Tools && !self.plan.calls.is_empty() {
                    reply::tool_names(&page)
                } else {
                    Ok(Vec::new())
                }
            });
            match names {
                Ok(names) => self.tools.extend(names),
                Err(Unreadable) => return not_readable(list.list.method()),
            }
            if list.next.is_some() && list.page > MAX_PAGES {
                let method = list.list.method().into();
                let untested = Untested::ListNotFinished { method };
                return vec![Action::Untested(untested), Action::Finish];
            }
        }
        self.lists.retain(|list| list.next.is_some());
        if self.lists.is_empty() {
            return self.call(0);
        }
        self.ask()
    }

    /// Asks for the next page of every list that has one, all together.
    fn ask(&mut self) -> Vec<Action> {
        let mut actions = vec![Action::Begin(Phase::Discovery)];
        for pages in &self.lists {
            let page = message::list(pages.list, pages.page, pages.next.as_deref());
            actions.push(send(page, &mut self.outstanding));
        }
        actions
    }

    fn call(&mut self, index: usize) -> Vec<Action> {
        let Some(call) = self.plan.calls.get(index) else {
            self.step = Step::UnknownMethod;
            return self.request(message::unknown_method(), Phase::Call);
        };
        if !self.lists_tool(call) {
            return vec![
                Action::Untested(Untested::ToolNotListed { tool: call.tool().into() }),
                Action::Finish,
            ];
        }
        self.step = Step::Call(index);
        let number = u32::try_from(index + 1).expect("calls are fewer than u32 counts");
        self.request(message::call(number, call), Phase::Call)
    }

    fn lists_tool(&self, call: &ToolCall) -> bool {
        self.tools.contains(call.tool().as_bytes())
    }

    fn request(&mut self, outgoing: Outgoing, phase: Phase) -> Vec<Action> {
        vec![Action::Begin(phase), send(outgoing, &mut self.outstanding)]
    }
}

/// Sends a message, and awaits its reply if it is a request.
fn send(outgoing: Outgoing, outstanding: &mut Vec<Outstanding>) -> Action {
    if let Sent::Request { id, .. } = &outgoing.sent {
        outstanding.push(Outstanding { id: id.clone(), reply: None });
    }
    Action::Send(outgoing)
}

impl Pages {
    fn new(list: List) -> Self {
        Self { list, page: 1, seen: HashSet::new(), next: None }
    }

    /// Goes on to the page that `cursor` stands for, if it is one to ask for.
    fn turn(&mut self, cursor: Option<&str>) {
        self.next = cursor.filter(|cursor| !self.seen.contains(*cursor)).map(Box::from);
        if let Some(next) = &self.next {
            self.seen.insert(next.clone());
            self.page += 1;
        }
    }
}

fn not_readable(method: &str) -> Vec<Action> {
    vec![Action::Untested(Untested::ReplyNotReadable { method: method.into() }), Action::Finish]
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
