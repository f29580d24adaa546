//! `--version-cmd`: a command that is run once and asked for a version, in a process of its own.

use std::time::Duration;

use drive::{Budgets, Caps, Cwd, LaunchSpec, Plan, Scenario, Session};
use inspect::{Detector, State, Step};
use model::{Cut, Event, Inconclusive, Outcome, Verdict};
use report::{Edge, VersionFact};

use super::args::RunArguments;
use super::stop::Stopped;
use super::{UsageError, compare, run};

/// How long the command may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How much of what it prints is read.
const BYTES: usize = 4 * 1024;

/// The client says nothing, and closes stdin at once.
const SCENARIO: &str = r#"{ "scenario": 1, "title": "a version", "steps": ["close-stdin-now"] }"#;

/// What the command says that the user asks for a version, if there is one.
pub(super) fn ask(arguments: &RunArguments, cwd: &Cwd) -> Result<Option<VersionFact>, UsageError> {
    let Some(command) = &arguments.version_cmd else { return Ok(None) };
    let command = compare::words("--version-cmd", command)?;
    let (program, args) = command.split_first().expect("a command has words");
    let launch = LaunchSpec {
        program: program.clone(),
        args: args.to_vec(),
        env: run::policy(arguments),
        set: run::variables(arguments)?,
        unset: Vec::new(),
        cwd: cwd.clone(),
    };
    let scenario = Scenario::parse("--version-cmd", SCENARIO)
        .map_err(|error| UsageError::new(error.to_string()))?;
    let session = Session {
        containment: run::containment(run::Isolation::Usual),
        plan: Plan { scenario, ..Plan::default() },
        budgets: Budgets { shutdown: PATIENCE, ..Budgets::default() },
        caps: Caps {
            stdout_total: BYTES as u64,
            stderr_head: BYTES,
            stderr_tail: 0,
            ..Caps::default()
        },
        ..Session::new(launch)
    };
    let run = drive::run_blocking_until(&session, Box::new(Listener), &mut (), Stopped.stop());
    let by_itself = run.telemetry.cleanup.signals.is_empty();
    let stdout = run.transcript.stdout().bytes();
    let stderr = &run.telemetry.stderr;
    let (output, whole) = match stdout.is_empty() {
        true => (stderr.head.clone(), stderr.dropped == 0),
        false => (stdout.to_vec(), stdout.len() < BYTES),
    };
    Ok(Some(VersionFact {
        command,
        exit_status: run.telemetry.exit_status.filter(|_| by_itself),
        output,
        cut: if by_itself && whole { Edge::Whole } else { Edge::Cut },
    }))
}

/// A detector that judges nothing: what is printed is no server's.
struct Listener;

impl Detector for Listener {
    fn push(&mut self, _: &Event<'_>) -> Step {
        Step { accepted: Vec::new(), state: State::Go }
    }

    fn finish(self: Box<Self>) -> Verdict {
        Verdict {
            outcome: Outcome::Inconclusive(Inconclusive::NothingToJudge),
            advice: Vec::new(),
            accepted: 0,
            frames: 0,
            stdout_bytes: 0,
            layers_reached: Vec::new(),
            protocol: None,
            not_checked: Vec::new(),
            cut_by_us: Cut::Not,
        }
    }
}
