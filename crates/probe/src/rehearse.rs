//! Running live what a case of the corpus records.

use std::error::Error;
use std::fmt;
use std::future::{Future, pending};
use std::io;
use std::time::Duration;

use corpus::{Case, Home, ScriptStep};
use drive::{
    ArgumentsError, Budgets, ContainmentSpec, Era, LaunchSpec, Plan, Run, Scenario, Session, Stop,
    ToolCall, TotalBudget,
};
use inspect::{Detector, Inspector, RuleSet};
use model::{DeadlineName, ProtocolVersion};
use tempfile::TempDir;

use crate::layer4;

/// For a deadline that the case says will pass.
const SHORT: Duration = Duration::from_millis(400);
/// For a deadline that runs from the launch: the server must have come to its mistake.
const FROM_LAUNCH: Duration = Duration::from_secs(3);
/// For the end of stdin, where it is looked at what the server uses: on a busy machine a loop gets
/// its share of a processor only in the long run.
const LOOKED_AT: Duration = Duration::from_secs(3);
/// For every other: reaching one is a failure, so there is no hurry.
const GENEROUS: Duration = Duration::from_secs(30);

/// Why a case cannot be run live.
#[derive(Debug)]
pub enum RehearsalError {
    /// A call of the case is not `TOOL=JSON`.
    Arguments(ArgumentsError),
    /// No scenario has this name.
    UnknownScenario(String),
    /// The home directory that the case asks for cannot be made.
    Home(io::Error),
}

impl fmt::Display for RehearsalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arguments(error) => error.fmt(f),
            Self::UnknownScenario(name) => write!(f, "no scenario has the name `{name}`"),
            Self::Home(error) => write!(f, "no home directory can be made: {error}"),
        }
    }
}

impl Error for RehearsalError {}

/// Runs a server as the case's script says: its scenario, its calls, its limits, and short
/// deadlines where, and only where, the case says that one passes.
///
/// # Errors
///
/// A call of the case that is not `TOOL=JSON`, a scenario that is none, or a home directory that
/// cannot be made.
pub fn rehearse(case: &Case, launch: LaunchSpec) -> Result<Run, RehearsalError> {
    rehearse_with(case, launch, |rules| Box::new(Inspector::new(rules)))
}

/// The same with a detector of one's own, made for the case's rules.
///
/// # Errors
///
/// A call of the case that is not `TOOL=JSON`, a scenario that is none, or a home directory that
/// cannot be made.
pub fn rehearse_with(
    case: &Case,
    launch: LaunchSpec,
    detector: impl FnOnce(RuleSet) -> Box<dyn Detector>,
) -> Result<Run, RehearsalError> {
    let stop = Stop { gently: pending(), at_once: pending() };
    rehearse_until(case, launch, ContainmentSpec::Group, detector, stop)
}

/// The same, held together in this way, for somebody who may stop it.
pub(crate) fn rehearse_until(
    case: &Case,
    mut launch: LaunchSpec,
    containment: ContainmentSpec,
    detector: impl FnOnce(RuleSet) -> Box<dyn Detector>,
    stop: Stop<impl Future<Output = ()>, impl Future<Output = ()>>,
) -> Result<Run, RehearsalError> {
    let plan = plan(case)?;
    if let Some(canary) = &case.file.run.canary {
        launch.set.push((CANARY.into(), canary.into()));
    }
    launch.set.extend(case.file.run.env.iter().map(|(name, value)| (name.into(), value.into())));
    let home = case.file.run.home.map(|home| TempDir::new().map(|directory| (home, directory)));
    let home = home.transpose().map_err(RehearsalError::Home)?;
    if let Some((_, directory)) = &home {
        launch.set.push(("HOME".into(), directory.path().into()));
    }
    let session = Session { containment, plan, budgets: budgets(case), ..Session::new(launch) };
    let mut rules = layer4::rules();
    rules.canary = case.file.run.canary.as_ref().map(|text| text.as_bytes().into());
    if let Some(max) = case.file.run.max_frame_bytes {
        rules.max_frame_bytes = max;
    }
    if let Some((Home::Again, _)) = home {
        let first = Box::new(Inspector::new(rules.clone()));
        drive::run_blocking(&session, first, &mut (), pending());
    }
    Ok(drive::run_blocking_until(&session, detector(rules), &mut (), stop))
}

/// The variable that gives a server the text that it is to log.
pub const CANARY: &str = "CANARY";

/// What the client side does in a case.
fn plan(case: &Case) -> Result<Plan, RehearsalError> {
    let mut plan = Plan::default();
    if let Some(name) = &case.file.run.scenario {
        plan.scenario = Scenario::built_in(name)
            .ok_or_else(|| RehearsalError::UnknownScenario(name.clone()))?;
        if plan.scenario.era() == Some(Era::Stateless) {
            plan.protocol = ProtocolVersion::V2026_07_28;
        }
    }
    for call in &case.file.run.calls {
        let (tool, arguments) = call.split_once('=').unwrap_or((call, ""));
        let call = ToolCall::new(tool, arguments).map_err(RehearsalError::Arguments)?;
        plan.calls.push(call);
    }
    Ok(plan)
}

fn budgets(case: &Case) -> Budgets {
    let script = || case.file.script.iter().flatten();
    let passes = |name: DeadlineName| {
        script().any(|step| *step == ScriptStep::Deadline(name.name().to_owned()))
    };
    let budget = |passes| if passes { SHORT } else { GENEROUS };
    Budgets {
        startup: if passes(DeadlineName::Startup) { FROM_LAUNCH } else { GENEROUS },
        total: match passes(DeadlineName::Total) {
            true => TotalBudget::Exactly(FROM_LAUNCH),
            false => TotalBudget::Fitted,
        },
        reply: budget(passes(DeadlineName::Reply)),
        exit_grace: budget(passes(DeadlineName::ExitGrace)),
        shutdown: match script().any(|step| matches!(step, ScriptStep::Usage(_))) {
            true => LOOKED_AT,
            false => budget(passes(DeadlineName::ShutdownEof)),
        },
        leak_window: budget(
            script().any(|step| matches!(step, ScriptStep::AfterExit | ScriptStep::Strays(1..))),
        ),
    }
}
