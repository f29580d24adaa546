//! Operators on generated sessions, alone and in pairs, with the bytes cut anywhere.

use model::{Level, List, Outcome, ProtocolVersion};
use mutate::{
    Aside, Layout, Operator, Place, ReplyOrder, Session, Spacing, Spelling, Transcript, View,
};
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};

use crate::support::{denied, denying, differences, judge, rules};

fn layout() -> impl Strategy<Value = Layout> {
    let spacing = select(vec![Spacing::Compact, Spacing::AfterSeparators, Spacing::Wide]);
    let spelling = select(vec![Spelling::Raw, Spelling::Escaped]);
    (0..4usize, spacing, spelling).prop_map(|(first_member, spacing, spelling)| Layout {
        first_member,
        spacing,
        spelling,
    })
}

fn session() -> impl Strategy<Value = Session> {
    let revisions = vec![
        ProtocolVersion::V2024_11_05,
        ProtocolVersion::V2025_03_26,
        ProtocolVersion::V2025_06_18,
        ProtocolVersion::V2025_11_25,
    ];
    let aside = select(vec![Aside::Log, Aside::ListChanged, Aside::Unknown, Aside::Ping]);
    let text = prop_oneof![".{0,12}", "[ -~\u{7f}\u{e9}\u{2028}\u{1F600}\\n\\t]{0,20}"];
    (
        select(revisions),
        subsequence(List::ALL.to_vec(), 0..=4).prop_shuffle(),
        0..3u32,
        prop::collection::vec(prop::collection::vec(aside, 0..3), 1..4),
        prop::collection::vec(text, 1..4),
        prop::collection::vec(layout(), 1..4),
        select(vec![ReplyOrder::Same, ReplyOrder::Reversed]),
        select(vec![4096, 1024 * 1024]),
    )
        .prop_map(
            |(protocol, lists, calls, asides, texts, layouts, replies, max_frame_bytes)| Session {
                protocol,
                lists,
                calls,
                asides,
                texts,
                layouts,
                replies,
                max_frame_bytes,
            },
        )
}

fn operator() -> impl Strategy<Value = &'static Operator> {
    select(Operator::all().collect::<Vec<_>>())
}

fn place() -> impl Strategy<Value = Place> {
    (any::<Index>(), 0..64usize).prop_map(|(frame, spot)| Place { frame: frame.index(64), spot })
}

/// Sizes of pieces, taken in turn.
fn sizes() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![Just(vec![1]), Just(vec![usize::MAX]), prop::collection::vec(1..200usize, 1..8),]
}

fn in_turn(sizes: &[usize]) -> impl FnMut(usize) -> usize {
    let mut next = sizes.iter().cycle();
    move |_| next.next().copied().unwrap_or(1)
}

fn is_clean(transcript: &Transcript, sizes: &[usize]) -> bool {
    let verdict = judge(transcript, rules(transcript), in_turn(sizes));
    verdict.outcome == Outcome::ValidStdout && verdict.advice.is_empty()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn one_operator_gives_exactly_what_it_promises(
        session in session(),
        operator in operator(),
        place in place(),
        sizes in sizes(),
    ) {
        let clean = session.transcript();
        prop_assert!(is_clean(&clean, &sizes));
        let Some(corruption) = operator.near(&View::of(&clean), place) else { return Ok(()) };
        let corrupted = corruption.apply(&clean);
        let verdict = judge(&corrupted.transcript, rules(&clean), in_turn(&sizes));
        prop_assert_eq!(differences(&corrupted, &verdict), Vec::<String>::new(), "{}", operator.name);
        if operator.level == Level::Advice {
            let rule = corruption.rule();
            let denied = denied(&corrupted, rule).expect("its own advice is promised");
            let verdict = judge(&denied.transcript, denying(&clean, rule), in_turn(&sizes));
            prop_assert_eq!(differences(&denied, &verdict), Vec::<String>::new(), "{}", operator.name);
        }
    }

    #[test]
    fn of_two_operators_the_first_finding_wins(
        session in session(),
        operators in [operator(), operator()],
        places in [place(), place()],
        sizes in sizes(),
    ) {
        let clean = session.transcript();
        let view = View::of(&clean);
        let [first, second] = [0, 1].map(|index| operators[index].near(&view, places[index]));
        let (Some(first), Some(second)) = (first, second) else { return Ok(()) };
        let Some(corrupted) = first.apply_with(&second, &clean) else { return Ok(()) };
        let verdict = judge(&corrupted.transcript, rules(&clean), in_turn(&sizes));
        let names = operators.map(|operator| operator.name);
        prop_assert_eq!(differences(&corrupted, &verdict), Vec::<String>::new(), "{:?}", names);
        let other = second.apply_with(&first, &clean);
        prop_assert_eq!(Some(corrupted), other, "the order of the two does not matter");
    }
}

/// Pairs that meet in one frame, or of which one is advice, are rare among random ones.
#[test]
fn pairs_in_one_frame_keep_their_order() {
    let clean = Session::default().transcript();
    let view = View::of(&clean);
    let mut pairs = 0;
    let mut wrong = Vec::new();
    for frame in 0..view.frames() {
        for (number, first) in Operator::all().enumerate() {
            for second in Operator::all().skip(number) {
                let spot = number + frame;
                let planned = [first, second].map(|operator| {
                    operator.at(&view, Place { frame, spot: spot + second.name.len() })
                });
                let [Some(one), Some(two)] = &planned else { continue };
                let Some(corrupted) = one.apply_with(two, &clean) else { continue };
                pairs += 1;
                let verdict = judge(&corrupted.transcript, rules(&clean), |_| 13);
                wrong.extend(differences(&corrupted, &verdict).into_iter().map(|difference| {
                    format!("{} and {} in frame {frame}: {difference}", first.name, second.name)
                }));
            }
        }
    }
    assert!(pairs > 1000, "only {pairs} pairs do not touch");
    assert!(
        wrong.is_empty(),
        "{} of {pairs}:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}
