//! Operators on sessions that are still going on keep their promises too.

use std::collections::BTreeSet;

use model::{EventKind, Side};
use mutate::{Aim, Corrupted, Moment, Operator, Then, Transcript, View};

use crate::support::{Clean, differences, judge, long_session, rules, sessions};

/// A session as a relay lets it happen, and what was promised of it.
fn relayed(aim: &Aim, recorded: &View<'_>) -> Option<(Transcript, Corrupted)> {
    let transcript = recorded.transcript();
    let (mut seen, mut told) = (Vec::new(), Vec::new());
    let mut promised = None;
    let mut struck = false;
    for event in transcript.kinds() {
        let EventKind::Stdout(bytes) = event else {
            let end = matches!(event, EventKind::StdoutEof) && *aim.moment() == Moment::End;
            if end && !struck {
                let strike = aim.strike(&seen, recorded)?;
                told.extend(strike.events);
                return Some((Transcript::new(told, transcript.terms()), strike.corrupted));
            }
            seen.push(event.clone());
            told.push(event.clone());
            continue;
        };
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let line = EventKind::Stdout(line.to_vec().into());
            seen.push(line.clone());
            if struck || !is_due(aim, &line, recorded) {
                told.push(line);
                continue;
            }
            let strike = aim.strike(&seen, recorded)?;
            told.extend(strike.events);
            promised = Some(strike.corrupted);
            match strike.then {
                Then::Relay => struck = true,
                Then::Again => {}
                Then::End => return Some((Transcript::new(told, transcript.terms()), promised?)),
            }
        }
    }
    Some((Transcript::new(told, transcript.terms()), promised?))
}

/// As a relay recognises it: by the raw text, which these sessions write once each.
fn is_due(aim: &Aim, line: &EventKind<'static>, recorded: &View<'_>) -> bool {
    let EventKind::Stdout(line) = line else { return false };
    let at = |frame: Option<&[u8]>| frame.is_some_and(|text| line.starts_with(text));
    match aim.moment() {
        Moment::EachFrame => true,
        Moment::End => false,
        Moment::Reply(id) => at(recorded.reply(id)),
        Moment::Call(method) => at(recorded.call(method)),
    }
}

#[test]
fn a_strike_leads_to_exactly_what_it_promises() {
    let mut wrong = Vec::new();
    let mut aimed = BTreeSet::new();
    for Clean { name, transcript } in sessions().into_iter().chain([long_session()]) {
        let view = View::of(&transcript);
        for operator in Operator::all() {
            let Some(aim) = Aim::new(operator, &view) else { continue };
            aimed.insert(operator.name);
            let Some((live, promised)) = relayed(&aim, &view) else {
                wrong.push(format!("{} on {name}: it never struck", operator.name));
                continue;
            };
            let verdict = judge(&live, rules(&transcript), |_| 4096);
            let found = differences(&promised, &verdict);
            wrong.extend(found.iter().map(|found| format!("{} on {name}: {found}", operator.name)));
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    let never = Operator::all().map(|operator| operator.name).filter(|name| !aimed.contains(name));
    // A client in lockstep always awaits something, and a frame of more than 10 MiB would be
    // beyond the limit of these sessions.
    assert!(never.eq(["exceed-10-mib", "exit-while-idle"]), "operators that were never aimed");
}

#[test]
fn a_promise_follows_what_the_server_really_wrote() {
    let clean = &sessions()[0].transcript;
    let view = View::of(clean);
    let banner = Operator::all().find(|operator| operator.name == "insert-banner");
    let aim = Aim::new(banner.expect("there is one"), &view).expect("it can be aimed");
    // The server writes more blanks than in the recording.
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (padding, seen) in [(0, &mut before), (7, &mut after)] {
        for event in clean.kinds() {
            match event {
                EventKind::Stdout(bytes) => {
                    let line = bytes.split_inclusive(|byte| *byte == b'\n').next().expect("a line");
                    let blanks = vec![b' '; padding];
                    seen.push(EventKind::Stdout([blanks.as_slice(), line].concat().into()));
                }
                other => seen.push(other.clone()),
            }
            let enough = seen.iter().filter(|event| matches!(event, EventKind::Stdout(_))).count();
            if enough == 2 || matches!(event, EventKind::StdinClosed { by: Side::Client }) {
                break;
            }
        }
    }
    let at = |seen: &[EventKind<'static>]| {
        let strike = aim.strike(seen, &view).expect("it applies anywhere");
        strike.corrupted.violation.expect("a banner is a violation").position
    };
    let (before, after) = (at(&before), at(&after));
    assert_eq!(before.frame(), after.frame());
    assert_eq!(before.byte(), after.byte());
    assert!(before.stream() < after.stream());
}
