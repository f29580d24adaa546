//! `run --compare-command`: the same server once through its launcher and once without, so that a
//! report can say who of the two wrote what is no message.

use std::ffi::OsString;

use drive::{Run, Session};
use inspect::{Inspector, RuleSet};
use model::Outcome;
use report::{Evidence, Hint, Redaction, Report, Rows, SessionEvidence, VersionFact};

use super::args::RunArguments;
use super::live::{Both, Live, LiveSession};
use super::stop::Stopped;
use super::{Status, UsageError};
use crate::facts;

/// The names of the two sessions.
const NAMES: [&str; 2] = ["launched", "alone"];

/// The words of a command that is an option's value, split as a shell would, without running one.
/// There is at least one.
pub(super) fn words(option: &str, command: &str) -> Result<Vec<OsString>, UsageError> {
    let words = shlex::split(command).unwrap_or_default();
    if words.first().is_none_or(String::is_empty) {
        return Err(UsageError::new(format!("{option} holds no command")));
    }
    Ok(words.into_iter().map(OsString::from).collect())
}

/// Runs both, one after the other, and gives the status of the worse and the report of both.
pub(super) fn compare(
    arguments: &RunArguments,
    launched: &Session,
    alone: &[OsString],
    (rules, redaction): (&RuleSet, Redaction),
    (version, live): (Option<&VersionFact>, Option<&Live>),
    reproduce: &[OsString],
) -> Result<(Status, Report), UsageError> {
    let mut other = launched.clone();
    let (program, args) = alone.split_first().ok_or_else(|| UsageError::new("no command"))?;
    other.launch.program.clone_from(program);
    other.launch.args = args.to_vec();
    // The line of the first run ends with the server's command; that of the second with its own.
    let options = &reproduce[..reproduce.len() - arguments.server.len()];
    let lines = [reproduce.to_vec(), [options, alone].concat()];
    let mut listeners = Vec::new();
    let mut names = NAMES.iter();
    let runs = [launched, &other].map(|session| {
        let mut listener = live.map(|live| {
            let mut facts = facts::before_run(&session.launch);
            facts.redaction = redaction;
            facts.calls.clone_from(&arguments.calls);
            live.session(facts, names.next().copied())
        });
        let run = play(session, rules, listener.as_mut());
        listeners.push(listener);
        run
    });
    let writer = writer(&runs);
    let status = worse(runs.each_ref().map(|run| Status::of(&run.verdict.outcome)));
    let sessions = runs.iter().zip([launched, &other]).zip(lines).zip(NAMES).zip(listeners);
    let sessions = sessions.map(|((((run, session), line), name), listener)| {
        let mut facts = facts::of_run(&session.launch, run, line);
        facts.redaction = redaction;
        facts.calls.clone_from(&arguments.calls);
        facts.version = version.cloned();
        let mut evidence = Evidence::new(&run.verdict, facts);
        if let (Some(violation), Some(writer)) = (&mut evidence.first_violation, writer) {
            violation.hint = Some(writer);
        }
        // Who wrote it is only known once both have ended.
        if let Some(listener) = listener {
            listener.end(&evidence);
        }
        SessionEvidence::new(name, evidence)
    });
    let report = Report::several(Rows::Sessions, sessions.collect());
    report.map(|report| (status, report)).ok_or_else(|| UsageError::new("nothing was run"))
}

fn play(session: &Session, rules: &RuleSet, listener: Option<&mut LiveSession>) -> Run {
    let detector = Box::new(Inspector::new(rules.clone()));
    drive::run_blocking_until(session, detector, &mut Both(&mut (), listener), Stopped.stop())
}

/// Who wrote what is no message, if both ways of launching were judged to an end.
fn writer([launched, alone]: &[Run; 2]) -> Option<Hint> {
    match (&launched.verdict.outcome, &alone.verdict.outcome) {
        (Outcome::Violation(_), Outcome::ValidStdout) => Some(Hint::Launcher),
        (Outcome::Violation(launched), Outcome::Violation(alone))
            if launched.rule == alone.rule
                && launched.frame_bytes.as_ref().map(|frame| &frame.prefix)
                    == alone.frame_bytes.as_ref().map(|frame| &frame.prefix) =>
        {
            Some(Hint::Server)
        }
        _ => None,
    }
}

/// A violation is worse than what proved nothing, and that than what was valid.
fn worse([one, other]: [Status; 2]) -> Status {
    let rank = |status| match status {
        Status::Violation => 3,
        Status::NotLaunched => 2,
        Status::Valid => 0,
        _ => 1,
    };
    if rank(other) > rank(one) { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worse_of_two_is_the_status() {
        assert_eq!(worse([Status::Valid, Status::Violation]), Status::Violation);
        assert_eq!(worse([Status::Violation, Status::NotLaunched]), Status::Violation);
        assert_eq!(worse([Status::Inconclusive, Status::Valid]), Status::Inconclusive);
        assert_eq!(worse([Status::NotLaunched, Status::Inconclusive]), Status::NotLaunched);
    }

    #[test]
    fn a_command_is_split_into_words_and_must_be_one() {
        assert_eq!(words("--x", "node 'a b.js' -x").unwrap(), ["node", "a b.js", "-x"]);
        for none in ["", "  ", "'unclosed", "''"] {
            assert!(words("--x", none).is_err(), "{none}");
        }
    }
}
