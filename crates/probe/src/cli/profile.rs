//! `run --profile full`: many sessions with one server, in one report.

use std::ffi::OsString;

use drive::{LaunchSpec, Session};
use inspect::RuleSet;
use model::Outcome;
use report::{Evidence, Redaction, Report, Rows, SessionEvidence, VersionFact};

use super::args::{RunArguments, Target};
use super::live::{self, Audience, Live};
use super::run::{Variant, reproduce, variable};
use super::{Status, UsageError, output};
use crate::facts;
use crate::profile::{
    self, Arranged, Change, Done, Malformed, Row, Tolerance, Wishes, arrange, rows, run_all,
    run_one,
};

/// The name of the session that the others are compared to.
const PLAIN: &str = "plain";

/// Runs the plain session, and the others if that one says anything.
pub(crate) fn run(
    arguments: &RunArguments,
    plain: Session,
    rules: &RuleSet,
    targets: &[Target],
    (redaction, version): (Redaction, Option<VersionFact>),
) -> Result<Status, UsageError> {
    let wishes = wishes(arguments)?;
    let row = Row {
        name: PLAIN.to_owned(),
        scenario: None,
        change: Change::Nothing,
        tolerance: Tolerance::Strict,
    };
    let launch = plain.launch.clone();
    let told_of = (redaction, version.as_ref());
    let found = |done: &Done| evidence(arguments, &launch, done, told_of).evidence;
    let before = |session: &Session| {
        let mut facts = facts::before_run(&shown(&launch, session));
        facts.redaction = redaction;
        facts.calls.clone_from(&arguments.calls);
        facts
    };
    let live = Live::open(targets)?;
    let audience = live.as_ref().map(|live| Audience { live, before: &before, found: &found });
    let audience = audience.as_ref();
    let first = run_one(Arranged { row, session: plain.clone() }, rules, audience);
    let says_something = !matches!(first.run.verdict.outcome, Outcome::Inconclusive(_));
    let mut done = vec![first];
    if says_something && done[0].stopped_by.is_none() {
        let groups = arrange(rows(&plain.plan, &wishes), &plain).map_err(|error| {
            UsageError::new(format!("cannot make a temporary directory: {error}"))
        })?;
        done.extend(run_all(groups, rules, audience, profile::workers()));
    }
    // The plain session leads, whatever it says.
    let mut told = Vec::new();
    for (place, session) in done.iter().enumerate() {
        match session.says_nothing().filter(|_| place > 0) {
            Some(reason) => {
                output::say(&format!("session {} left out: {reason}", session.row.name));
            }
            None => told.push(session),
        }
    }
    let evidence =
        told.iter().map(|session| evidence(arguments, &launch, session, told_of)).collect();
    let report = Report::several(Rows::Sessions, evidence).expect("the plain session is there");
    let streamed = live.map_or(Ok(()), Live::finish);
    output::reports(&report, &live::others(targets), arguments.output.color)?;
    streamed?;
    let stopped = done.iter().find_map(|session| session.stopped_by);
    Ok(stopped.map_or_else(|| status(&told), Status::Signal))
}

/// A violation anywhere outweighs a session that proved nothing.
fn status(told: &[&Done]) -> Status {
    let statuses = || told.iter().map(|session| Status::of(&session.run.verdict.outcome));
    let first = |wanted: fn(Status) -> bool| statuses().find(|status| wanted(*status));
    first(|status| status == Status::Violation)
        .or_else(|| first(|status| status != Status::Valid))
        .unwrap_or(Status::Valid)
}

fn evidence(
    arguments: &RunArguments,
    launch: &LaunchSpec,
    done: &Done,
    (redaction, version): (Redaction, Option<&VersionFact>),
) -> SessionEvidence {
    let shown = shown(launch, &done.session);
    let mut facts = facts::of_run(&shown, &done.run, reproduce(arguments, &variant(&done.row)));
    facts.redaction = redaction;
    facts.calls.clone_from(&arguments.calls);
    facts.version = version.cloned();
    SessionEvidence::new(&done.row.name, Evidence::new(&done.run.verdict, facts))
}

/// What a row sets is no secret, and is not to be struck out of the report.
fn shown(launch: &LaunchSpec, session: &Session) -> LaunchSpec {
    LaunchSpec { set: launch.set.clone(), ..session.launch.clone() }
}

/// The options that lead to this session alone, as far as options can.
fn variant(row: &Row) -> Variant {
    let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let mut variant = Variant::default();
    match &row.change {
        Change::Nothing => {}
        Change::Environment(variables) => {
            for (name, value) in variables {
                let mut word = name.clone();
                word.push("=");
                word.push(value);
                variant.options.extend([OsString::from("--env"), word]);
            }
        }
        Change::Protocol(version) => variant.protocol = Some(*version),
        Change::ForeignDirectory => variant.options = words(&["--cwd", "temp"]),
        Change::FreshHome | Change::SameHome | Change::DirectoryWithEnvFile => {
            variant.options = words(&["--profile", "full"]);
            return variant;
        }
    }
    if let (Some(name), false) = (row.scenario, matches!(row.change, Change::Protocol(_))) {
        variant.options.extend(words(&["--scenario", name]));
    }
    variant
}

fn wishes(arguments: &RunArguments) -> Result<Wishes, UsageError> {
    let mut wishes = Wishes {
        malformed: if arguments.malformed_line { Malformed::Sent } else { Malformed::NotSent },
        ..Wishes::default()
    };
    for text in &arguments.vary {
        let wrong = || UsageError::new("a value of --vary is not NAME:VARIABLE=VALUE");
        let (name, assignment) = text
            .to_str()
            .and_then(|text| text.split_once(':'))
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(wrong)?;
        let assignment = variable(assignment.as_ref()).map_err(|_| wrong())?;
        match wishes.variations.iter_mut().find(|(of, _)| of == name) {
            Some((_, variables)) => variables.push(assignment),
            None => wishes.variations.push((name.to_owned(), vec![assignment])),
        }
    }
    Ok(wishes)
}
