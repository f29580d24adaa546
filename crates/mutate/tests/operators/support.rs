//! Clean transcripts to act on, and the judgement of the true detector.

use std::path::Path;

use corpus::{Case, Chunking, Expectation, Family, events, expectation_for, load_all, rule_set};
use inspect::{Correlation, Detector, Inspector, RuleSet, Setting};
use model::{
    Detail, EventKind, Level, List, Outcome, Position, ProtocolVersion, RuleId, Sent, Verdict,
};
use mutate::{
    Aside, Corrupted, Layout, Promise, ReplyOrder, Session, Spacing, Spelling, Tail, Terms,
    Transcript,
};

/// Larger transcripts cost more than they show.
const LARGEST: usize = 16 * 1024;

/// Frames of more than 10 MiB have a test of their own.
const LARGEST_FRAME: u64 = 1024 * 1024;

/// A clean transcript and where it comes from.
pub(crate) struct Clean {
    pub(crate) name: String,
    pub(crate) transcript: Transcript,
}

/// Sessions that between them hold everything that an operator can act on.
pub(crate) fn sessions() -> Vec<Clean> {
    let plain = Session::default();
    let odd = Session {
        lists: vec![List::Tools, List::Resources, List::ResourceTemplates],
        asides: vec![vec![Aside::ListChanged, Aside::Unknown], vec![Aside::Ping, Aside::Log]],
        texts: vec!["say \"日本\"\n".to_owned(), "😀é".to_owned(), String::new()],
        layouts: vec![
            Layout { first_member: 1, spacing: Spacing::Wide, spelling: Spelling::Raw },
            Layout { first_member: 2, spacing: Spacing::AfterSeparators, ..Layout::default() },
            Layout { spelling: Spelling::Escaped, ..Layout::default() },
        ],
        replies: ReplyOrder::Reversed,
        ..Session::default()
    };
    let batches = Session { protocol: ProtocolVersion::V2025_03_26, ..odd.clone() };
    let bare = Session {
        protocol: ProtocolVersion::V2024_11_05,
        lists: Vec::new(),
        calls: 0,
        asides: Vec::new(),
        ..Session::default()
    };
    let sessions = [("plain", plain), ("odd", odd), ("batches", batches), ("bare", bare)];
    let clean = sessions
        .into_iter()
        .map(|(name, session)| Clean { name: name.to_owned(), transcript: session.transcript() });
    clean.collect()
}

/// A session that a pipe cannot hold.
pub(crate) fn long_session() -> Clean {
    let session = Session {
        lists: vec![List::Tools],
        calls: 0,
        asides: Vec::new(),
        texts: vec!["ab".to_owned(), "long enough for any pipe ".repeat(2800)],
        max_frame_bytes: 1024 * 1024,
        ..Session::default()
    };
    Clean { name: "long".to_owned(), transcript: session.transcript() }
}

/// A session in which large frames are allowed.
pub(crate) fn roomy_session() -> Clean {
    let session = Session { max_frame_bytes: 64 * 1024 * 1024, ..Session::default() };
    Clean { name: "roomy".to_owned(), transcript: session.transcript() }
}

/// The cases of a family in which nothing is to be found, advice included.
pub(crate) fn clean_cases(family: Family) -> Vec<Clean> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let cases = load_all(&root).expect("the corpus loads");
    let cases = cases.iter().filter(|case| {
        case.family == Some(family) && case.stdout.len() <= LARGEST && !case.stdout.is_empty()
    });
    cases.filter_map(clean).collect()
}

fn clean(case: &Case) -> Option<Clean> {
    let is_clean = |version: &ProtocolVersion| match expectation_for(&case.file, *version) {
        Some(Expectation::Clean(clean)) => clean.advice.is_empty(),
        _ => false,
    };
    let version = ProtocolVersion::ALL.into_iter().rev().find(is_clean)?;
    let terms = Terms {
        protocol: Some(version),
        max_frame_bytes: rule_set(case, Some(version)).max_frame_bytes.min(LARGEST_FRAME),
    };
    let events = events(case, Chunking::AsScripted).expect("a case of the corpus can be played");
    let kinds = events.into_iter().map(|event| event.kind.into_owned());
    let transcript = Transcript::new(kinds, terms);
    Some(Clean { name: case.file.id.clone(), transcript })
}

/// The rules by which a transcript is judged.
pub(crate) fn rules(transcript: &Transcript) -> RuleSet {
    let requests = |event: &EventKind<'_>| matches!(event, EventKind::Sent(Sent::Request { .. }));
    let client = transcript.kinds().iter().any(requests);
    let mut rules = RuleSet::default();
    rules.correlation = if client { Correlation::On } else { Correlation::Off };
    rules.protocol = transcript.terms().protocol;
    rules.max_frame_bytes = transcript.terms().max_frame_bytes;
    rules
}

/// What the true detector finds, its bytes cut as `size` says.
pub(crate) fn judge(
    transcript: &Transcript,
    rules: RuleSet,
    size: impl FnMut(usize) -> usize,
) -> Verdict {
    let mut detector = Inspector::new(rules);
    for event in transcript.cut(size) {
        detector.push(&event);
    }
    Box::new(detector).finish()
}

/// A finding, as far as a promise tells of it.
type Seen = (RuleId, Position, Option<Tail>);

fn promised(promise: &Promise) -> Seen {
    (promise.rule, promise.position, promise.tail)
}

fn seen(finding: &model::Finding) -> Seen {
    let tail = match finding.detail {
        Detail::Tail { end, partial_bytes } => Some(Tail { end, partial_bytes }),
        _ => None,
    };
    (finding.rule, finding.position, tail)
}

/// How a verdict differs from what was promised; empty if it does not.
pub(crate) fn differences(corrupted: &Corrupted, verdict: &Verdict) -> Vec<String> {
    let mut differences = Vec::new();
    let expected = corrupted.violation.as_ref().map(promised);
    let found = match &verdict.outcome {
        Outcome::Violation(finding) => Some(seen(finding)),
        Outcome::ValidStdout => None,
        Outcome::Inconclusive(reason) => return vec![format!("inconclusive: {}", reason.name())],
    };
    if expected != found {
        differences.push(format!("promised {expected:?}, found {found:?}"));
    }
    let advice = corrupted.advice.iter().map(|advice| (promised(&advice.first), advice.count));
    let given = verdict.advice.iter().map(|advice| (seen(&advice.finding), advice.count));
    let (advice, given): (Vec<_>, Vec<_>) = (advice.collect(), given.collect());
    if advice != given {
        differences.push(format!("promised advice {advice:?}, given {given:?}"));
    }
    differences
}

/// What is promised where one rule of advice is denied.
pub(crate) fn denied(corrupted: &Corrupted, rule: RuleId) -> Option<Corrupted> {
    let index = corrupted.advice.iter().position(|advice| advice.first.rule == rule)?;
    let first = corrupted.advice[index].first;
    Some(Corrupted {
        transcript: corrupted.transcript.clone(),
        violation: Some(Promise { level: Level::Must, ..first }),
        advice: corrupted.advice[..index].to_vec(),
    })
}

/// The rules by which one kind of advice fails the run.
pub(crate) fn denying(transcript: &Transcript, rule: RuleId) -> RuleSet {
    let mut rules = rules(transcript);
    rules.set(rule, Setting::Deny);
    rules
}
