//! Removal of secrets from bytes, before anything is cut or shown.
//!
//! Values that the caller names, in the encodings in which programs print them; the shapes of
//! well-known tokens; the paths and names of one machine; and what is a user's in calls and their
//! results. All matching is linear in the input. Bytes that were cut lose what could be the edge
//! of a secret at the cut.

mod content;
mod known;
mod places;
mod spellings;
mod tokens;
mod views;

#[cfg(test)]
pub(crate) mod tests;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;

use serde::Serialize;

pub(crate) use content::{holds_content, is_of_users};

use crate::facts::{Place, Secret};
use known::KnownValues;
use places::Places;
use views::views;

/// How a piece of bytes begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Edge {
    /// As it was written.
    Whole,
    /// Where something was cut off, perhaps inside a secret.
    Cut,
}

/// How a piece of bytes begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edges {
    /// The beginning.
    pub start: Edge,
    /// The end.
    pub end: Edge,
}

impl Edges {
    /// Nothing was cut off.
    pub const WHOLE: Self = Self { start: Edge::Whole, end: Edge::Whole };
}

/// What stands in place of something of a user's.
pub(crate) const WITHHELD: &str = "[WITHHELD]";

/// Removes the secrets of one run.
pub struct Redactor {
    known: KnownValues,
    places: Places,
    redaction: Redaction,
    /// The names of what was replaced so far.
    replaced: RefCell<BTreeSet<String>>,
}

/// Whether secrets are replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub enum Redaction {
    /// They are, and what is a user's is withheld.
    #[default]
    On,
    /// Everything is shown: for reports that stay where they are.
    Off,
}

/// Whether what is a user's in a message is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Content {
    /// The message holds nothing of a user.
    Plain,
    /// The arguments of a call.
    Arguments,
    /// The message is a call, or what a tool made of one. The byte of the fault is shown.
    Users {
        /// Where it is.
        fault: Option<usize>,
    },
}

/// Bytes without secrets, and where each byte of their source went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    /// The bytes, `[REDACTED:NAME]` in place of each secret.
    pub bytes: Vec<u8>,
    /// The part of the source that was not dropped at an edge.
    kept: Range<usize>,
    /// The length of the source.
    source_len: usize,
    /// The secrets, in order: their place in the source, and that of their replacement.
    replaced: Vec<(Range<usize>, Range<usize>)>,
}

/// Where a byte of a source is found after redaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Located {
    /// At this byte.
    At(usize),
    /// In the replacement of a secret, which stands here.
    Replaced(Range<usize>),
    /// Nowhere: it was dropped at an edge, or never kept.
    Dropped,
}

/// A secret found in some bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hit {
    range: Range<usize>,
    label: Label,
}

/// What is shown instead of a secret. Known names win over shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    /// The secret with this index.
    Known(usize),
    /// A token of a well-known shape.
    Token(&'static str),
    /// The place with this index.
    Place(usize),
    /// Something of a user's.
    Users,
}

impl Redactor {
    /// A redactor for these values and for tokens of well-known shapes.
    #[must_use]
    pub fn new(secrets: &[Secret]) -> Self {
        Self::with_places(secrets, &[], Redaction::On)
    }

    /// A redactor that replaces places too, or nothing at all.
    pub(crate) fn with_places(secrets: &[Secret], places: &[Place], redaction: Redaction) -> Self {
        Self {
            known: KnownValues::new(secrets),
            places: Places::new(places),
            redaction,
            replaced: RefCell::default(),
        }
    }

    /// The names of what was replaced so far, in their order.
    pub(crate) fn names_replaced(&self) -> Vec<String> {
        self.replaced.borrow().iter().cloned().collect()
    }

    /// Redacts the arguments of a call of which nothing was cut off.
    pub(crate) fn redact_arguments(&self, bytes: &[u8]) -> Redacted {
        self.redact_as(bytes, Edges::WHOLE, Content::Arguments)
    }

    /// Redacts bytes of which nothing was cut off.
    #[must_use]
    pub fn redact_whole(&self, bytes: &[u8]) -> Redacted {
        self.redact(bytes, Edges::WHOLE)
    }

    /// Redacts bytes of which nothing was cut off, but leaves the places of this machine.
    pub(crate) fn redact_secrets(&self, bytes: &[u8]) -> Redacted {
        if self.redaction == Redaction::Off {
            return self.redact_whole(bytes);
        }
        let known = views(bytes).iter().flat_map(|view| self.known.hits(view)).collect::<Vec<_>>();
        let tokens = tokens::hits(bytes, Edges::WHOLE);
        let hits = merged(known.into_iter().chain(tokens).collect());
        self.replace(bytes, 0..bytes.len(), hits)
    }

    /// Redacts bytes, then drops what could be the edge of a secret where they were cut.
    #[must_use]
    pub fn redact(&self, bytes: &[u8], edges: Edges) -> Redacted {
        self.redact_as(bytes, edges, Content::Plain)
    }

    /// As [`redact`](Self::redact); what is a user's is withheld too.
    pub(crate) fn redact_as(&self, bytes: &[u8], edges: Edges, content: Content) -> Redacted {
        if self.redaction == Redaction::Off {
            return self.replace(bytes, 0..bytes.len(), Vec::new());
        }
        let views = views(bytes);
        let mut hits: Vec<Hit> = views.iter().flat_map(|view| self.known.hits(view)).collect();
        hits.extend(tokens::hits(bytes, edges));
        hits.extend(self.places.hits(bytes));
        let users = match content {
            Content::Plain => Vec::new(),
            Content::Arguments => content::of_arguments(bytes),
            Content::Users { fault } => content::ranges(bytes, fault),
        };
        hits.extend(users.into_iter().map(|range| Hit { range, label: Label::Users }));
        let hits = merged(hits);
        let mut kept = 0..bytes.len();
        if edges.start == Edge::Cut {
            let ragged = views.iter().filter_map(|view| self.known.ragged_start(view)).max();
            kept.start = tokens::ragged_start(bytes).max(ragged.unwrap_or(0));
        }
        if edges.end == Edge::Cut {
            let ragged = views.iter().filter_map(|view| self.known.ragged_end(view)).min();
            kept.end = tokens::ragged_end(bytes).min(ragged.unwrap_or(bytes.len()));
        }
        // A secret that was found whole is replaced whole, even where an edge would be dropped.
        for hit in &hits {
            if hit.range.contains(&kept.start) {
                kept.start = hit.range.start;
            }
            if hit.range.start <= kept.end && kept.end < hit.range.end {
                kept.end = hit.range.end;
            }
        }
        kept.end = kept.end.max(kept.start);
        self.replace(bytes, kept, hits)
    }

    fn replace(&self, bytes: &[u8], kept: Range<usize>, hits: Vec<Hit>) -> Redacted {
        let mut out = Vec::with_capacity(kept.len());
        let mut replaced = Vec::new();
        let mut at = kept.start;
        for hit in hits {
            if hit.range.start < kept.start || hit.range.end > kept.end {
                continue;
            }
            out.extend_from_slice(&bytes[at..hit.range.start]);
            let start = out.len();
            out.extend_from_slice(self.stand_in(hit.label).as_bytes());
            at = hit.range.end;
            replaced.push((hit.range, start..out.len()));
        }
        out.extend_from_slice(&bytes[at..kept.end]);
        Redacted { bytes: out, kept, source_len: bytes.len(), replaced }
    }

    /// What is shown instead.
    fn stand_in(&self, label: Label) -> String {
        let name = match label {
            Label::Known(index) => self.known.name(index),
            Label::Token(name) => name,
            Label::Place(index) => return self.places.shown(index).to_owned(),
            Label::Users => return WITHHELD.to_owned(),
        };
        self.replaced.borrow_mut().insert(name.to_owned());
        format!("[REDACTED:{name}]")
    }
}

impl Redacted {
    /// Where the source's byte at `offset` is now. The end of a source that was kept whole is
    /// the end of the bytes.
    #[must_use]
    pub fn locate(&self, offset: usize) -> Located {
        let at_end = offset == self.source_len && !self.lost_end();
        if !self.kept.contains(&offset) && !at_end {
            return Located::Dropped;
        }
        let after = self.replaced.partition_point(|(source, _)| source.start <= offset);
        match after.checked_sub(1).map(|index| &self.replaced[index]) {
            None => Located::At(offset - self.kept.start),
            Some((source, target)) if offset < source.end => Located::Replaced(target.clone()),
            Some((source, target)) => Located::At(target.end + (offset - source.end)),
        }
    }

    /// Whether a secret was replaced.
    #[must_use]
    pub fn has_replaced(&self) -> bool {
        !self.replaced.is_empty()
    }

    /// Whether the end of the source was dropped.
    #[must_use]
    pub fn lost_end(&self) -> bool {
        self.kept.end < self.source_len
    }
}

/// Joins hits that overlap.
fn merged(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by_key(|hit| (hit.range.start, hit.label));
    let mut out: Vec<Hit> = Vec::with_capacity(hits.len());
    for hit in hits {
        match out.last_mut() {
            Some(last) if hit.range.start < last.range.end => {
                last.range.end = last.range.end.max(hit.range.end);
                last.label = last.label.min(hit.label);
            }
            _ => out.push(hit),
        }
    }
    out
}
