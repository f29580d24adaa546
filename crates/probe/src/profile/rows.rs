//! Which sessions the full profile has, as data.

use std::ffi::OsString;

use drive::{Era, MoreCalls, Plan, Scenario};
use inspect::{RuleSet, Setting};
use model::{ProtocolVersion, RuleId};

/// A session of the full profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) name: String,
    /// The built-in scenario. None for that of the plain session.
    pub(crate) scenario: Option<&'static str>,
    /// What is changed.
    pub(crate) change: Change,
    pub(crate) tolerance: Tolerance,
}

/// What a session changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Nothing,
    /// Variables of the server's environment.
    Environment(Vec<(OsString, OsString)>),
    /// HOME is an empty directory.
    FreshHome,
    /// HOME is that of the session before.
    SameHome,
    /// The working directory is an empty one.
    ForeignDirectory,
    /// It holds an `.env` file.
    DirectoryWithEnvFile,
    /// Another revision.
    Protocol(ProtocolVersion),
}

/// What a server may do without being at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tolerance {
    /// No more than in the plain session.
    Strict,
    /// End or stay silent, for something that it may need was changed. What it writes is judged.
    MayFail,
}

impl Tolerance {
    pub(crate) fn apply(self, rules: &mut RuleSet) {
        const FAILURES: [RuleId; 5] = [
            RuleId::ExitBeforeFrame,
            RuleId::ExitBeforeResponse,
            RuleId::ExitWhileIdle,
            RuleId::NoResponse,
            RuleId::StdoutClosed,
        ];
        if self == Self::MayFail {
            FAILURES.iter().for_each(|rule| rules.set(*rule, Setting::Allow));
        }
    }
}

/// What the user asks of the full profile.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes {
    /// Variables, by the names of their sessions.
    pub(crate) variations: Vec<(String, Vec<(OsString, OsString)>)>,
    /// Whether a line that is no message is sent.
    pub(crate) malformed: Malformed,
}

/// Whether a line that is no message is sent: SDKs differ in what they make of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Malformed {
    #[default]
    NotSent,
    Sent,
}

/// How often a burst is followed by the end of stdin: one loss is enough.
const BURSTS: usize = 3;

/// Scenarios that begin with a handshake, need no tool, and change nothing else. The longest come
/// first, so that no core waits for one of them at the end.
const SCENARIOS: &[&str] =
    &["quiet", "close-stdout", "close-after-idle", "odd-messages", "ping-first", "close-at-spawn"];

/// Those that call a tool.
const CALLING: &[&str] = &["slow-reader", "parallel-calls", "cancel", "close-after-call"];

const ENVIRONMENTS: &[(&str, &[(&str, &str)])] = &[
    ("python-unbuffered", &[("PYTHONUNBUFFERED", "1")]),
    ("env-development", &[("NODE_ENV", "development"), ("APP_ENV", "development")]),
    ("env-production", &[("NODE_ENV", "production"), ("APP_ENV", "production")]),
    ("force-color", &[("FORCE_COLOR", "1"), ("CLICOLOR_FORCE", "1")]),
    ("debug-all", &[("DEBUG", "*")]),
    ("locale-c", &[("LC_ALL", "C"), ("LANG", "C")]),
];

/// The sessions beside the plain one, in the order in which they are begun.
pub(crate) fn rows(plain: &Plan, wishes: &Wishes) -> Vec<Row> {
    let calls = !plain.calls.is_empty() || plain.more_calls == MoreCalls::Safe;
    let row = |name: &str| Row {
        name: name.to_owned(),
        scenario: None,
        change: Change::Nothing,
        tolerance: Tolerance::Strict,
    };
    let playing = |name: &'static str| Row { scenario: Some(name), ..row(name) };
    let mut rows: Vec<Row> = SCENARIOS.iter().map(|name| playing(name)).collect();
    if calls {
        rows.extend(CALLING.iter().map(|name| playing(name)));
    }
    if wishes.malformed == Malformed::Sent {
        rows.push(playing("malformed-line"));
    }
    rows.extend((1..=BURSTS).map(|turn| Row {
        scenario: Some("close-after-burst"),
        ..row(&format!("close-after-burst-{turn}"))
    }));
    let others = ProtocolVersion::ALL.into_iter().filter(|version| *version != plain.protocol);
    rows.extend(others.map(|version| Row {
        change: Change::Protocol(version),
        scenario: match Era::of(version) {
            Era::Handshake => Some("session"),
            Era::Stateless => Some("stateless-session"),
        },
        // A server of the other era may be silent: MCP 2026-07-28, stdio, detection of servers.
        tolerance: if Era::of(version) == Era::of(plain.protocol) {
            Tolerance::Strict
        } else {
            Tolerance::MayFail
        },
        ..row(&format!("protocol-{version}"))
    }));
    let changed = |name: &str, change| Row { change, tolerance: Tolerance::MayFail, ..row(name) };
    rows.push(changed("home-fresh", Change::FreshHome));
    rows.push(changed("home-again", Change::SameHome));
    let environments = ENVIRONMENTS.iter().map(|(name, variables)| {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into()));
        changed(name, Change::Environment(variables.collect()))
    });
    rows.extend(environments);
    rows.push(changed("directory-foreign", Change::ForeignDirectory));
    rows.push(changed("directory-with-env-file", Change::DirectoryWithEnvFile));
    rows.extend(wishes.variations.iter().map(|(name, variables)| Row {
        change: Change::Environment(variables.clone()),
        ..row(name)
    }));
    let era = Era::of(plain.protocol);
    rows.retain(|row| fits(row, era));
    rows
}

/// Whether a row can be played by a server of this era.
fn fits(row: &Row, era: Era) -> bool {
    let scenario = row.scenario.and_then(Scenario::built_in);
    let other = scenario.and_then(|scenario| scenario.era()).is_some_and(|of| of != era);
    !other || matches!(row.change, Change::Protocol(_))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn names(rows: &[Row]) -> Vec<&str> {
        rows.iter().map(|row| row.name.as_str()).collect()
    }

    #[test]
    fn every_row_has_a_name_of_its_own_and_a_scenario_that_there_is() {
        let plan = Plan { more_calls: MoreCalls::Safe, ..Plan::default() };
        let wishes = Wishes { malformed: Malformed::Sent, ..Wishes::default() };
        let rows = rows(&plan, &wishes);
        assert_eq!(names(&rows).iter().collect::<BTreeSet<_>>().len(), rows.len());
        for row in &rows {
            if let Some(name) = row.scenario {
                assert!(Scenario::built_in(name).is_some(), "{name}");
            }
        }
        let played: BTreeSet<_> = rows.iter().filter_map(|row| row.scenario).collect();
        // Which era a server is of is asked before any session.
        let all: BTreeSet<_> =
            Scenario::built_in_names().filter(|name| *name != "discover").collect();
        assert_eq!(played, all, "every built-in scenario is part of the profile");
    }

    #[test]
    fn without_a_tool_to_call_no_session_calls_one() {
        let rows = rows(&Plan::default(), &Wishes::default());
        assert!(CALLING.iter().all(|name| !names(&rows).contains(name)));
        assert!(!names(&rows).contains(&"malformed-line"));
    }

    #[test]
    fn without_a_handshake_no_session_begins_with_one() {
        let rows = rows(&Plan::ordinary(ProtocolVersion::V2026_07_28), &Wishes::default());
        assert!(names(&rows).contains(&"close-at-spawn"));
        assert!(names(&rows).contains(&"protocol-2025-11-25"));
        assert!(!names(&rows).contains(&"quiet"));
    }

    #[test]
    fn only_what_a_server_may_need_excuses_its_silence() {
        let rows = rows(&Plan::default(), &Wishes::default());
        let excused: Vec<_> = rows
            .iter()
            .filter(|row| row.tolerance == Tolerance::MayFail && row.change == Change::Nothing)
            .collect();
        assert!(excused.is_empty(), "{excused:?}");
    }
}
