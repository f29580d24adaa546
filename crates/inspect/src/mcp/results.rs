//! Results: the revision they settle, what they announce, and what they show of lost text.

use std::collections::BTreeSet;

use model::{Aspect, ProtocolVersion, RuleId};

use super::declared::{Replacement, Topic, decoded};
use super::replacement;
use super::session::{Asked, McpSession, Met, Seen, ServerCapability};
use super::values::Values;
use crate::grammar::ValueKind;
use crate::pick::{Picked, place};

impl McpSession {
    /// A result, and the request that it answers, if that is known.
    pub(super) fn result(&mut self, seen: Seen<'_>, asked: Option<Asked<'_>>) -> Vec<Met> {
        let mut met = Vec::new();
        if asked.is_some_and(|asked| asked.method == "server/discover") {
            self.server = Some(announced(seen));
        }
        // Whoever answers initialize keeps to an earlier revision in the whole process.
        met.extend(result_kind(seen).filter(|_| !self.has_handshake()));
        met.extend(replacement_character(seen, asked));
        met
    }

    /// The result of `initialize`, by its answer.
    pub(super) fn initialize_result(
        &mut self,
        seen: Seen<'_>,
        asked: Option<Asked<'_>>,
    ) -> Vec<Met> {
        self.begin_handshake();
        self.server = Some(announced(seen));
        let mut met = Vec::new();
        met.extend(version_negotiation(seen));
        met.extend(replacement_character(seen, asked));
        met
    }
}

fn values_at(seen: Seen<'_>, names: &[&str]) -> Option<Picked> {
    Values::of(seen.body, seen.start, &[place(names)]).last(0).cloned()
}

/// What a result of `initialize` or `server/discover` announces.
fn announced(seen: Seen<'_>) -> BTreeSet<ServerCapability> {
    let lists = [Topic::Tools, Topic::Prompts, Topic::Resources];
    let at = |names: &[&str]| place(&[&["result", "capabilities"], names].concat());
    let places = [
        at(&["tools", "listChanged"]),
        at(&["prompts", "listChanged"]),
        at(&["resources", "listChanged"]),
        at(&["logging"]),
    ];
    let values = Values::of(seen.body, seen.start, &places);
    let is_there =
        |number: usize| values.last(number).is_some_and(|value| value.kind != ValueKind::Null);
    let changing = lists.into_iter().enumerate().filter(|(number, _)| values.is_true(*number));
    let mut announced: BTreeSet<_> =
        changing.map(|(_, topic)| ServerCapability::ListChanged(topic)).collect();
    announced.extend(is_there(3).then_some(ServerCapability::Logging));
    announced
}

/// "If the server does not support the requested version, it MUST respond with another protocol
/// version it supports": one that exists, and one that has a handshake.
fn version_negotiation(seen: Seen<'_>) -> Option<Met> {
    let value = values_at(seen, &["result", "protocolVersion"])?;
    let answered = decoded(value.text.as_deref().filter(|_| value.kind == ValueKind::String)?)?;
    let (reason, aspect) = match answered.parse::<ProtocolVersion>() {
        Ok(version) if version.has_handshake() => return None,
        Ok(_) => ("is a revision that has no initialize", None),
        Err(()) => ("is no released revision", Some(Aspect::UnknownRevision)),
    };
    let pointer = "/result/protocolVersion";
    Some(Met { aspect, ..Met::new(RuleId::VersionNegotiation, value.at, pointer, reason) })
}

/// From 2026-07-28 on "servers implementing this protocol version MUST include" a resultType.
fn result_kind(seen: Seen<'_>) -> Option<Met> {
    seen.version.filter(|version| !version.has_handshake())?;
    let values =
        Values::of(seen.body, seen.start, &[place(&["result", "resultType"]), place(&["result"])]);
    let (at, pointer, reason) = match values.last(0) {
        Some(kind) if kind.kind == ValueKind::String => return None,
        Some(kind) => (kind.at, "/result/resultType", "is no string"),
        None => (values.last(1)?.at, "/result", "has no `resultType`"),
    };
    Some(Met::new(RuleId::ResultKind, at, pointer, reason))
}

/// A replacement character that the client did not write itself.
fn replacement_character(seen: Seen<'_>, asked: Option<Asked<'_>>) -> Option<Met> {
    if asked.is_some_and(|asked| asked.declared.replacement == Replacement::Sent) {
        return None;
    }
    // Few messages hold one, and only for those the result is looked up.
    replacement::first(seen.body)?;
    let result = values_at(seen, &["result"])?;
    let within = |offset: u64| usize::try_from(offset.checked_sub(seen.start)?).ok();
    let (from, to) = (within(result.at)?, within(result.end?)?);
    let at = from + replacement::first(seen.body.get(from..to)?)?;
    let at = seen.start + at as u64;
    let reason = "holds U+FFFD, the trace of text that could not be decoded";
    Some(Met::new(RuleId::ReplacementCharacter, at, "/result", reason))
}
