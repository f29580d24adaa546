//! Values that the caller named, in the spellings in which programs print them.

use std::collections::HashMap;

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::nfa::contiguous::NFA;

use super::spellings::spellings;
use super::views::View;
use super::{Hit, Label};
use crate::facts::Secret;

/// How many bytes of an escape that was cut may stand before the rest of a value.
const CUT_ESCAPE_BYTES: usize = 9;

/// The end of a value that is known as one behind the rest of an escape.
const SURE_BYTES: usize = 3;

/// The named values, ready to be found.
pub(super) struct KnownValues {
    names: Vec<String>,
    /// Every spelling of every value, in lower case.
    needles: Vec<Vec<u8>>,
    /// For each needle, the index of its name.
    owners: Vec<usize>,
    automaton: Option<NFA>,
}

impl KnownValues {
    pub(super) fn new(secrets: &[Secret]) -> Self {
        let mut owner_of: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut needles = Vec::new();
        let mut owners = Vec::new();
        for (index, secret) in secrets.iter().enumerate() {
            for spelling in spellings(&secret.value) {
                if !owner_of.contains_key(&spelling) {
                    owner_of.insert(spelling.clone(), index);
                    needles.push(spelling);
                    owners.push(index);
                }
            }
        }
        // Building fails only beyond 2^31 bytes of needles; an environment cannot hold as much.
        let automaton = (!needles.is_empty()).then(|| {
            NFA::builder()
                .ascii_case_insensitive(true)
                .build(&needles)
                .expect("the values of an environment fit an automaton")
        });
        Self {
            names: secrets.iter().map(|secret| secret.name.clone()).collect(),
            needles,
            owners,
            automaton,
        }
    }

    pub(super) fn name(&self, index: usize) -> &str {
        &self.names[index]
    }

    /// The longest value that ends at each byte. What is shorter lies inside it, so the time does
    /// not grow with the number of values that end in each other.
    pub(super) fn hits(&self, view: &View) -> Vec<Hit> {
        let Some(automaton) = &self.automaton else {
            return Vec::new();
        };
        let mut state: StateID =
            automaton.start_state(Anchored::No).expect("the automaton is not anchored");
        let mut hits = Vec::new();
        for (at, byte) in view.bytes.iter().enumerate() {
            state = automaton.next_state(Anchored::No, state, *byte);
            if !automaton.is_match(state) {
                continue;
            }
            let ends_here = (0..automaton.match_len(state))
                .map(|index| automaton.match_pattern(state, index))
                .next();
            if let Some(pattern) = ends_here {
                let range = at + 1 - automaton.pattern_len(pattern)..at + 1;
                hits.push(Hit {
                    range: view.source(range),
                    label: Label::Known(self.owners[pattern.as_usize()]),
                });
            }
        }
        hits
    }

    /// Where the source begins when the end of a value that was cut is dropped from its start.
    /// None if there is no such end.
    pub(super) fn ragged_start(&self, view: &View) -> Option<usize> {
        let rest_of_escape = |byte: &u8| byte.is_ascii_hexdigit() || b";}{ux#".contains(byte);
        let skippable = view.bytes.iter().take(CUT_ESCAPE_BYTES);
        let skippable = skippable.take_while(|byte| rest_of_escape(byte)).count();
        // An escape may have been cut too; its rest stands before that of the value. Where it is
        // only guessed at, a chance match of a letter or two is none.
        let overlaps = (0..=skippable).filter_map(|skipped| {
            let overlap = self.longest_suffix(&view.bytes[skipped..]);
            let least = if skipped == 0 { 1 } else { SURE_BYTES };
            (overlap >= least).then_some(skipped + overlap)
        });
        overlaps.max().map(|cut| view.source(cut - 1..cut).end)
    }

    fn longest_suffix(&self, bytes: &[u8]) -> usize {
        let overlaps = self.needles.iter().map(|needle| {
            let reversed: Vec<u8> = needle.iter().rev().copied().collect();
            overlap(&reversed, bytes.iter().take(needle.len() - 1).rev())
        });
        overlaps.max().unwrap_or(0)
    }

    /// Where the source ends when the beginning of a value that was cut is dropped from its end.
    /// None if there is no such beginning.
    pub(super) fn ragged_end(&self, view: &View) -> Option<usize> {
        let whole = &view.bytes[..view.bytes.len() - view.cut_escape()];
        let overlaps = self.needles.iter().map(|needle| {
            let from = whole.len().saturating_sub(needle.len() - 1);
            overlap(needle, whole[from..].iter())
        });
        let cut = whole.len() - overlaps.max().unwrap_or(0);
        (cut < view.bytes.len()).then(|| view.source(cut..cut).start)
    }
}

/// The length of the longest prefix of `needle` that ends `text` (Knuth, Morris, Pratt).
/// `needle` is in lower case, and `text` is shorter than it.
fn overlap<'a>(needle: &[u8], text: impl Iterator<Item = &'a u8>) -> usize {
    let mut failure = vec![0; needle.len()];
    let mut matched = 0;
    for at in 1..needle.len() {
        matched = advance(needle, &failure, matched, needle[at]);
        failure[at] = matched;
    }
    text.fold(0, |matched, byte| advance(needle, &failure, matched, byte.to_ascii_lowercase()))
}

fn advance(needle: &[u8], failure: &[usize], mut matched: usize, byte: u8) -> usize {
    while matched > 0 && needle[matched] != byte {
        matched = failure[matched - 1];
    }
    if needle[matched] == byte { matched + 1 } else { 0 }
}
