//! `self-test`: every recording that a process can play is judged live, as a person says it must
//! be. It needs nothing but the installed command.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use corpus::{Case, Expectation, Family, compare, embedded, expectation_for};
use drive::LaunchSpec;
use inspect::{Detector, Inspector};
use model::{ProtocolVersion, ReapState};

use super::super::run::{Isolation, containment, own_executable};
use super::super::stop::{self, Stopped};
use super::super::{Status, UsageError, output};
use crate::layer4;
use crate::play::performance;
use crate::rehearse::rehearse_until;

/// Cases played at the same time: most of their time is waiting.
const AT_ONCE: usize = 8;

pub(crate) fn self_test() -> Result<Status, UsageError> {
    stop::listen();
    let program = own_executable()?;
    let version = ProtocolVersion::NEWEST_WITH_HANDSHAKE;
    let cases: Vec<Case> = embedded().into_iter().filter(|case| is_live(case, version)).collect();
    let stopped = Stopped;
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while stopped.by().is_none()
                    && let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let launch = LaunchSpec::new(&program).args(["play", &case.file.id]);
                    let differences = judge(case, launch, version, stopped);
                    let mut wrong = wrong.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    wrong.extend(differences);
                }
            });
        }
    });
    if let Some(signal) = stopped.by() {
        return Ok(Status::Signal(signal));
    }
    let wrong = wrong.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    for difference in &wrong {
        output::say(&format!("self-test: {}", UsageError::new(difference)));
    }
    let negative = cases.iter().filter(|case| is_negative(case, version)).count();
    let clean = cases.len() - negative;
    output::print(&format!(
        "self-test: {negative} negative controls and {clean} clean ones played, {} misjudged\n",
        wrong.len()
    ))?;
    let tested = negative > 0 && clean > 0;
    Ok(if tested && wrong.is_empty() { Status::Valid } else { Status::Internal })
}

/// Recordings are live sessions by their making. Other scripts may tell of a client that does
/// something else than ours.
fn is_live(case: &Case, version: ProtocolVersion) -> bool {
    case.family == Some(Family::Recordings)
        && performance(case).is_ok()
        && expectation_for(&case.file, version).is_some_and(is_judged)
}

/// Whether this build judges by every rule that a person says must be found.
fn is_judged(expected: &Expectation) -> bool {
    let violated = match expected {
        Expectation::Violation(violation) => Some(&violation.rule),
        Expectation::Clean(_) | Expectation::Stuck(_) => None,
    };
    let advised = expected.advice().iter().map(|advice| &advice.rule);
    violated.into_iter().chain(advised).all(|rule| rule.parse().is_ok_and(layer4::judges))
}

fn is_negative(case: &Case, version: ProtocolVersion) -> bool {
    matches!(expectation_for(&case.file, version), Some(Expectation::Violation(_)))
}

fn judge(
    case: &Case,
    launch: LaunchSpec,
    version: ProtocolVersion,
    stopped: Stopped,
) -> Vec<String> {
    let id = &case.file.id;
    let containment = containment(Isolation::Usual);
    let detector = |rules| -> Box<dyn Detector> { Box::new(Inspector::new(rules)) };
    let run = match rehearse_until(case, launch, containment, detector, stopped.stop()) {
        Ok(run) => run,
        Err(error) => return vec![format!("{id}: {error}")],
    };
    let expected = expectation_for(&case.file, version).into_iter();
    let mut differences: Vec<String> =
        expected.flat_map(|expected| compare(expected, &run.verdict)).collect();
    if run.telemetry.cleanup.child_reaped != ReapState::Reaped {
        differences.push("the server was not reaped".to_owned());
    }
    differences.into_iter().map(|difference| format!("{id}: {difference}")).collect()
}
