//! Removal of secrets from bytes, before anything is cut or shown.
//!
//! Two sources: values that the caller names, in the encodings in which programs print them, and
//! the shapes of well-known tokens. All matching is linear in the input. Bytes that were cut lose
//! what could be the edge of a secret at the cut.

mod known;
mod tokens;

#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::facts::Secret;
use known::KnownValues;

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

/// Removes the secrets of one run.
pub struct Redactor {
    known: KnownValues,
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
}

impl Redactor {
    /// A redactor for these values and for tokens of well-known shapes.
    #[must_use]
    pub fn new(secrets: &[Secret]) -> Self {
        Self { known: KnownValues::new(secrets) }
    }

    /// Redacts bytes of which nothing was cut off.
    #[must_use]
    pub fn redact_whole(&self, bytes: &[u8]) -> Redacted {
        self.redact(bytes, Edges::WHOLE)
    }

    /// Redacts bytes, then drops what could be the edge of a secret where they were cut.
    #[must_use]
    pub fn redact(&self, bytes: &[u8], edges: Edges) -> Redacted {
        let mut hits = self.known.hits(bytes);
        hits.extend(tokens::hits(bytes, edges));
        let hits = merged(hits);
        let mut kept = 0..bytes.len();
        if edges.start == Edge::Cut {
            kept.start = tokens::ragged_start(bytes).max(self.known.ragged_start(bytes));
        }
        if edges.end == Edge::Cut {
            kept.end = tokens::ragged_end(bytes).min(self.known.ragged_end(bytes));
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
            out.extend_from_slice(b"[REDACTED:");
            out.extend_from_slice(self.name(hit.label).as_bytes());
            out.push(b']');
            at = hit.range.end;
            replaced.push((hit.range, start..out.len()));
        }
        out.extend_from_slice(&bytes[at..kept.end]);
        Redacted { bytes: out, kept, source_len: bytes.len(), replaced }
    }

    fn name(&self, label: Label) -> &str {
        match label {
            Label::Known(index) => self.known.name(index),
            Label::Token(name) => name,
        }
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
