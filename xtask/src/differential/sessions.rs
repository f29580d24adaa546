//! Recordings of published servers with their client side: whatever lies above the JSON of a
//! clean one must not be called a violation of layer 4.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use inspect::{Detector, Inspector, RuleSet};
use model::{
    Detail, Event, EventKind, KeepBody, Layer, Outcome, Phase, RawId, RuleId, Sent, Seq, Side,
    Verdict,
};
use serde::Deserialize;
use serde_json::Value;

use crate::Complaints;
use crate::workspace::read;

/// Published servers that do break a schema, each with the value and what the official schema
/// says of it.
const FAULTS: &[(&str, &str, &str)] =
    &[("mcp-obsidian", "/result/tools/0/inputSchema", "`type` is required")];

#[derive(Deserialize)]
struct Session {
    protocol_asked: String,
    sent: Vec<SentMessage>,
    chunks: Vec<Chunk>,
}

#[derive(Deserialize)]
struct SentMessage {
    ms: f64,
    id: Value,
    method: String,
}

#[derive(Deserialize)]
struct Chunk {
    ms: f64,
    offset: usize,
    len: usize,
}

/// What layer 4 found in the sessions.
#[derive(Debug, Default)]
pub(super) struct Tally {
    sessions: usize,
    reached: usize,
    advice: BTreeMap<RuleId, usize>,
}

impl Tally {
    /// Judges one recording that is clean below layer 3.
    pub(super) fn judge(&mut self, name: &str, directory: &Path, complaints: &mut Complaints) {
        let Some(stdout) = read(&directory.join("stdout.raw"), complaints) else { return };
        let Some(session) = read(&directory.join("session.json"), complaints) else { return };
        let session: Session = match serde_json::from_slice(&session) {
            Ok(session) => session,
            Err(error) => {
                complaints.push(format!("{name}: session.json: {error}"));
                return;
            }
        };
        self.sessions += 1;
        let verdict = verdict(&session, &stdout);
        self.reached += usize::from(verdict.layers_reached.contains(&Layer::Mcp));
        if let Outcome::Violation(finding) = &verdict.outcome
            && finding.rule.rule().layer == Layer::Mcp
            && !is_known(name, &finding.detail)
        {
            complaints.push(format!(
                "{name}: {} at {:?}: {:?}",
                finding.rule, finding.position, finding.detail
            ));
        }
        for advice in &verdict.advice {
            if advice.finding.rule.rule().layer == Layer::Mcp {
                *self.advice.entry(advice.finding.rule).or_default() += 1;
            }
        }
    }

    /// Says what was judged; nothing judged is a complaint.
    pub(super) fn conclude(self, complaints: &mut Complaints) {
        if self.reached == 0 {
            complaints.push("no session of a published server reached layer 4".to_owned());
        }
        println!(
            "real-servers: {} sessions with their client side, {} reached layer 4, its advice: {:?}",
            self.sessions, self.reached, self.advice
        );
    }
}

fn is_known(name: &str, detail: &Detail) -> bool {
    let Detail::Value { pointer, .. } = detail else { return false };
    FAULTS.iter().any(|(server, at, _)| *server == name && **pointer == **at)
}

fn verdict(session: &Session, stdout: &[u8]) -> Verdict {
    let mut happened: Vec<(f64, EventKind<'_>)> = Vec::new();
    for message in &session.sent {
        happened.push((message.ms, EventKind::Sent(sent(message, &session.protocol_asked))));
    }
    for chunk in &session.chunks {
        let bytes = stdout.get(chunk.offset..chunk.offset + chunk.len).unwrap_or_default();
        happened.push((chunk.ms, EventKind::Stdout(bytes.into())));
    }
    // What was sent and what came at the same time: the request was first.
    happened.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut rules = RuleSet::default();
    rules.schema = Some(schema::mcp());
    let mut detector = Inspector::new(rules);
    let end = [
        EventKind::StepBegan(Phase::Shutdown),
        EventKind::StdinClosed { by: Side::Client },
        EventKind::StdoutEof,
    ];
    for (kind, seq) in happened.into_iter().map(|(_, kind)| kind).chain(end).zip(0..) {
        detector.push(&Event { seq: Seq(seq), at: Duration::ZERO, kind });
    }
    Box::new(detector).finish()
}

fn sent(message: &SentMessage, protocol: &str) -> Sent {
    let method: Box<str> = message.method.as_str().into();
    if message.id.is_null() {
        return Sent::Notification { method };
    }
    let params = format!(r#"{{"protocolVersion":"{protocol}","capabilities":{{}}}}"#);
    Sent::Request {
        id: RawId::new(message.id.to_string()),
        params: (message.method == "initialize").then(|| params.into()),
        method,
        keep_body: KeepBody::Drop,
    }
}
