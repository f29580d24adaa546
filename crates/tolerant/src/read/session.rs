//! What a reader knows of the session round a line.

use inspect::{Correlation, RuleSet, Step};
use model::{Cut, EventKind, MessageKind, Phase, ProtocolVersion, RawId, Sent, Side};

/// The session so far.
#[derive(Debug)]
pub(crate) struct Session {
    rules: RuleSet,
    requests: Vec<Request>,
    negotiated: Negotiated,
    stdin: Stdin,
    cut: Cut,
    messages: u64,
    replies: u64,
}

#[derive(Debug)]
struct Request {
    id: RawId,
    answered: Answered,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answered {
    No,
    Yes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Negotiated {
    No,
    Yes,
}

/// Whether the client side has closed stdin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stdin {
    Open,
    Closed,
}

impl Session {
    pub(crate) fn new(rules: &RuleSet) -> Self {
        let negotiated = match rules.correlation {
            Correlation::On => Negotiated::No,
            Correlation::Off => Negotiated::Yes,
        };
        Self {
            rules: rules.clone(),
            requests: Vec::new(),
            negotiated,
            stdin: Stdin::Open,
            cut: Cut::Not,
            messages: 0,
            replies: 0,
        }
    }

    /// Takes note of an event of the client side.
    pub(crate) fn hear(&mut self, event: &EventKind<'_>) {
        match event {
            EventKind::Sent(Sent::Request { id, .. }) => {
                self.requests.push(Request { id: id.clone(), answered: Answered::No });
            }
            EventKind::StdinClosed { by: Side::Client } | EventKind::StepBegan(Phase::Shutdown) => {
                self.stdin = Stdin::Closed;
            }
            EventKind::Signalled(_) => self.cut = Cut::ByUs,
            _ => {}
        }
    }

    /// Takes note of what was accepted.
    pub(crate) fn note(&mut self, step: &Step) {
        for message in &step.accepted {
            self.messages += 1;
            if !matches!(message.kind, MessageKind::Result | MessageKind::Error) {
                continue;
            }
            self.replies += 1;
            self.negotiated = Negotiated::Yes;
            let Some(id) = &message.id else { continue };
            let request = self.requests.iter_mut().find(|request| same(&request.id, id));
            if let Some(request) = request {
                request.answered = Answered::Yes;
            }
        }
    }

    pub(crate) fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The revision in force.
    pub(crate) fn protocol(&self) -> Option<ProtocolVersion> {
        self.rules.protocol.filter(|_| self.negotiated == Negotiated::Yes)
    }

    /// The ids of requests without a reply, oldest first.
    pub(crate) fn pending(&self) -> impl Iterator<Item = &RawId> {
        let pending = |request: &&Request| request.answered == Answered::No;
        self.requests.iter().filter(pending).map(|request| &request.id)
    }

    /// Whether a request has this id.
    pub(crate) fn has_sent(&self, id: &RawId) -> bool {
        self.requests.iter().any(|request| same(&request.id, id))
    }

    /// Whether we are the reason why the stream ends.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut == Cut::ByUs
    }

    pub(crate) fn stdin(&self) -> Stdin {
        self.stdin
    }

    /// Messages accepted so far.
    pub(crate) fn messages(&self) -> u64 {
        self.messages
    }

    /// Replies accepted so far.
    pub(crate) fn replies(&self) -> u64 {
        self.replies
    }
}

/// Whether two ids are the same: written alike, spelled with escapes, or an integer with a
/// fraction of zero. Good enough for messages that the true detector accepted.
pub(crate) fn same(sent: &RawId, got: &RawId) -> bool {
    sent == got || plain(sent) == plain(got)
}

fn plain(id: &RawId) -> String {
    let text = id.as_str();
    if !text.starts_with('"') {
        let number = text.parse::<f64>().unwrap_or(f64::NAN);
        return if text.contains(['.', 'e', 'E']) { number.to_string() } else { text.to_owned() };
    }
    let mut pieces = text.split("\\u");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (unit, rest) = piece.split_at_checked(4).unwrap_or((piece, ""));
        let unit = u32::from_str_radix(unit, 16).unwrap_or_default();
        out.extend(char::from_u32(unit));
        out.push_str(rest);
    }
    out
}
