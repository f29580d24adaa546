//! Every operator at every frame of every transcript, with its first few spots.

use std::collections::{BTreeMap, BTreeSet};

use corpus::Family;
use model::{Layer, Level, Outcome, RuleId};
use mutate::{Corruption, Operator, Place, Transcript, View};

use crate::support::{
    Clean, clean_cases, denied, denying, differences, judge, long_session, roomy_session, rules,
    sessions,
};

const PIECES: [usize; 2] = [7, usize::MAX];

/// Which spots are tried at each frame.
#[derive(Clone, Copy)]
enum Spots {
    /// All below this number.
    Below(usize),
    /// One, another at each frame.
    One,
}

fn check(clean: &[Clean], spots: Spots) -> BTreeMap<&'static str, usize> {
    let mut applied: BTreeMap<&'static str, usize> =
        Operator::all().map(|operator| (operator.name, 0)).collect();
    let mut wrong = Vec::new();
    for (index, Clean { name, transcript }) in clean.iter().enumerate() {
        let view = View::of(transcript);
        for frame in 0..=view.frames() {
            let spots = match spots {
                Spots::Below(count) => 0..count,
                Spots::One => index + frame..index + frame + 1,
            };
            for operator in Operator::all() {
                let mut seen: Vec<Corruption> = Vec::new();
                for place in spots.clone().map(|spot| Place { frame, spot }) {
                    let corruption = operator.at(&view, place);
                    let Some(corruption) = corruption.filter(|new| !seen.contains(new)) else {
                        continue;
                    };
                    *applied.entry(operator.name).or_default() += 1;
                    let size = PIECES[place.spot % PIECES.len()];
                    let broken = broken_promises(operator, &corruption, transcript, size);
                    wrong.extend(broken.into_iter().map(|difference| {
                        format!("{} on {name} at {place:?}: {difference}", operator.name)
                    }));
                    seen.push(corruption);
                }
            }
        }
    }
    let shown = &wrong[..wrong.len().min(20)];
    assert!(wrong.is_empty(), "{} broken promises:\n{}", wrong.len(), shown.join("\n"));
    applied
}

fn broken_promises(
    operator: &Operator,
    corruption: &Corruption,
    transcript: &Transcript,
    size: usize,
) -> Vec<String> {
    let corrupted = corruption.apply(transcript);
    let must = corrupted.violation.is_some();
    assert_eq!(must, operator.level == Level::Must, "{}", operator.name);
    let verdict = judge(&corrupted.transcript, rules(transcript), |_| size);
    let mut broken = differences(&corrupted, &verdict);
    if operator.level == Level::Advice {
        let rule = corruption.rule();
        let denied = denied(&corrupted, rule).expect("its own advice is promised");
        let verdict = judge(&denied.transcript, denying(transcript, rule), |_| size);
        broken.extend(differences(&denied, &verdict));
    }
    broken
}

fn check_all_but(clean: &[Clean], spots: Spots, never: &[&str]) {
    assert!(!clean.is_empty(), "no clean transcript was found");
    let applied = check(clean, spots);
    let idle: Vec<&str> =
        applied.iter().filter(|(_, count)| **count == 0).map(|(name, _)| *name).collect();
    assert_eq!(idle, never, "the operators that never applied");
}

#[test]
fn clean_transcripts_are_clean() {
    let families = [Family::Controls, Family::Recordings].map(clean_cases);
    for Clean { name, transcript } in sessions().iter().chain(families.iter().flatten()) {
        for size in [1, 7, usize::MAX] {
            let verdict = judge(transcript, rules(transcript), |_| size);
            assert_eq!(verdict.outcome, Outcome::ValidStdout, "{name}");
            assert!(verdict.advice.is_empty(), "{name}: {:?}", verdict.advice);
        }
    }
}

/// Operators that need what short transcripts with a low limit do not have.
const NEED_LENGTH: [&str; 2] = ["cut-at-pipe-size", "exceed-10-mib"];

/// Rules that need what no clean transcript has: a look at the processor, a text that the user
/// gave, requests that were still open when stdin was closed, or the request of another plan.
const NEED_MORE: [RuleId; 6] = [
    RuleId::BusyAtEof,
    RuleId::StdoutWriteRetry,
    RuleId::LostAtEof,
    RuleId::WrongErrorCode,
    RuleId::CanaryMissing,
    RuleId::CanaryOnStdout,
];

#[test]
fn there_are_enough_operators() {
    assert!(Operator::all().count() >= 40);
}

#[test]
fn every_rule_of_a_transcript_is_promised_by_an_operator() {
    let long = [long_session(), roomy_session()];
    let mut promised = BTreeSet::new();
    for Clean { transcript, .. } in sessions().iter().chain(&long) {
        let view = View::of(transcript);
        let place = Place { frame: 0, spot: 0 };
        let corruptions = Operator::all().filter_map(|operator| operator.near(&view, place));
        promised.extend(corruptions.map(|corruption| corruption.rule()));
    }
    // What breaks layer 4 depends on the method and the revision; the schemas have mutated messages
    // of their own, and the official schemas for an oracle.
    let below = |rule: &RuleId| rule.rule().layer != Layer::Mcp && !NEED_MORE.contains(rule);
    let all: BTreeSet<RuleId> = RuleId::ALL.iter().copied().filter(below).collect();
    assert_eq!(promised, all);
}

#[test]
fn a_message_beyond_10_mib_is_what_the_operator_promises() {
    let Clean { transcript, .. } = roomy_session();
    let operator = Operator::all().find(|operator| operator.name == "exceed-10-mib").unwrap();
    let corruption = operator.near(&View::of(&transcript), Place { frame: 1, spot: 0 }).unwrap();
    let broken = broken_promises(operator, &corruption, &transcript, usize::MAX);
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn operators_keep_their_promises_on_built_sessions() {
    check_all_but(&sessions(), Spots::Below(40), &NEED_LENGTH);
}

#[test]
fn operators_keep_their_promises_on_a_session_longer_than_a_pipe() {
    let applied = check(&[long_session()], Spots::One);
    assert!(applied["cut-at-pipe-size"] > 0);
}

#[test]
fn operators_keep_their_promises_on_controls() {
    check_all_but(&clean_cases(Family::Controls), Spots::One, &NEED_LENGTH);
}

#[test]
fn operators_keep_their_promises_on_recordings() {
    check_all_but(&clean_cases(Family::Recordings), Spots::One, &NEED_LENGTH);
}
