//! `run --config`: the servers of configuration files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use config::{
    ConfigError, Entry, File, Launch, Limits, Problem, Strictness, Surroundings, project_files,
};
use drive::{Cwd, LaunchSpec};
use report::{ConfigurationFact, Rows, Secret};
use tempfile::TempDir;

use super::args::{Expand, RunArguments};
use super::servers::{Jobs, Server};
use super::{Status, UsageError, listing, output, run, servers};

/// A configuration that was read, and the directory into which a bundle was unpacked.
pub(crate) struct Read {
    pub(crate) file: File,
    _bundle: Option<TempDir>,
}

pub(crate) fn run(arguments: &RunArguments) -> Result<Status, UsageError> {
    let targets = output::targets(&arguments.output)?;
    if !arguments.server.is_empty() {
        return Err(UsageError::new("a command cannot be given beside --config"));
    }
    let read = match arguments.source.config.as_slice() {
        [] => found_here(arguments)?,
        files => files.iter().map(|file| read(file, arguments)).collect::<Result<Vec<_>, _>>()?,
    };
    let surroundings = surroundings(arguments)?;
    let chosen = choose(&read, &arguments.source.servers)?;
    if arguments.source.list {
        return listing::list(arguments, &read, &chosen, &surroundings);
    }
    let (mut launches, mut complaints) = (Vec::new(), Vec::new());
    for (file, entry) in &chosen {
        match file.launch(entry, &surroundings, strictness(arguments)) {
            Ok(launch) => launches.push((*file, *entry, launch)),
            Err(errors) => complaints.extend(errors),
        }
    }
    if let Some(last) = complaints.pop() {
        // Every fault is named; the last one ends the command.
        for complaint in &complaints {
            output::say(&format!("error: {}", UsageError::new(complaint.to_string())));
        }
        return Err(UsageError::new(last.to_string()));
    }
    let many = read.len() > 1;
    let servers = launches
        .into_iter()
        .map(|(file, entry, launch)| server(arguments, file, entry, launch, many.into()))
        .collect::<Result<Vec<_>, _>>()?;
    if servers.is_empty() {
        return Err(UsageError::new("the configuration names no server that would be launched"));
    }
    servers::run(arguments, &targets, &servers, Rows::Servers, &Jobs::asked(arguments))
}

/// Whether the name of a server says by itself which one it is.
#[derive(Clone, Copy)]
enum Named {
    Alone,
    WithFile,
}

impl From<bool> for Named {
    fn from(many_files: bool) -> Self {
        if many_files { Self::WithFile } else { Self::Alone }
    }
}

pub(crate) fn strictness(arguments: &RunArguments) -> Strictness {
    match arguments.source.expand {
        Expand::Strict => Strictness::Strict,
        Expand::Client => Strictness::Client,
    }
}

fn usage(error: &ConfigError) -> UsageError {
    UsageError::new(error.to_string())
}

fn read(path: &Path, arguments: &RunArguments) -> Result<Read, UsageError> {
    let is_bundle =
        path.extension().is_some_and(|extension| extension == "mcpb" || extension == "dxt");
    if !is_bundle {
        let file =
            config::read(path, arguments.source.config_format).map_err(|error| usage(&error))?;
        return Ok(Read { file, _bundle: None });
    }
    let directory = TempDir::with_prefix("mcp-stdio-probe-")
        .map_err(|error| UsageError::new(format!("cannot make a temporary directory: {error}")))?;
    let file = config::read_bundle(path, directory.path(), Limits::default())
        .map_err(|error| usage(&error))?;
    Ok(Read { file, _bundle: Some(directory) })
}

/// The project files of the current directory. A file that another program uses under the same
/// name is passed over, and said so.
fn found_here(arguments: &RunArguments) -> Result<Vec<Read>, UsageError> {
    let mut read = Vec::new();
    for path in project_files(Path::new("")) {
        match config::read(&path, None) {
            Ok(file) => {
                output::say(&format!("using {} ({})", path.display(), file.format));
                read.push(Read { file, _bundle: None });
            }
            Err(ConfigError { problem: Problem::Missing(_) | Problem::UnknownFormat, .. }) => {
                output::say(&format!("passing over {}: it names no server", path.display()));
            }
            Err(error) => return Err(usage(&error)),
        }
    }
    if !read.is_empty() {
        return Ok(read);
    }
    let option = arguments.source.list || !arguments.source.servers.is_empty();
    let proposals = config::propose(Path::new(""));
    Err(UsageError::new(match (option, proposals.as_slice()) {
        (true, _) | (false, []) => {
            "no command was given after `--`, and no configuration file is here; try --help"
                .to_owned()
        }
        (false, proposals) => {
            let lines: Vec<String> =
                proposals.iter().map(|proposal| format!("run {proposal}")).collect();
            format!("no command was given; nothing was launched. To probe: {}", lines.join(" | "))
        }
    }))
}

/// The servers named, or all that would be launched. A name may be in any of the files.
fn choose<'a>(
    read: &'a [Read],
    names: &[String],
) -> Result<Vec<(&'a File, &'a Entry)>, UsageError> {
    let mut chosen = Vec::new();
    if names.is_empty() {
        for Read { file, .. } in read {
            let entries = file.select(&[]).map_err(|error| usage(&error))?;
            chosen.extend(entries.into_iter().map(|entry| (file, entry)));
        }
        return Ok(chosen);
    }
    for name in names {
        let name = std::slice::from_ref(name);
        let mut found = Vec::new();
        let mut missing = None;
        for Read { file, .. } in read {
            match file.select(name) {
                Ok(entries) => found.extend(entries.into_iter().map(|entry| (file, entry))),
                Err(error) => missing = Some(error),
            }
        }
        if found.is_empty()
            && let Some(error) = missing
        {
            return Err(usage(&error));
        }
        chosen.extend(found);
    }
    Ok(chosen)
}

/// What the process has round it.
fn surroundings(arguments: &RunArguments) -> Result<Surroundings, UsageError> {
    let text = |text: OsString| {
        text.into_string().map_err(|_| UsageError::new("a value of --input is not UTF-8"))
    };
    let mut inputs = Vec::new();
    for input in &arguments.source.inputs {
        let (id, value) = run::assignment(input, "--input", "ID=VALUE")?;
        inputs.push((text(id)?, text(value)?));
    }
    let set = run::variables(arguments)?.into_iter();
    Ok(Surroundings {
        environment: std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect(),
        home: std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from),
        workspace: std::env::current_dir().map_err(|error| {
            UsageError::new(format!("the current directory cannot be found: {error}"))
        })?,
        inputs,
        set: set.filter_map(|(name, _)| name.into_string().ok()).collect(),
    })
}

/// What no report may show: what the file says is secret, and what an environment variable with
/// such a name lent to it.
pub(crate) fn secrets(launch: &Launch) -> Vec<Secret> {
    let borrowed =
        launch.borrowed.iter().filter(|secret| report::names_a_secret(secret.name.as_bytes()));
    let known = launch.secrets.iter().chain(borrowed);
    known
        .map(|secret| Secret {
            name: secret.name.clone(),
            value: secret.value.clone().into_bytes(),
        })
        .collect()
}

fn server(
    arguments: &RunArguments,
    file: &File,
    entry: &Entry,
    launch: Launch,
    named: Named,
) -> Result<Server, UsageError> {
    for warning in &launch.warnings {
        let text = format!("{}:{}: {}", file.path.display(), warning.place, warning.text);
        output::say(&format!("warning: {}", UsageError::new(text)));
    }
    let secrets = secrets(&launch);
    let (asked, directory) = run::working_directory(arguments)?;
    let cwd = match asked {
        Cwd::Current => Cwd::Dir(launch.cwd),
        asked => asked,
    };
    let mut set: Vec<(OsString, OsString)> = launch
        .env
        .into_iter()
        .map(|variable| (variable.name.into(), variable.value.into()))
        .collect();
    set.extend(run::variables(arguments)?);
    let mut reproduce = run::options(arguments);
    let mut option = |name: &str, value: OsString| reproduce.extend([name.into(), value]);
    option("--config", file.path.clone().into());
    option("--config-format", file.format.name().into());
    option("--server", entry.name.clone().into());
    for input in &arguments.source.inputs {
        option("--input", input.clone());
    }
    if let Expand::Client = arguments.source.expand {
        option("--expand", "client".into());
    }
    Ok(Server {
        name: match named {
            Named::Alone => entry.name.clone(),
            Named::WithFile => format!("{}:{}", file.path.display(), entry.name),
        },
        launch: LaunchSpec {
            program: launch.program.into(),
            args: launch.args.into_iter().map(Into::into).collect(),
            env: run::policy(arguments),
            set,
            unset: launch.unset.into_iter().map(Into::into).collect(),
            cwd,
        },
        timeouts: launch.timeouts,
        secrets,
        configuration: Some(ConfigurationFact {
            file: file.path.clone(),
            line: entry.place.line,
            column: entry.place.column,
            format: file.format.name(),
            server: entry.name.clone(),
        }),
        package: None,
        reproduce,
        _directory: directory,
    })
}
