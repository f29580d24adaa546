//! The ordinary server, and the hooks by which a fixture differs from it.

use std::io::{self, BufRead};

use crate::message::{Message, Method, Request};
use crate::out::{Out, log};
use crate::process::{self, Role};
use crate::watchdog;

type Hook = Box<dyn FnMut(&Out)>;
type RequestHook = Box<dyn FnMut(&Request, &Out)>;
type BytesHook = Box<dyn FnMut(&[u8], &Out)>;
type ReplyText = Box<dyn FnMut(&Request) -> Vec<u8>>;

/// An ordinary MCP server with one tool. Hooks change what it does; of two in the same place the
/// last one counts.
///
/// It answers initialize, ping, tools/list, tools/call, and any other request by an error. It
/// does not answer notifications, and it ignores replies and whatever is no JSON object.
pub struct Server {
    role: Role,
    out: Out,
    at_start: Option<Hook>,
    on_line: Option<BytesHook>,
    on_notification: Vec<(Method, Hook)>,
    on_client_reply: Option<Hook>,
    before_reply: Vec<(Method, Hook)>,
    instead_of_reply: Vec<(Method, RequestHook)>,
    after_reply: Vec<(Method, Hook)>,
    reply: Vec<(Method, ReplyText)>,
    reply_id: fn(&str) -> String,
    send: BytesHook,
    at_eof: Option<Hook>,
}

impl Server {
    /// An ordinary server. Prints the canary on stderr and starts the watchdog.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let role = Role::from_arguments();
        match role {
            Role::Defective | Role::Sane => log(format!("canary-7f3a {name}")),
            Role::StartedOver => {}
            Role::Holder => process::hold(),
            Role::Eater => process::eat(),
        }
        watchdog::start();
        Self {
            role,
            out: Out::open(),
            at_start: None,
            on_line: None,
            on_notification: Vec::new(),
            on_client_reply: None,
            before_reply: Vec::new(),
            instead_of_reply: Vec::new(),
            after_reply: Vec::new(),
            reply: Vec::new(),
            reply_id: str::to_owned,
            send: Box::new(|message, out| out.line(message)),
            at_eof: None,
        }
    }

    /// Adds the mistake, unless `--sane` was given.
    #[must_use]
    pub fn defect(self, add: impl FnOnce(Self) -> Self) -> Self {
        match self.role {
            Role::Sane => self,
            Role::Defective | Role::StartedOver | Role::Holder | Role::Eater => add(self),
        }
    }

    /// Before stdin is read.
    #[must_use]
    pub fn at_start(mut self, hook: impl FnMut(&Out) + 'static) -> Self {
        self.at_start = Some(Box::new(hook));
        self
    }

    /// When a line was read, before it is looked at. The line has its newline.
    #[must_use]
    pub fn on_line(mut self, hook: impl FnMut(&[u8], &Out) + 'static) -> Self {
        self.on_line = Some(Box::new(hook));
        self
    }

    /// When a notification was read.
    #[must_use]
    pub fn on_notification(mut self, method: Method, hook: impl FnMut(&Out) + 'static) -> Self {
        self.on_notification.push((method, Box::new(hook)));
        self
    }

    /// When a reply to a request of the server was read.
    #[must_use]
    pub fn on_client_reply(mut self, hook: impl FnMut(&Out) + 'static) -> Self {
        self.on_client_reply = Some(Box::new(hook));
        self
    }

    /// When a request was read, before it is answered.
    #[must_use]
    pub fn before_reply(mut self, method: Method, hook: impl FnMut(&Out) + 'static) -> Self {
        self.before_reply.push((method, Box::new(hook)));
        self
    }

    /// When a request was read, which is then not answered.
    #[must_use]
    pub fn instead_of_reply(
        mut self,
        method: Method,
        hook: impl FnMut(&Request, &Out) + 'static,
    ) -> Self {
        self.instead_of_reply.push((method, Box::new(hook)));
        self
    }

    /// When a request was answered.
    #[must_use]
    pub fn after_reply(mut self, method: Method, hook: impl FnMut(&Out) + 'static) -> Self {
        self.after_reply.push((method, Box::new(hook)));
        self
    }

    /// The text of the reply, without its newline, where it is not the ordinary one.
    #[must_use]
    pub fn reply<T: Into<Vec<u8>>>(
        mut self,
        method: Method,
        mut text: impl FnMut(&Request) -> T + 'static,
    ) -> Self {
        let reply = Box::new(move |request: &Request| text(request).into());
        self.reply.push((method, reply));
        self
    }

    /// The id of every reply, made from that of the request, both as JSON text.
    #[must_use]
    pub fn reply_id(mut self, id: fn(&str) -> String) -> Self {
        self.reply_id = id;
        self
    }

    /// How a reply is put on stdout, if not as it is and with a newline.
    #[must_use]
    pub fn send(mut self, send: impl FnMut(&[u8], &Out) + 'static) -> Self {
        self.send = Box::new(send);
        self
    }

    /// When stdin has ended.
    #[must_use]
    pub fn at_eof(mut self, hook: impl FnMut(&Out) + 'static) -> Self {
        self.at_eof = Some(Box::new(hook));
        self
    }

    /// Serves until stdin ends.
    pub fn serve(mut self) {
        if let Some(hook) = &mut self.at_start {
            hook(&self.out);
        }
        let mut stdin = io::stdin().lock();
        let mut line = Vec::new();
        while matches!(stdin.read_until(b'\n', &mut line), Ok(1..)) {
            self.take(&line);
            line.clear();
        }
        if let Some(hook) = &mut self.at_eof {
            hook(&self.out);
        }
    }

    fn take(&mut self, line: &[u8]) {
        if let Some(hook) = &mut self.on_line {
            hook(line, &self.out);
        }
        match Message::parse(line) {
            Some(Message::Request(request)) => {
                let id = (self.reply_id)(&request.id);
                self.answer(&request.with_id(id));
            }
            Some(Message::Notification(method)) => {
                run(&mut self.on_notification, method, &self.out);
            }
            Some(Message::Reply) => {
                if let Some(hook) = &mut self.on_client_reply {
                    hook(&self.out);
                }
            }
            None => {}
        }
    }

    fn answer(&mut self, request: &Request) {
        let method = request.method;
        run(&mut self.before_reply, method, &self.out);
        if let Some(hook) = of(&mut self.instead_of_reply, method) {
            hook(request, &self.out);
            return;
        }
        let reply = match of(&mut self.reply, method) {
            Some(reply) => reply(request),
            None => request.reply().into_bytes(),
        };
        (self.send)(&reply, &self.out);
        run(&mut self.after_reply, method, &self.out);
    }
}

fn of<T>(hooks: &mut [(Method, T)], method: Method) -> Option<&mut T> {
    let found = hooks.iter_mut().rfind(|(of, _)| *of == method);
    found.map(|(_, hook)| hook)
}

fn run(hooks: &mut [(Method, Hook)], method: Method, out: &Out) {
    if let Some(hook) = of(hooks, method) {
        hook(out);
    }
}
