//! Paths of one machine, and the names of its user and of itself: what they are replaced by is the
//! same on every machine, so that reports can be compared, and published.

use std::ops::Range;

use super::{Hit, Label};
use crate::facts::{Place, PlaceKind};

/// Names that tell nothing of a person or a machine, and are words of programs.
const COMMON: &[&str] = &[
    "admin",
    "app",
    "build",
    "builder",
    "debian",
    "default",
    "docker",
    "guest",
    "localhost",
    "node",
    "nobody",
    "public",
    "python",
    "root",
    "runner",
    "server",
    "service",
    "test",
    "ubuntu",
    "user",
    "users",
    "vscode",
    "work",
];

/// The shortest name that is replaced.
const MIN_NAME_BYTES: usize = 4;

/// The shortest path that is replaced.
const MIN_PATH_BYTES: usize = 4;

/// Places of this machine, the longest first.
pub(super) struct Places(Vec<Place>);

impl Places {
    pub(super) fn new(places: &[Place]) -> Self {
        let mut places: Vec<Place> =
            places.iter().filter(|place| is_telling(place)).cloned().collect();
        places.sort_by_key(|place| std::cmp::Reverse(place.text.len()));
        Self(places)
    }

    pub(super) fn shown(&self, index: usize) -> &'static str {
        self.0[index].shown
    }

    /// The places in some bytes; where two overlap, the longer one.
    pub(super) fn hits(&self, bytes: &[u8]) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        for (index, place) in self.0.iter().enumerate() {
            for range in occurrences(bytes, &place.text) {
                let taken = |hit: &Hit| hit.range.start < range.end && range.start < hit.range.end;
                if stands_alone(bytes, &range, place.kind) && !hits.iter().any(taken) {
                    hits.push(Hit { range, label: Label::Place(index) });
                }
            }
        }
        hits
    }
}

fn is_telling(place: &Place) -> bool {
    match place.kind {
        PlaceKind::Path => place.text.len() >= MIN_PATH_BYTES && place.text.starts_with(b"/"),
        PlaceKind::Name => {
            let common = |name: &&str| place.text.eq_ignore_ascii_case(name.as_bytes());
            place.text.len() >= MIN_NAME_BYTES && !COMMON.iter().any(common)
        }
    }
}

fn occurrences<'a>(bytes: &'a [u8], text: &'a [u8]) -> impl Iterator<Item = Range<usize>> + 'a {
    aho_corasick::AhoCorasick::new([text]).into_iter().flat_map(move |automaton| {
        let found: Vec<Range<usize>> =
            automaton.find_iter(bytes).map(|found| found.range()).collect();
        found
    })
}

/// Whether the bytes are no part of a longer name.
fn stands_alone(bytes: &[u8], range: &Range<usize>, kind: PlaceKind) -> bool {
    let word = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    let before = bytes[..range.start].last();
    let after = bytes.get(range.end);
    match kind {
        PlaceKind::Path => !before.is_some_and(u8::is_ascii_alphanumeric) && !word(after),
        PlaceKind::Name => !word(before) && !word(after),
    }
}
