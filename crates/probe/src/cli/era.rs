//! `--protocol auto`: which era a server is of, found out in a process of its own.
//!
//! A server that answers `server/discover` by a result is of the era without a handshake. Any other
//! answer, and silence for as long as a reply may take, means a handshake: MCP 2026-07-28, stdio,
//! detection of servers of earlier revisions.

use drive::{Plan, Scenario, Session};
use inspect::{Inspector, RuleSet};
use model::{Outcome, ProtocolVersion};

use super::args::Asked;
use super::stop::Stopped;

/// The scenario that asks for the era and nothing else.
const DISCOVER: &str = "discover";

/// Lets a session be one of the server's era, where that was asked for. A scenario that the user chose keeps its own.
pub(super) fn adopt(asked: Option<Asked>, session: &mut Session) {
    if asked != Some(Asked::Auto) {
        return;
    }
    let ordinary = Plan::ordinary(session.plan.protocol).scenario;
    if session.plan.scenario != ordinary {
        return;
    }
    let revision = ProtocolVersion::V2026_07_28;
    if answers_discover(session, revision) {
        session.plan.protocol = revision;
        session.plan.scenario = Scenario::ordinary(revision);
    }
}

fn answers_discover(session: &Session, revision: ProtocolVersion) -> bool {
    let Some(scenario) = Scenario::built_in(DISCOVER) else { return false };
    let mut asking = session.clone();
    asking.plan = Plan { scenario, ..Plan::ordinary(revision) };
    asking.budgets.startup = asking.budgets.startup.min(asking.budgets.reply);
    let detector = Box::new(Inspector::new(RuleSet::default()));
    let run = drive::run_blocking_until(&asking, detector, &mut (), Stopped.stop());
    run.verdict.outcome == Outcome::ValidStdout
}
