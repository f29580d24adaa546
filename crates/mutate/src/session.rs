//! Conforming sessions, built from a description.

mod text;

use model::{
    EventKind, ExitStatus, KeepBody, List, Phase, PlanStep, ProtocolVersion, RawId, Sent, Side,
};

use crate::transcript::{Terms, Transcript};
use text::Writer;
pub use text::{Layout, Spacing, Spelling};

/// A conforming session with the probe's message plan: initialize, the lists, the calls, the
/// unknown method, shutdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The revision that the server answers; one with a handshake.
    pub protocol: ProtocolVersion,
    /// The lists that are asked for, all at once.
    pub lists: Vec<List>,
    /// The number of tool calls.
    pub calls: u32,
    /// What the server sends before each reply, taken in turn.
    pub asides: Vec<Vec<Aside>>,
    /// Text of any kind that the server's messages hold, taken in turn.
    pub texts: Vec<String>,
    /// How messages are written, taken in turn.
    pub layouts: Vec<Layout>,
    /// The order of replies to requests that were sent together.
    pub replies: ReplyOrder,
    /// The largest frame by which the run is judged, in bytes.
    pub max_frame_bytes: u64,
}

/// A message that no request asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aside {
    /// `notifications/message`.
    Log,
    /// `notifications/tools/list_changed`, without params.
    ListChanged,
    /// A notification that no revision knows.
    Unknown,
    /// The request `ping`, which the client answers.
    Ping,
}

/// The order of replies to requests that were sent together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyOrder {
    /// That of the requests.
    Same,
    /// The other way round.
    Reversed,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            protocol: ProtocolVersion::NEWEST_WITH_HANDSHAKE,
            lists: vec![List::Tools, List::Prompts],
            calls: 1,
            asides: vec![Vec::new(), vec![Aside::Log], Vec::new(), vec![Aside::Ping]],
            texts: vec!["hello".to_owned(), "grüße, 日本 😀".to_owned()],
            layouts: vec![Layout::default()],
            replies: ReplyOrder::Same,
            max_frame_bytes: 64 * 1024,
        }
    }
}

impl Session {
    /// The transcript of the session.
    #[must_use]
    pub fn transcript(&self) -> Transcript {
        let mut run = Run { writer: Writer::new(&self.texts, &self.layouts), events: Vec::new() };
        let mut asides = self.asides.iter().cycle();
        let mut answer = |run: &mut Run<'_>, step: PlanStep| {
            let asides = asides.next().map_or(&[][..], Vec::as_slice);
            run.receive(asides, step, self);
        };
        run.send(PlanStep::Initialize);
        answer(&mut run, PlanStep::Initialize);
        run.send(PlanStep::Initialized);
        let mut lists: Vec<PlanStep> =
            self.lists.iter().map(|&list| PlanStep::List { list, page: 1 }).collect();
        lists.iter().for_each(|step| run.send(*step));
        if self.replies == ReplyOrder::Reversed {
            lists.reverse();
        }
        lists.iter().for_each(|step| answer(&mut run, *step));
        let calls = (1..=self.calls).map(|number| PlanStep::Call { number });
        for step in calls.chain([PlanStep::UnknownMethod]) {
            run.send(step);
            answer(&mut run, step);
        }
        run.events.extend([
            EventKind::StepBegan(Phase::Shutdown),
            EventKind::StdinClosed { by: Side::Client },
            EventKind::StdoutEof,
            EventKind::StderrEof,
            EventKind::Exited(ExitStatus::SUCCESS),
        ]);
        let terms = Terms { protocol: Some(self.protocol), max_frame_bytes: self.max_frame_bytes };
        Transcript::new(run.events, terms)
    }
}

struct Run<'a> {
    writer: Writer<'a>,
    events: Vec<EventKind<'static>>,
}

impl Run<'_> {
    fn send(&mut self, step: PlanStep) {
        self.events.push(EventKind::StepBegan(step.phase()));
        let method = step.method().into();
        self.events.push(EventKind::Sent(match step.id() {
            Some(id) => Sent::Request { id, method, params: None, keep_body: KeepBody::Keep },
            None => Sent::Notification { method },
        }));
    }

    fn receive(&mut self, asides: &[Aside], step: PlanStep, session: &Session) {
        let mut bytes = Vec::new();
        let mut replies = Vec::new();
        for (number, aside) in asides.iter().enumerate() {
            let id = format!("\"server-{}-{number}\"", self.events.len());
            bytes.extend(self.aside(*aside, &id));
            if *aside == Aside::Ping {
                replies.push(EventKind::Sent(Sent::Reply { id: RawId::new(id) }));
            }
        }
        bytes.extend(self.reply(step, session));
        self.events.push(EventKind::Stdout(bytes.into()));
        self.events.extend(replies);
    }

    fn aside(&mut self, aside: Aside, id: &str) -> Vec<u8> {
        let writer = &mut self.writer;
        match aside {
            Aside::Log => {
                let data = writer.text();
                let params = writer.object(&[("level", "\"info\""), ("data", &data)]);
                writer.line(&[("method", "\"notifications/message\""), ("params", &params)])
            }
            Aside::ListChanged => {
                writer.line(&[("method", "\"notifications/tools/list_changed\"")])
            }
            Aside::Unknown => {
                let note = writer.text();
                let params = writer.object(&[("note", &note), ("count", "3")]);
                writer.line(&[("method", "\"notifications/example\""), ("params", &params)])
            }
            Aside::Ping => writer.line(&[("id", id), ("method", "\"ping\"")]),
        }
    }

    fn reply(&mut self, step: PlanStep, session: &Session) -> Vec<u8> {
        let writer = &mut self.writer;
        let text = writer.text();
        let (name, value) = match step {
            PlanStep::Initialize
            | PlanStep::Initialized
            | PlanStep::Discover
            | PlanStep::Listen => {
                let offers = session.lists.iter().map(|list| (list.capability(), "{}"));
                let mut offers: Vec<(&str, &str)> = offers.collect();
                offers.sort_unstable();
                offers.dedup();
                let capabilities = writer.object(&offers);
                let info = writer.object(&[("name", &text), ("version", "\"1.2\"")]);
                let protocol = format!("\"{}\"", session.protocol);
                let members = [
                    ("protocolVersion", protocol.as_str()),
                    ("capabilities", &capabilities),
                    ("serverInfo", &info),
                ];
                ("result", writer.object(&members))
            }
            PlanStep::List { list, .. } => {
                let schema = writer.object(&[("type", "\"object\"")]);
                let item = writer.object(&[("name", &text), ("inputSchema", &schema)]);
                let name = match list {
                    List::Tools => "tools",
                    List::Prompts => "prompts",
                    List::Resources => "resources",
                    List::ResourceTemplates => "resourceTemplates",
                };
                ("result", writer.object(&[(name, &format!("[{item}]"))]))
            }
            PlanStep::Call { .. } => {
                let content = writer.object(&[("type", "\"text\""), ("text", &text)]);
                let meta = writer.object(&[("elapsed", "-1.5e3")]);
                let content = format!("[{content}]");
                let members =
                    [("content", content.as_str()), ("isError", "false"), ("_meta", &meta)];
                ("result", writer.object(&members))
            }
            PlanStep::UnknownMethod => {
                ("error", writer.object(&[("code", "-32601"), ("message", &text)]))
            }
        };
        let id = step.id().unwrap_or_else(|| RawId::integer(0));
        writer.line(&[("id", id.as_str()), (name, &value)])
    }
}
