//! The corpus as trials, and what everybody says of each.

use std::path::Path;
use std::sync::LazyLock;

use corpus::{Case, Chunking, Expectation, events, expectation_for, load_all, rule_set};
use model::ProtocolVersion;
use tolerant::{Answer, AnyMutant, Judged, Trial, judge_all};

/// Longer cases cost seconds, and mutants read them like shorter ones. Those that a row names
/// are tried all the same.
const LARGEST: usize = 1024 * 1024;

static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut cases = load_all(&root).expect("the corpus loads");
    cases.retain(|case| {
        case.stdout.len() <= LARGEST
            || AnyMutant::all().any(|mutant| mutant.canonical_case() == case.file.id)
    });
    cases
});

/// A case, what a person says of it, and what everybody else does.
pub(crate) struct Tried {
    pub(crate) case: &'static Case,
    pub(crate) expected: &'static Expectation,
    pub(crate) judged: Judged,
}

/// Every case, by the newest revision with a handshake that its oracle speaks of, else the
/// newest.
pub(crate) static TRIED: LazyLock<Vec<Tried>> = LazyLock::new(|| {
    let (expected, trials): (Vec<_>, Vec<_>) = CASES.iter().map(trial).unzip();
    let judged = judge_all(&trials);
    let tried = CASES.iter().zip(expected).zip(judged);
    tried.map(|((case, expected), judged)| Tried { case, expected, judged }).collect()
});

fn trial(case: &'static Case) -> (&'static Expectation, Trial<'static>) {
    let newest = ProtocolVersion::NEWEST_WITH_HANDSHAKE;
    let mut versions = [newest].into_iter().chain(ProtocolVersion::ALL.into_iter().rev());
    let (version, expected) = versions
        .find_map(|version| Some((version, expectation_for(&case.file, version)?)))
        .expect("every case has an oracle");
    let events = events(case, Chunking::AsScripted).expect("every script can be played");
    let trial = Trial { case: &case.file.id, rules: rule_set(case, Some(version)), events };
    (expected, trial)
}

/// The case of this id.
pub(crate) fn tried(id: &str) -> Option<&'static Tried> {
    TRIED.iter().find(|tried| tried.case.file.id == id)
}

/// Every mutant with what it says of a case.
pub(crate) fn answers(tried: &Tried) -> impl Iterator<Item = (AnyMutant, &Answer)> {
    AnyMutant::all().zip(&tried.judged.answers)
}
