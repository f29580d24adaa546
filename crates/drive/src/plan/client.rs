//! The client side of one session as a state machine without IO: given the accepted replies, what
//! to do next.

use std::collections::HashSet;

use inspect::Accepted;
use model::{MessageKind, Phase, RawId, Untested};

use super::message::{self, Outgoing};
use super::reply::{self, Capabilities, Unreadable};
use super::{Plan, ToolCall};

/// The most pages that are asked for of one list.
const MAX_PAGES: u32 = 64;

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
    lists: Vec<List>,
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
    id: OurId,
    reply: Option<Reply>,
}

enum Reply {
    Error,
    /// The body is None if it was too long to keep.
    Result(Option<Box<[u8]>>),
}

enum OurId {
    Number(i64),
    Text(String),
}

impl OurId {
    /// Whether a reply's id, as it stood on the wire, is this one. The detector has accepted it,
    /// so it is only to be told apart from our other ids.
    fn is(&self, wire: &RawId) -> bool {
        match self {
            Self::Number(number) => {
                wire.as_str().starts_with(|first: char| first == '-' || first.is_ascii_digit())
                    && wire.as_str().parse() == Ok(*number as f64)
            }
            Self::Text(text) => {
                reply::decode_string(wire.as_str()).is_ok_and(|id| *id == *text.as_bytes())
            }
        }
    }
}

/// A list that the server announced.
struct List {
    method: &'static str,
    stem: &'static str,
    page: u32,
    seen: HashSet<Box<str>>,
    /// The cursor of the page to ask for next. None once the list has ended.
    next: Option<Box<str>>,
}

/// Capability, method, and the id of the first page.
const LISTS: [(&str, &str, &str); 4] = [
    ("tools", TOOLS_LIST, "list-3"),
    ("prompts", "prompts/list", "list-4"),
    ("resources", "resources/list", "list-5"),
    ("resources", "resources/templates/list", "list-6"),
];
const TOOLS_LIST: &str = "tools/list";

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
        self.outstanding
            .push(Outstanding { id: OurId::Number(message::INITIALIZE_ID), reply: None });
        vec![Action::Begin(Phase::Startup), Action::Send(message::initialize(self.plan.protocol))]
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
            Some(id) => open.find(|request| request.id.is(&id)),
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
            Ok(LISTS.map(|(capability, method, stem)| {
                capabilities.announce(capability).then(|| List::new(method, stem))
            }))
        });
        match announced {
            Ok(lists) => self.lists = lists.into_iter().flatten().collect(),
            Err(Unreadable) => return not_readable(message::INITIALIZE),
        }
        let mut actions =
            vec![Action::Begin(Phase::Handshake), Action::Send(message::initialized())];
        if self.lists.is_empty() {
            actions.extend(self.call(0));
        } else {
            self.step = Step::Lists;
            actions.push(Action::Begin(Phase::Discovery));
            for list in &self.lists {
                actions.push(list.ask(&mut self.outstanding));
            }
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
                if list.method == TOOLS_LIST && !self.plan.calls.is_empty() {
                    reply::tool_names(&page)
                } else {
                    Ok(Vec::new())
                }
            });
            match names {
                Ok(names) => self.tools.extend(names),
                Err(Unreadable) => return not_readable(list.method),
            }
        }
        self.lists.retain(|list| list.next.is_some());
        if self.lists.is_empty() {
            return self.call(0);
        }
        let mut actions = vec![Action::Begin(Phase::Discovery)];
        for list in &self.lists {
            actions.push(list.ask(&mut self.outstanding));
        }
        actions
    }

    fn call(&mut self, index: usize) -> Vec<Action> {
        let Some(call) = self.plan.calls.get(index) else {
            self.step = Step::UnknownMethod;
            return self.request(message::UNKNOWN_ID, message::unknown_method());
        };
        if !self.lists_tool(call) {
            return vec![
                Action::Untested(Untested::ToolNotListed { tool: call.tool().into() }),
                Action::Finish,
            ];
        }
        self.step = Step::Call(index);
        let offset = i64::try_from(index).expect("calls are fewer than i64 counts");
        let id = message::FIRST_CALL_ID + offset;
        self.request(id, message::call(id, call))
    }

    fn lists_tool(&self, call: &ToolCall) -> bool {
        self.tools.contains(call.tool().as_bytes())
    }

    fn request(&mut self, id: i64, outgoing: Outgoing) -> Vec<Action> {
        self.outstanding.push(Outstanding { id: OurId::Number(id), reply: None });
        vec![Action::Begin(Phase::Call), Action::Send(outgoing)]
    }
}

impl List {
    fn new(method: &'static str, stem: &'static str) -> Self {
        Self { method, stem, page: 1, seen: HashSet::new(), next: None }
    }

    /// Goes on to the page that `cursor` stands for, if it is one to ask for.
    fn turn(&mut self, cursor: Option<&str>) {
        self.next = cursor
            .filter(|cursor| self.page < MAX_PAGES && !self.seen.contains(*cursor))
            .map(Box::from);
        if let Some(next) = &self.next {
            self.seen.insert(next.clone());
            self.page += 1;
        }
    }

    fn ask(&self, outstanding: &mut Vec<Outstanding>) -> Action {
        let id = match self.page {
            1 => self.stem.to_owned(),
            page => format!("{}.{page}", self.stem),
        };
        let raw = RawId::new(format!("\"{id}\""));
        outstanding.push(Outstanding { id: OurId::Text(id), reply: None });
        Action::Send(message::list(raw, self.method, self.next.as_deref()))
    }
}

fn not_readable(method: &str) -> Vec<Action> {
    vec![Action::Untested(Untested::ReplyNotReadable { method: method.into() }), Action::Finish]
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
