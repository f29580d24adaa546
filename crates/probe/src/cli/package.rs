//! `run --package`: a package, as users install it, launched from an empty directory: once cold,
//! once warm.

use std::ffi::OsString;

use drive::{Cwd, LaunchSpec};
use packages::{Ecosystem, InstallError, Installed, Source, Spec};
use report::{PackageFact, Rows};
use tempfile::TempDir;

use super::args::RunArguments;
use super::servers::{Jobs, Server};
use super::stop::Stopped;
use super::{Status, UsageError, output, run, servers};

/// How the package is launched: each is a row of the report. What a first launch writes is not
/// always what a second one writes, nor what a launcher adds to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Row {
    Cold,
    Warm,
    Launcher,
}

impl Row {
    fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Warm => "warm",
            Self::Launcher => "launcher",
        }
    }
}

pub(crate) fn run(arguments: &RunArguments) -> Result<Status, UsageError> {
    let targets = output::targets(&arguments.output)?;
    let text = arguments.source.package.as_deref().unwrap_or_default();
    let spec = Spec::parse(text).map_err(|error| UsageError::new(error.to_string()))?;
    if arguments.source.launcher {
        // Refused before anything is installed.
        can_be_launched(&spec)?;
    }
    output::say(&format!("installing {}", UsageError::new(spec.to_string())));
    let stopped = Stopped;
    let installed = packages::install(
        &spec,
        arguments.source.bin.as_deref(),
        arguments.source.install_timeout,
        stopped.stop().gently,
    );
    let installed = match installed {
        Ok(installed) => installed,
        Err(InstallError::Stopped) => {
            return Ok(stopped.by().map_or(Status::Inconclusive, Status::Signal));
        }
        Err(error) if error.is_usage() => return Err(UsageError::new(error.to_string())),
        Err(error) => {
            output::say(&format!("error: {}", UsageError::new(error.to_string())));
            return Ok(Status::NotLaunched);
        }
    };
    let fact = fact(&installed);
    output::say(&format!(
        "installed {} {}, {}",
        UsageError::new(&fact.name),
        UsageError::new(&fact.version),
        UsageError::new(&fact.runtime)
    ));
    // A recording is one session: the cold one.
    let rows = match (arguments.record.is_some(), arguments.source.launcher) {
        (true, _) => &[Row::Cold][..],
        (false, false) => &[Row::Cold, Row::Warm],
        (false, true) => &[Row::Cold, Row::Warm, Row::Launcher],
    };
    let servers = rows
        .iter()
        .map(|row| server(arguments, &spec, &installed, &fact, *row))
        .collect::<Result<Vec<_>, _>>()?;
    servers::run(arguments, &targets, &servers, Rows::Sessions, &Jobs::InOrder)
}

fn fact(installed: &Installed) -> PackageFact {
    PackageFact {
        ecosystem: installed.ecosystem.name(),
        name: installed.package.name.clone(),
        version: installed.package.version.clone(),
        integrity: installed.integrity.clone(),
        runtime: installed.runtime.clone(),
        entry: installed.bin.clone(),
        sdks: installed.sdks.iter().map(|sdk| (sdk.name.clone(), sdk.version.clone())).collect(),
    }
}

fn can_be_launched(spec: &Spec) -> Result<(), UsageError> {
    match (&spec.source, spec.ecosystem) {
        (Source::Local(_), _) => Err(UsageError::new("--launcher is for a package of a registry")),
        (_, Ecosystem::Cargo) => {
            Err(UsageError::new("cargo has no command that fetches and runs a package"))
        }
        (_, Ecosystem::Npm | Ecosystem::Pypi) => Ok(()),
    }
}

/// The launcher's command for what was installed. Its cache goes with the prefix.
fn through_launcher(spec: &Spec, installed: &Installed) -> Vec<OsString> {
    let name = match &spec.source {
        Source::Registry { name, .. } => name.as_str(),
        Source::Local(_) => installed.package.name.as_str(),
    };
    let version = &installed.package.version;
    let cache = installed.prefix().join("launcher-cache").into_os_string();
    let bin = installed.bin.clone().into();
    match spec.ecosystem {
        Ecosystem::Npm => {
            let package = format!("{name}@{version}").into();
            ["npx".into(), "--yes".into(), "--cache".into(), cache]
                .into_iter()
                .chain(["--package".into(), package, "--".into(), bin])
                .collect()
        }
        Ecosystem::Pypi | Ecosystem::Cargo => {
            let package = format!("{name}=={version}").into();
            ["uvx".into(), "--cache-dir".into(), cache, "--from".into(), package, bin].into()
        }
    }
}

fn server(
    arguments: &RunArguments,
    spec: &Spec,
    installed: &Installed,
    fact: &PackageFact,
    row: Row,
) -> Result<Server, UsageError> {
    let mut words = match row {
        Row::Cold | Row::Warm => vec![installed.entry.clone().into_os_string()],
        Row::Launcher => through_launcher(spec, installed),
    };
    let program = words.remove(0);
    words.extend(arguments.server.iter().cloned());
    let (mut cwd, mut directory) = run::working_directory(arguments)?;
    if cwd == Cwd::Current {
        let empty = TempDir::with_prefix("mcp-stdio-probe-").map_err(|error| {
            UsageError::new(format!("cannot make a temporary directory: {error}"))
        })?;
        cwd = Cwd::Dir(empty.path().to_owned());
        directory = Some(empty);
    }
    let mut reproduce = run::options(arguments);
    let mut option = |name: &str, value: OsString| reproduce.extend([name.into(), value]);
    option("--package", arguments.source.package.clone().unwrap_or_default().into());
    if let Some(bin) = &arguments.source.bin {
        option("--bin", bin.into());
    }
    if arguments.source.launcher {
        reproduce.push("--launcher".into());
    }
    if !arguments.server.is_empty() {
        reproduce.push("--".into());
        reproduce.extend(arguments.server.iter().cloned());
    }
    Ok(Server {
        name: row.name().to_owned(),
        launch: LaunchSpec {
            program,
            args: words,
            env: run::policy(arguments),
            set: run::variables(arguments)?,
            unset: Vec::new(),
            cwd,
        },
        timeouts: config::Timeouts::default(),
        secrets: Vec::new(),
        configuration: None,
        package: Some(fact.clone()),
        reproduce,
        _directory: directory,
    })
}
