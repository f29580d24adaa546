//! Messages of good shape that nobody asked for.

use model::{EventKind, RuleId, Sent};

use super::framing::whole_frame;
use super::lines::boundary;
use crate::draft::Draft;
use crate::json::Kind;
use crate::operator::{Operator, must};
use crate::promise::At;

/// What only a client sends, among what the probe sends without params.
const CLIENT_METHODS: [&str; 6] = [
    "initialize",
    "notifications/initialized",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
];
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":31,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mcp-stdio-probe","version":"1"}}}"#;
const NULL_ID_ERROR: &str =
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}"#;

pub(crate) const OPERATORS: &[Operator] = &[
    must("change-id", "A reply has an id that no request has", |view, place| {
        view.answered(place.frame)?;
        let id = view.message(place.frame)?.member("id")?;
        let ids: [&[u8]; 4] = [b"987654321", b"\"no-such-request\"", b"0", b"\"\""];
        let changed = Draft::replace(id.value.clone(), place.choose(&ids)?);
        Some(changed.must(RuleId::UnknownId, id.value.start))
    }),
    must(
        "change-id-to-string",
        "A reply has its request's integer id as a string",
        |view, place| {
            view.answered(place.frame)?;
            let id = view.message(place.frame)?.member("id")?;
            if id.kind != Kind::Number {
                return None;
            }
            let text = [b"\"", view.text(&id.value), b"\""].concat();
            let changed = Draft::replace(id.value.clone(), text);
            Some(changed.must(RuleId::IdChanged, id.value.start))
        },
    ),
    must("answer-ahead", "A reply has the id of a request that is sent later", |view, place| {
        let own = view.answered(place.frame)?;
        let id = view.message(place.frame)?.member("id")?;
        let now = view.event_of(view.frames[place.frame].end)?;
        let later: Vec<&str> = view
            .requests
            .iter()
            .filter(|request| request.event > now && request.event > own.event)
            .map(|request| request.id.as_str())
            .collect();
        let changed = Draft::replace(id.value.clone(), place.choose(&later)?);
        Some(changed.must(RuleId::UnknownId, id.value.start))
    }),
    must("duplicate-reply", "A reply is written twice", |view, place| {
        view.answered(place.frame)?;
        let id = view.message(place.frame)?.member("id")?;
        let frame = whole_frame(view, place.frame)?;
        let again = frame.end + (id.value.start - frame.start);
        let doubled = Draft::insert(frame.end, view.text(&frame)).depending_on(frame);
        Some(doubled.must(RuleId::DuplicateResponse, again))
    }),
    must("repeat-earlier-reply", "An earlier reply is written again behind a later one", {
        |view, place| {
            let earlier: Vec<usize> =
                (0..place.frame).filter(|frame| view.answered(*frame).is_some()).collect();
            let frame = place.choose(&earlier)?;
            let id = view.message(frame)?.member("id")?;
            let source = whole_frame(view, frame)?;
            let at = whole_frame(view, place.frame)?.end;
            let again = at + (id.value.start - source.start);
            let repeated = Draft::insert(at, view.text(&source)).depending_on(source);
            Some(repeated.must(RuleId::DuplicateResponse, again))
        }
    }),
    must("answer-notification", "A notification is answered with an error without id", {
        |view, place| {
            let at = view.frames.get(place.frame)?.start;
            let now = view.event_of(at)?;
            let events = &view.transcript.kinds()[..now];
            let sent =
                |event: &EventKind<'_>| matches!(event, EventKind::Sent(Sent::Notification { .. }));
            let notified = events.iter().rposition(sent)?;
            // No reply may have come since.
            let answered = (0..place.frame)
                .rev()
                .find(|frame| view.answered(*frame).is_some() || view.message(*frame).is_none());
            if let Some(frame) = answered
                && view.event_of(view.frames[frame].end)? > notified
            {
                return None;
            }
            let null = at + NULL_ID_ERROR.find("null")?;
            let answer = Draft::insert(at, format!("{NULL_ID_ERROR}\n"));
            let answer = answer.must(RuleId::ReplyToNotification, null);
            // The id alone is advice, one layer below.
            Some(answer.beside(RuleId::IdNull, At::Byte(null)))
        }
    }),
    must("echo-request", "A terminal sends our own message back", |view, place| {
        let at = boundary(view, place)?;
        let now = view.event_of(at).unwrap_or(view.transcript.kinds().len());
        let sent: Vec<String> = view.transcript.kinds()[..now].iter().filter_map(text_of).collect();
        let text = place.choose(&sent)?;
        Some(Draft::insert(at, format!("{text}\n")).must(RuleId::EchoedInput, at))
    }),
];

/// A message of ours as we wrote it, where nothing in it depends on the server.
fn text_of(event: &EventKind<'_>) -> Option<String> {
    match event {
        EventKind::Sent(Sent::Request { id, method, .. }) => match &**method {
            "initialize" => (id.as_str() == "31").then(|| INITIALIZE.to_owned()),
            method => (CLIENT_METHODS.contains(&method) && !id.as_str().contains('.'))
                .then(|| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#)),
        },
        EventKind::Sent(Sent::Notification { method }) => CLIENT_METHODS
            .contains(&&**method)
            .then(|| format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#)),
        _ => None,
    }
}
