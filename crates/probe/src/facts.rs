//! From what the process layer knows of a run to what the report takes.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use drive::{Cwd, EnvPolicy, LaunchSpec, Run, Telemetry};
use model::{ExitStatus, Outcome};
use report::{
    Command, DeadlineFact, EnvironmentVariable, Expiry, Mode, Place, PlaceKind, RunFacts, Secret,
    SoftwareFact, StderrFacts, StdoutWindow, Timeline, VariableSource,
};

/// The facts of a live run.
pub(crate) fn of_run(launch: &LaunchSpec, run: &Run, reproduce: Vec<OsString>) -> RunFacts {
    let telemetry = &run.telemetry;
    let mut facts = RunFacts::new(Mode::Run(command(launch, telemetry)));
    facts.stderr = StderrFacts {
        bytes: telemetry.stderr.bytes,
        lines: telemetry.stderr.lines,
        head: telemetry.stderr.head.clone(),
        tail: telemetry.stderr.tail.clone(),
        dropped: telemetry.stderr.dropped,
    };
    facts.deadlines = telemetry
        .deadlines
        .iter()
        .map(|deadline| DeadlineFact {
            name: deadline.name,
            budget: deadline.budget,
            elapsed: deadline.elapsed,
            expiry: match deadline.expiry {
                drive::Expiry::Expired => Expiry::Expired,
                drive::Expiry::NotExpired => Expiry::InTime,
            },
        })
        .collect();
    facts.timeout_phase = telemetry.timeout_phase;
    facts.exit_status = telemetry.exit_status;
    facts.cleanup = telemetry.launch_error.is_none().then(|| telemetry.cleanup.clone());
    facts.launch_failure = telemetry.launch_error.as_ref().map(ToString::to_string);
    facts.reproduce = reproduce;
    facts.secrets = secrets(launch);
    facts.places = places(telemetry.directory.as_deref());
    facts.window = window(run);
    facts.software = software(launch, telemetry);
    facts.timeline = Timeline::new(run.transcript.events());
    facts
}

/// The package that the launched command belongs to.
fn software(launch: &LaunchSpec, telemetry: &Telemetry) -> Option<SoftwareFact> {
    let (program, directory) = (telemetry.executable.as_ref()?, telemetry.directory.as_ref()?);
    let found = packages::nearest(program, &launch.args, directory)?;
    Some(SoftwareFact {
        ecosystem: found.ecosystem.name(),
        name: found.name,
        version: found.version,
        manifest: found.manifest,
    })
}

/// The paths and names of this machine, which no reader of a report needs.
pub(crate) fn places(directory: Option<&Path>) -> Vec<Place> {
    let path = |path: &Path, shown| Place {
        kind: PlaceKind::Path,
        text: path.as_os_str().as_bytes().to_vec(),
        shown,
    };
    let name = |text: Vec<u8>, shown| Place { kind: PlaceKind::Name, text, shown };
    let variable = |name: &str| std::env::var_os(name).map(OsString::into_vec);
    let mut places = Vec::new();
    places.extend(directory.map(|directory| path(directory, ".")));
    places.extend(std::env::home_dir().map(|home| path(&home, "~")));
    places.push(path(&std::env::temp_dir(), "$TMPDIR"));
    places
        .extend(variable("USER").or_else(|| variable("LOGNAME")).map(|user| name(user, "<user>")));
    let host = rustix::system::uname().nodename().to_bytes().to_vec();
    places.push(name(host, "<host>"));
    places
}

/// How many bytes of stdout are shown to the report before the byte of the fault and after it.
const WINDOW_BYTES: u64 = 8 * 1024;

/// The bytes round a violation that lies deep in a long frame, if they were kept.
fn window(run: &Run) -> Option<StdoutWindow> {
    let Outcome::Violation(finding) = &run.verdict.outcome else {
        return None;
    };
    let kept = run.transcript.stdout().bytes();
    let at = finding.position.stream().0;
    let start = usize::try_from(at.saturating_sub(WINDOW_BYTES)).ok()?;
    let end = usize::try_from(at + WINDOW_BYTES).ok()?.min(kept.len());
    let bytes = kept.get(start..end)?.to_vec();
    Some(StdoutWindow { start: start as u64, bytes })
}

/// What is known before the launch: the command, what is secret, and the names of this machine.
pub(crate) fn before_run(launch: &LaunchSpec) -> RunFacts {
    let argv = std::iter::once(&launch.program).chain(&launch.args).cloned().collect();
    let mut facts = RunFacts::new(Mode::Run(Command { argv, ..Command::default() }));
    facts.secrets = secrets(launch);
    let directory = match &launch.cwd {
        Cwd::Current => std::env::current_dir().ok(),
        Cwd::Dir(directory) => std::path::absolute(directory).ok(),
    };
    facts.places = places(directory.as_deref());
    facts
}

/// The facts of a session that was only listened to.
pub(crate) fn of_tap(launch: &LaunchSpec, exit_status: Option<ExitStatus>) -> RunFacts {
    let argv = std::iter::once(&launch.program).chain(&launch.args).cloned().collect();
    let mut facts = RunFacts::new(Mode::Run(Command { argv, ..Command::default() }));
    facts.exit_status = exit_status;
    facts.secrets = secrets(launch);
    facts.places = places(None);
    facts
}

fn command(launch: &LaunchSpec, telemetry: &Telemetry) -> Command {
    let mut argv = vec![launch.program.clone()];
    argv.extend(launch.args.iter().cloned());
    let environment = telemetry.environment.iter().map(|variable| EnvironmentVariable {
        name: variable.name.clone(),
        source: match variable.origin {
            drive::Origin::Set => VariableSource::Set,
            drive::Origin::Inherited => VariableSource::Inherited,
        },
    });
    Command {
        argv,
        executable: telemetry.executable.clone(),
        cwd: telemetry.directory.clone(),
        environment: environment.collect(),
    }
}

/// Values that the user set for the server are no report's business, and neither are those of
/// our own environment that it inherits and whose names say that they are secret.
fn secrets(launch: &LaunchSpec) -> Vec<Secret> {
    let secret = |(name, value): (&OsString, &OsString)| Secret {
        name: name.to_string_lossy().into_owned(),
        value: value.as_bytes().to_vec(),
    };
    let mut secrets: Vec<Secret> =
        launch.set.iter().map(|(name, value)| secret((name, value))).collect();
    if launch.env == EnvPolicy::Inherit {
        let inherited = std::env::vars_os();
        let named = inherited.filter(|(name, _)| report::names_a_secret(name.as_bytes()));
        secrets.extend(named.map(|(name, value)| secret((&name, &value))));
    }
    secrets
}
