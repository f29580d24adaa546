//! `self-test -- COMMAND`: the user's own server, run once untouched, and once with every operator
//! in between. Each corruption must be found where the operator says.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;
use std::time::Duration;

use drive::{Budgets, LaunchSpec, Run, Session, Telemetry};
use inspect::Inspector;
use model::{DeadlineName, ReapState};
use mutate::{Aim, Operator, Patience, View};
use tempfile::TempDir;

use super::super::args::SelfTestArguments;
use super::super::corrupt::{launch_spec, record, recording, rules};
use super::super::run::{Isolation, containment, own_executable, variable};
use super::super::{Status, UsageError, output};
use crate::promised::Promised;

/// The shortest deadline for something that is meant not to come.
const SHORT: Duration = Duration::from_millis(500);
/// Servers that run beside one another slow one another down.
const SLOWER: u32 = 8;

pub(crate) fn self_test(arguments: &SelfTestArguments) -> Result<Status, UsageError> {
    let mut launch = launch_spec(&arguments.server)?;
    launch.set = arguments.env.iter().map(|text| variable(text)).collect::<Result<Vec<_>, _>>()?;
    let (directory, untouched) = record(launch.clone())?;
    let (recorded, _) = recording(directory.path())?;
    let view = View::of(&recorded);
    let operators: Vec<&Operator> = Operator::all().collect();
    let (aims, idle): (Vec<_>, Vec<_>) = operators
        .iter()
        .map(|operator| (operator, Aim::new(operator, &view)))
        .partition(|(_, aim)| aim.is_some());
    let aims: Vec<Aim> = aims.into_iter().filter_map(|(_, aim)| aim).collect();
    let trial = Trial {
        program: own_executable()?.into(),
        launch,
        recording: directory.path(),
        promises: TempDir::new().map_err(|error| {
            UsageError::new(format!("cannot make a temporary directory: {error}"))
        })?,
        slowest: Slowest::of(&untouched.telemetry),
    };
    let wrong = trial.all(&aims);
    for difference in &wrong {
        output::say(&format!("self-test: {}", UsageError::new(difference)));
    }
    let mut text = format!(
        "self-test: the untouched session is clean; {} corruptions of it, {} not caught\n",
        aims.len(),
        wrong.len()
    );
    if !idle.is_empty() {
        let names: Vec<&str> = idle.iter().map(|(operator, _)| operator.name).collect();
        text.push_str(&format!(
            "self-test: {} operators do not apply to what this server writes: {}\n",
            names.len(),
            names.join(", ")
        ));
    }
    output::print(&text)?;
    let caught = !aims.is_empty() && wrong.is_empty();
    Ok(if caught { Status::Valid } else { Status::Internal })
}

/// The longest that the untouched server took.
#[derive(Clone, Copy)]
struct Slowest {
    reply: Duration,
    exit: Duration,
}

impl Slowest {
    fn of(telemetry: &Telemetry) -> Self {
        let longest = |names: &[DeadlineName]| {
            let deadlines = telemetry.deadlines.iter();
            let elapsed = deadlines.filter(|deadline| names.contains(&deadline.name));
            elapsed.map(|deadline| deadline.elapsed).max().unwrap_or_default()
        };
        Self { reply: longest(&[DeadlineName::Reply]), exit: longest(&[DeadlineName::ShutdownEof]) }
    }
}

/// What every corrupted run needs.
struct Trial<'a> {
    program: OsString,
    launch: LaunchSpec,
    recording: &'a Path,
    promises: TempDir,
    slowest: Slowest,
}

impl Trial<'_> {
    /// Runs the server once for each aim; what was not caught as promised.
    fn all(&self, aims: &[Aim]) -> Vec<String> {
        let next = AtomicUsize::new(0);
        let wrong = Mutex::new(Vec::new());
        let at_once = available_parallelism().map_or(1, NonZero::get);
        std::thread::scope(|scope| {
            for _ in 0..at_once {
                scope.spawn(|| {
                    while let Some(aim) = aims.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let differences = self.one(aim);
                        let mut wrong = wrong.lock().unwrap_or_else(|gone| gone.into_inner());
                        wrong.extend(
                            differences
                                .into_iter()
                                .map(|difference| format!("{}: {difference}", aim.operator().name)),
                        );
                    }
                });
            }
        });
        wrong.into_inner().unwrap_or_else(|gone| gone.into_inner())
    }

    fn one(&self, aim: &Aim) -> Vec<String> {
        let promise = self.promises.path().join(aim.operator().name);
        let run = self.run(aim, &promise);
        let mut differences = match Promised::read(&promise) {
            Ok(Some(promised)) => promised.differences(&run.verdict),
            Ok(None) => vec!["the server wrote nothing to which it applies this time".to_owned()],
            Err(error) => vec![format!("the promise cannot be read: {error}")],
        };
        if run.telemetry.cleanup.child_reaped != ReapState::Reaped {
            differences.push("the server was not reaped".to_owned());
        }
        differences
    }

    fn run(&self, aim: &Aim, promise: &Path) -> Run {
        let mut launch = LaunchSpec { program: self.program.clone(), ..self.launch.clone() };
        let options: [OsString; 7] = [
            "play".into(),
            "--mutate".into(),
            aim.operator().name.into(),
            "--recording".into(),
            self.recording.into(),
            "--promise".into(),
            promise.into(),
        ];
        let server = std::iter::once(self.launch.program.clone()).chain(self.launch.args.clone());
        launch.args = options.into_iter().chain(["--".into()]).chain(server).collect();
        let budgets = self.budgets(aim.patience());
        let containment = containment(Isolation::Usual);
        let session = Session { containment, budgets, ..Session::new(launch) };
        let detector = Box::new(Inspector::new(rules()));
        drive::run_blocking(&session, detector, &mut (), std::future::pending())
    }

    /// Deadlines that pass are short, and the others generous: reaching one is a failure.
    fn budgets(&self, patience: Patience) -> Budgets {
        let usual = Budgets::default();
        let reply = match patience {
            Patience::None | Patience::Startup => usual.startup,
            Patience::Deadline => SHORT.max(self.slowest.reply * SLOWER),
        };
        let shutdown = usual.shutdown.max(self.slowest.exit * SLOWER);
        Budgets { reply, shutdown, exit_grace: SHORT, leak_window: SHORT, ..usual }
    }
}
