//! The client side of one session as a state machine without IO: given the accepted replies, what
//! to do next.

use std::borrow::Cow;
use std::time::Duration;

use inspect::Accepted;
use model::{ACKNOWLEDGED, List, MessageKind, Phase, PlanStep, RawId, Sent, Untested};

use super::lists::{Lists, Wanted};
use super::message::{self, Outgoing};
use super::reply::{self, Capabilities, Unreadable};
use super::tools::{lengthened, safe_calls};
use super::{MoreCalls, Plan, ToolCall};
use crate::scenario::{Era, Pace, Step};

/// What to do, in order. What is to be waited for comes last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Go on to a step.
    Begin(Phase),
    /// Send a message.
    Send(Outgoing),
    /// Say that a step cannot be carried out.
    Untested(Untested),
    /// Say that what is open is no longer awaited.
    GiveUp,
    /// Read stdout slowly from now on.
    ReadSlowly(Pace),
    /// Close our end of stdout.
    CloseStdout,
    /// Wait for every open reply, until its deadline.
    AwaitReplies,
    /// Wait for them for this long, then give up.
    AwaitRepliesWithin(Duration),
    /// Wait until the server has been quiet for so long, or that much has passed.
    AwaitQuiet { quiet: Duration, at_most: Duration },
    /// End the session: nothing is left to do.
    Finish,
}

/// The client side of one session.
pub(crate) struct Client<'p> {
    plan: &'p Plan,
    era: Era,
    /// The steps that are still to be carried out.
    steps: &'p [Step],
    doing: Doing,
    awaits: Awaits,
    answered: Answered,
    outstanding: Vec<Outstanding>,
    lists: Option<Lists>,
    calls: Option<Vec<ToolCall>>,
    calls_made: u32,
    filter: String,
}

/// What the replies are awaited for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    Opening,
    Lists,
    /// The call with this index.
    Call(usize),
    Listen,
    Nothing,
}

/// Whether replies are waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Awaits {
    Replies,
    Else,
}

/// Whether any request has its reply.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answered {
    NotYet,
    Some,
}

/// A request of ours and, once it came, its reply.
struct Outstanding {
    id: RawId,
    method: Box<str>,
    reply: Option<Reply>,
}

enum Reply {
    Error,
    /// The body is None if it was too long to keep.
    Result(Option<Box<[u8]>>),
    /// The request stays open.
    Acknowledged,
}

/// Whether a reply's id, as it stood on the wire, is this one of ours. The detector has accepted
/// it, so it is only to be told apart from our other ids.
fn answers(ours: &RawId, wire: &RawId) -> bool {
    let (ours, wire) = (ours.as_str(), wire.as_str());
    match (ours.starts_with('"'), wire.starts_with('"')) {
        (true, true) => match (reply::decode_string(ours), reply::decode_string(wire)) {
            (Ok(ours), Ok(wire)) => ours == wire,
            _ => false,
        },
        (false, false) => wire.parse::<f64>().is_ok_and(|id| ours.parse() == Ok(id)),
        _ => false,
    }
}

impl<'p> Client<'p> {
    pub(crate) fn new(plan: &'p Plan) -> Self {
        Self {
            plan,
            era: plan.scenario.era().unwrap_or(Era::of(plan.protocol)),
            steps: plan.scenario.steps(),
            doing: Doing::Nothing,
            awaits: Awaits::Else,
            answered: Answered::NotYet,
            outstanding: Vec::new(),
            lists: None,
            calls: None,
            calls_made: 0,
            filter: String::new(),
        }
    }

    /// The first steps.
    pub(crate) fn start(&mut self) -> Vec<Action> {
        self.advance(Vec::new())
    }

    /// Whether a request of the server is answered. Where there is no handshake, a client writes
    /// no reply.
    pub(crate) fn answers_requests(&self) -> bool {
        self.era == Era::Handshake
    }

    /// Whether it goes on when every open request has its reply.
    pub(crate) fn awaits_replies(&self) -> bool {
        self.awaits == Awaits::Replies
    }

    /// Takes an accepted message. Whatever answers none of our requests is ignored.
    pub(crate) fn take(&mut self, accepted: Accepted) {
        let mut open = self.outstanding.iter_mut().filter(|request| request.reply.is_none());
        let (request, reply) = match accepted.kind {
            MessageKind::Request => return,
            MessageKind::Notification if accepted.method.as_deref() == Some(ACKNOWLEDGED) => {
                let listen = open.find(|request| *request.method == *PlanStep::Listen.method());
                (listen, Reply::Acknowledged)
            }
            MessageKind::Notification => return,
            kind => {
                let request = match &accepted.id {
                    Some(id) => open.find(|request| answers(&request.id, id)),
                    // An id that was too long to keep can only be told by what else is open.
                    None => match (open.next(), open.next()) {
                        (Some(only), None) => Some(only),
                        _ => None,
                    },
                };
                let reply = match kind {
                    MessageKind::Error => Reply::Error,
                    _ => Reply::Result(accepted.body),
                };
                (request, reply)
            }
        };
        if let Some(request) = request {
            request.reply = Some(reply);
            self.answered = Answered::Some;
        }
    }

    /// No longer waits for the replies that have not come.
    pub(crate) fn give_up(&mut self) {
        self.outstanding.retain(|request| request.reply.is_some());
    }

    /// Goes on: every awaited request has its reply, or the wait is over.
    pub(crate) fn proceed(&mut self) -> Vec<Action> {
        self.awaits = Awaits::Else;
        let replies = std::mem::take(&mut self.outstanding);
        match std::mem::replace(&mut self.doing, Doing::Nothing) {
            Doing::Opening => self.opened(replies),
            Doing::Lists => self.listed(replies),
            Doing::Call(index) => self.call(index + 1, Vec::new()),
            Doing::Listen => {
                let mut actions = Vec::new();
                for request in &replies {
                    if matches!(request.reply, Some(Reply::Acknowledged)) {
                        actions.push(Action::Send(message::cancelled(&request.id)));
                    }
                }
                self.advance(actions)
            }
            Doing::Nothing => {
                // What was not waited for is open still.
                self.outstanding = replies;
                self.outstanding.retain(|request| request.reply.is_none());
                self.advance(Vec::new())
            }
        }
    }

    /// Carries out steps up to the next one that waits for something.
    fn advance(&mut self, mut actions: Vec<Action>) -> Vec<Action> {
        while let Some((step, rest)) = self.steps.split_first() {
            self.steps = rest;
            match step {
                Step::Initialize => {
                    let request = message::initialize(self.plan.protocol);
                    return self.ask(Doing::Opening, Phase::Startup, request, actions);
                }
                Step::Discover => {
                    return self.ask(Doing::Opening, Phase::Startup, message::discover(), actions);
                }
                Step::Initialized => {
                    actions.push(Action::Begin(Phase::Handshake));
                    actions.push(Action::Send(message::initialized()));
                }
                Step::Lists => {
                    if self.lists.as_ref().is_some_and(|lists| !lists.are_finished()) {
                        return self.ask_for_pages(actions);
                    }
                }
                Step::Calls => return self.call(0, actions),
                Step::CallsTogether => {
                    let calls = self.calls().into_owned();
                    let requests = calls.iter().map(|call| self.request(call)).collect();
                    self.send_all(requests, &mut actions);
                }
                Step::LargeCalls { copies, characters } => {
                    let long = self.calls().iter().find_map(|call| lengthened(call, *characters));
                    let Some(long) = long else {
                        actions.extend([Action::Untested(Untested::NoTool), Action::Finish]);
                        return actions;
                    };
                    let requests = (0..*copies).map(|_| self.request(&long)).collect();
                    self.send_all(requests, &mut actions);
                }
                Step::UnknownMethod => {
                    let request = message::unknown_method(self.era);
                    return self.ask(Doing::Nothing, Phase::Call, request, actions);
                }
                Step::Listen => {
                    if !self.filter.is_empty() {
                        let request = message::listen(&self.filter);
                        return self.ask(Doing::Listen, Phase::Call, request, actions);
                    }
                }
                Step::Send(messages) => {
                    self.send_all(messages.iter().map(message::written).collect(), &mut actions);
                }
                Step::Raw(bytes) => self.send_all(vec![message::raw(bytes)], &mut actions),
                Step::Expect if self.nothing_is_open() => {}
                Step::Expect => {
                    self.awaits = Awaits::Replies;
                    actions.push(Action::AwaitReplies);
                    return actions;
                }
                Step::ExpectWithin(_) if self.nothing_is_open() => {}
                Step::ExpectWithin(time) => {
                    self.awaits = Awaits::Replies;
                    actions.push(Action::AwaitRepliesWithin(*time));
                    return actions;
                }
                Step::CancelOpen => {
                    let open = std::mem::take(&mut self.outstanding);
                    let open = open.iter().filter(|request| request.reply.is_none());
                    actions.extend(open.map(|open| Action::Send(message::cancelled(&open.id))));
                    actions.push(Action::GiveUp);
                }
                Step::WaitForQuiet { quiet, at_most } => {
                    actions.push(Action::Begin(Phase::Idle));
                    actions.push(Action::AwaitQuiet { quiet: *quiet, at_most: *at_most });
                    return actions;
                }
                Step::ReadSlowly(pace) => actions.push(Action::ReadSlowly(*pace)),
                Step::CloseStdout => actions.push(Action::CloseStdout),
                Step::CloseStdinNow => {
                    self.steps = &[];
                    actions.push(Action::Finish);
                    return actions;
                }
                Step::CloseStdinWhenIdle => {}
            }
        }
        // Nothing is closed while something is open, unless the scenario says so.
        if self.nothing_is_open() {
            actions.push(Action::Finish);
        } else {
            self.awaits = Awaits::Replies;
            actions.push(Action::AwaitReplies);
        }
        actions
    }

    fn nothing_is_open(&self) -> bool {
        self.outstanding.iter().all(|request| request.reply.is_some())
    }

    /// Sends one request of a named step and awaits everything that is open.
    fn ask(
        &mut self,
        doing: Doing,
        phase: Phase,
        request: Outgoing,
        mut actions: Vec<Action>,
    ) -> Vec<Action> {
        self.doing = doing;
        self.awaits = Awaits::Replies;
        actions.push(Action::Begin(phase));
        actions.push(self.send(request));
        actions.push(Action::AwaitReplies);
        actions
    }

    /// Sends messages together, in the phase of whatever is asked.
    fn send_all(&mut self, messages: Vec<Outgoing>, actions: &mut Vec<Action>) {
        if messages.is_empty() {
            return;
        }
        actions.push(Action::Begin(match self.answered {
            Answered::NotYet => Phase::Startup,
            Answered::Some => Phase::Call,
        }));
        actions.extend(messages.into_iter().map(|message| self.send(message)));
    }

    fn opened(&mut self, replies: Vec<Outstanding>) -> Vec<Action> {
        let (opening, method) = match self.era {
            Era::Handshake => (PlanStep::Initialize, PlanStep::Initialize.method()),
            Era::Stateless => (PlanStep::Discover, PlanStep::Discover.method()),
        };
        let reply = replies.into_iter().find(|request| Some(&request.id) == opening.id().as_ref());
        let body = match reply.and_then(|request| request.reply) {
            Some(Reply::Error) => return vec![Action::Finish],
            Some(Reply::Result(body)) => body.unwrap_or_default(),
            Some(Reply::Acknowledged) | None => Box::default(),
        };
        let announced = reply::result(&body).and_then(|result| {
            let capabilities = Capabilities::of(&result)?;
            let lists =
                List::ALL.into_iter().filter(|list| capabilities.announce(list.capability()));
            Ok((lists.collect::<Vec<_>>(), filter(&capabilities)))
        });
        match announced {
            Ok((lists, filter)) => {
                self.lists = Some(Lists::new(lists));
                self.filter = filter;
                self.advance(Vec::new())
            }
            Err(Unreadable) => vec![
                Action::Untested(Untested::ReplyNotReadable { method: method.into() }),
                Action::Finish,
            ],
        }
    }

    /// Asks for the next page of every list that has one, all together.
    fn ask_for_pages(&mut self, mut actions: Vec<Action>) -> Vec<Action> {
        self.doing = Doing::Lists;
        self.awaits = Awaits::Replies;
        actions.push(Action::Begin(Phase::Discovery));
        let requests: Vec<_> =
            self.lists.iter().flat_map(|lists| lists.requests(self.era)).collect();
        actions.extend(requests.into_iter().map(|request| self.send(request)));
        actions.push(Action::AwaitReplies);
        actions
    }

    fn listed(&mut self, replies: Vec<Outstanding>) -> Vec<Action> {
        let bodies = replies
            .into_iter()
            .filter(|request| List::ALL.iter().any(|list| *list.method() == *request.method))
            .map(|request| match request.reply {
                Some(Reply::Error) => None,
                Some(Reply::Result(body)) => Some(body.unwrap_or_default()),
                Some(Reply::Acknowledged) | None => Some(Box::default()),
            });
        let bodies = bodies.collect();
        let no_calls = self.plan.calls.is_empty() && self.plan.more_calls == MoreCalls::None;
        let wanted = if no_calls { Wanted::Nothing } else { Wanted::Tools };
        let lists = self.lists.as_mut().expect("lists were asked for");
        if let Err(untested) = lists.take(bodies, wanted) {
            return vec![Action::Untested(untested), Action::Finish];
        }
        if lists.are_finished() { self.advance(Vec::new()) } else { self.ask_for_pages(Vec::new()) }
    }

    /// The calls of the session: those that the user named, then what else may be called.
    fn calls(&mut self) -> Cow<'_, [ToolCall]> {
        if self.plan.more_calls == MoreCalls::None {
            return Cow::Borrowed(&self.plan.calls);
        }
        let calls = self.calls.get_or_insert_with(|| {
            let tools = self.lists.as_ref().map_or(&[][..], |lists| &lists.tools);
            let named = self.plan.calls.iter().cloned();
            named.chain(safe_calls(tools, &self.plan.calls)).collect()
        });
        Cow::Borrowed(calls)
    }

    /// Makes the call with this index, or goes on behind the last one.
    fn call(&mut self, index: usize, mut actions: Vec<Action>) -> Vec<Action> {
        let Some(call) = self.calls().get(index).cloned() else {
            return self.advance(actions);
        };
        if !self.is_listed(&call) {
            let untested = Untested::ToolNotListed { tool: call.tool().into() };
            actions.extend([Action::Untested(untested), Action::Finish]);
            return actions;
        }
        let request = self.request(&call);
        self.ask(Doing::Call(index), Phase::Call, request, actions)
    }

    fn is_listed(&self, call: &ToolCall) -> bool {
        let tools = self.lists.iter().flat_map(|lists| &lists.tools);
        tools.into_iter().any(|tool| *tool.name == *call.tool().as_bytes())
    }

    fn request(&mut self, call: &ToolCall) -> Outgoing {
        self.calls_made += 1;
        message::call(self.era, self.calls_made, call)
    }

    /// Sends a message, and awaits its reply if it is a request.
    fn send(&mut self, outgoing: Outgoing) -> Action {
        if let Sent::Request { id, method, .. } = &outgoing.sent {
            let request = Outstanding { id: id.clone(), method: method.clone(), reply: None };
            self.outstanding.push(request);
        }
        Action::Send(outgoing)
    }
}

/// What may be subscribed to: MCP 2026-07-28, Subscriptions.
fn filter(capabilities: &Capabilities<'_>) -> String {
    let announced = List::ALL.map(|list| {
        let name = match list {
            List::Tools => "toolsListChanged",
            List::Prompts => "promptsListChanged",
            List::Resources => "resourcesListChanged",
            List::ResourceTemplates => return None,
        };
        let changes = capabilities.announce_with(list.capability(), "listChanged");
        changes.then(|| format!("\"{name}\":true"))
    });
    announced.into_iter().flatten().collect::<Vec<_>>().join(",")
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
