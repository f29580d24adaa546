//! `run`: launch a server, judge it, report.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use drive::{
    Budgets, ContainmentSpec, Cwd, EnvPolicy, Era, LaunchSpec, MoreCalls, Plan, Scenario, Session,
    ToolCall, TotalBudget,
};
use inspect::{Inspector, RuleSet};
use model::ProtocolVersion;
use report::Evidence;
use tempfile::TempDir;

use super::args::{Asked, Denial, Profile, RunArguments};
use super::live::{self, Both, Live};
use super::{
    NAME, Status, UsageError, compare, configured, era, output, package, profile, record, version,
};
use crate::cli::progress::Progress;
use crate::cli::stop::Stopped;
use crate::{facts, layer4};

/// The word for an empty temporary working directory.
const TEMPORARY: &str = "temp";

pub(crate) fn run(arguments: &RunArguments) -> Result<Status, UsageError> {
    let a_command = arguments.source.package.is_none()
        && arguments.source.config.is_empty()
        && !arguments.server.is_empty();
    if !a_command {
        if arguments.compare_command.is_some() {
            return Err(UsageError::new("--compare-command compares with a command after `--`"));
        }
        if arguments.profile == Profile::Full {
            return Err(UsageError::new("--profile full is for a command after `--`"));
        }
        return match arguments.source.package {
            Some(_) => package::run(arguments),
            None => configured::run(arguments),
        };
    }
    let targets = output::targets(&arguments.output)?;
    let redaction = output::redaction(&arguments.output)?;
    if arguments.profile == Profile::Quick
        && (arguments.malformed_line || !arguments.vary.is_empty())
    {
        return Err(UsageError::new("--vary and --malformed-line need --profile full"));
    }
    // Kept until the server is gone.
    let (launch, _directory) = launch(arguments)?;
    let mut session = session(arguments, launch)?;
    era::adopt(arguments.judging.protocol, &mut session);
    if let Some(directory) = &arguments.record {
        record::reserve(directory)?;
    }
    let rules = rules(arguments);
    let version = version::ask(arguments, &session.launch.cwd)?;
    if arguments.profile == Profile::Full {
        return profile::run(arguments, session, &rules, &targets, (redaction, version));
    }
    let stopped = Stopped;
    if let Some(command) = &arguments.compare_command {
        let alone = compare::words("--compare-command", command)?;
        let line = reproduce(arguments, &Variant::default());
        let judging = (&rules, redaction);
        let live = Live::open(&targets)?;
        let beside = (version.as_ref(), live.as_ref());
        let (status, report) =
            compare::compare(arguments, &session, &alone, judging, beside, &line)?;
        let streamed = live.map_or(Ok(()), Live::finish);
        output::reports(&report, &live::others(&targets), arguments.output.color)?;
        streamed?;
        return Ok(stopped.by().map_or(status, Status::Signal));
    }
    let detector = Box::new(Inspector::new(rules));
    let live = Live::open(&targets)?;
    let mut listener = live.as_ref().map(|live| {
        let mut facts = facts::before_run(&session.launch);
        facts.redaction = redaction;
        facts.calls.clone_from(&arguments.calls);
        live.session(facts, None)
    });
    let mut progress = Progress::of_run();
    let mut observer = Both(&mut progress, listener.as_mut());
    let run = drive::run_blocking_until(&session, detector, &mut observer, stopped.stop());
    drop(progress);
    // A recording that cannot be written must not cost the report.
    let recorded = match &arguments.record {
        Some(directory) => {
            let scenario = Some(&session.plan.scenario);
            record::write(directory, &run.transcript, &arguments.calls, scenario)
        }
        None => Ok(()),
    };
    let status = Status::of(&run.verdict.outcome);
    let mut facts = facts::of_run(&session.launch, &run, reproduce(arguments, &Variant::default()));
    facts.redaction = redaction;
    facts.calls.clone_from(&arguments.calls);
    facts.version = version;
    let evidence = Evidence::new(&run.verdict, facts);
    if let Some(listener) = listener {
        listener.end(&evidence);
    }
    let streamed = live.map_or(Ok(()), Live::finish);
    output::reports(&evidence.into(), &live::others(&targets), arguments.output.color)?;
    streamed?;
    recorded?;
    Ok(stopped.by().map_or(status, Status::Signal))
}

/// The command that stands on the command line.
fn launch(arguments: &RunArguments) -> Result<(LaunchSpec, Option<TempDir>), UsageError> {
    let only_with_config = [
        ("--server", arguments.source.servers.is_empty()),
        ("--input", arguments.source.inputs.is_empty()),
        ("--list", !arguments.source.list),
    ];
    if let Some((name, _)) = only_with_config.into_iter().find(|(_, absent)| !absent) {
        return Err(UsageError::new(format!("{name} is for a configuration, not for a command")));
    }
    let (program, args) = arguments
        .server
        .split_first()
        .filter(|(program, _)| !program.is_empty())
        .ok_or_else(|| UsageError::new("the server's command is empty"))?;
    let (cwd, directory) = working_directory(arguments)?;
    let launch = LaunchSpec {
        program: program.clone(),
        args: args.to_vec(),
        env: policy(arguments),
        set: variables(arguments)?,
        unset: Vec::new(),
        cwd,
    };
    Ok((launch, directory))
}

/// Which of our own variables are passed on.
pub(crate) fn policy(arguments: &RunArguments) -> EnvPolicy {
    match (arguments.inherit_env, arguments.env_minimal) {
        (true, _) => EnvPolicy::Inherit,
        (false, true) => EnvPolicy::Minimal,
        (false, false) => EnvPolicy::ClientDefault,
    }
}

/// The variables that the user sets for every server.
pub(crate) fn variables(arguments: &RunArguments) -> Result<Vec<(OsString, OsString)>, UsageError> {
    let set = arguments.env.iter().map(|text| variable(text));
    let canary = arguments.canary_env.iter().zip(&arguments.canary);
    set.chain(canary.map(|(name, text)| Ok((name.clone(), text.into())))).collect()
}

/// What is played with a launched server.
pub(crate) fn session(arguments: &RunArguments, launch: LaunchSpec) -> Result<Session, UsageError> {
    let calls = arguments.calls.iter().map(|text| tool_call(text)).collect::<Result<_, _>>()?;
    let (scenario, protocol) = scenario(arguments)?;
    let budgets = Budgets {
        startup: arguments.startup_timeout,
        reply: arguments.reply_timeout,
        shutdown: arguments.shutdown_timeout,
        total: arguments.total_timeout.map_or(TotalBudget::Fitted, TotalBudget::Exactly),
        ..Budgets::default()
    };
    let more_calls = if arguments.call_all_safe { MoreCalls::Safe } else { MoreCalls::None };
    let plan = Plan { protocol, scenario, calls, more_calls };
    let containment = containment(match arguments.isolate {
        true => Isolation::Namespace,
        false => Isolation::Usual,
    });
    let mut session = Session { containment, plan, budgets, ..Session::new(launch) };
    if arguments.record.is_some() {
        // A recording is whole, or it would not replay.
        session.caps.transcript_stdout =
            usize::try_from(session.caps.stdout_total).unwrap_or(usize::MAX);
        session.caps.transcript_stderr = usize::MAX;
        session.caps.transcript_events = usize::MAX;
    }
    Ok(session)
}

/// The rules by which a live server is judged.
pub(crate) fn rules(arguments: &RunArguments) -> RuleSet {
    let mut rules = layer4::rules();
    arguments.judging.apply(&mut rules);
    // The revision asked for is the plan's; the one in force is the server's answer.
    rules.protocol = None;
    rules.canary = arguments.canary.as_ref().map(|text| text.as_bytes().into());
    rules
}

/// What is played, and by which revision.
fn scenario(arguments: &RunArguments) -> Result<(Scenario, ProtocolVersion), UsageError> {
    let asked = arguments.judging.revision();
    let Some(name) = &arguments.scenario else {
        let protocol = asked.unwrap_or(ProtocolVersion::NEWEST_WITH_HANDSHAKE);
        return Ok((Scenario::ordinary(protocol), protocol));
    };
    let scenario = match name.to_str().and_then(Scenario::built_in) {
        Some(scenario) => scenario,
        None => scenario_file(name)?,
    };
    let protocol = match (asked, scenario.era()) {
        (Some(protocol), None) => protocol,
        (Some(protocol), Some(era)) if Era::of(protocol) == era => protocol,
        (Some(protocol), Some(_)) => {
            return Err(UsageError::new(format!(
                "the scenario {} does not begin as a session of revision {protocol} does",
                scenario.name()
            )));
        }
        (None, Some(Era::Stateless)) => ProtocolVersion::V2026_07_28,
        (None, _) => ProtocolVersion::NEWEST_WITH_HANDSHAKE,
    };
    Ok((scenario, protocol))
}

fn scenario_file(path: &Path) -> Result<Scenario, UsageError> {
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|error| {
        if error.kind() != io::ErrorKind::NotFound {
            return UsageError::new(format!("cannot read {shown}: {error}"));
        }
        let names: Vec<&str> = Scenario::built_in_names().collect();
        let names = names.join(", ");
        UsageError::new(format!("{shown} is neither a file nor a built-in scenario ({names})"))
    })?;
    Scenario::parse(&shown.to_string(), &text)
        .map_err(|error| UsageError::new(format!("{shown}, {error}")))
}

pub(crate) fn working_directory(
    arguments: &RunArguments,
) -> Result<(Cwd, Option<TempDir>), UsageError> {
    match &arguments.cwd {
        None => Ok((Cwd::Current, None)),
        Some(name) if name.as_os_str() == TEMPORARY => {
            let directory = TempDir::new().map_err(|error| {
                UsageError::new(format!("cannot make a temporary directory: {error}"))
            })?;
            Ok((Cwd::Dir(directory.path().to_owned()), Some(directory)))
        }
        Some(directory) => Ok((Cwd::Dir(directory.clone()), None)),
    }
}

/// The text may be a secret that lost its name, so an error does not repeat it.
pub(crate) fn variable(text: &OsStr) -> Result<(OsString, OsString), UsageError> {
    assignment(text, "--env", "NAME=VALUE")
}

/// The same for another option.
pub(crate) fn assignment(
    text: &OsStr,
    option: &str,
    form: &str,
) -> Result<(OsString, OsString), UsageError> {
    let bytes = text.as_bytes();
    let equals = bytes.iter().position(|byte| *byte == b'=').filter(|at| *at > 0);
    let at = equals.ok_or_else(|| UsageError::new(format!("a value of {option} is not {form}")))?;
    let part = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
    Ok((part(&bytes[..at]), part(&bytes[at + 1..])))
}

pub(crate) fn tool_call(text: &str) -> Result<ToolCall, UsageError> {
    let (tool, arguments) = text
        .split_once('=')
        .filter(|(tool, _)| !tool.is_empty())
        .ok_or_else(|| UsageError::new("a value of --call is not TOOL=JSON"))?;
    ToolCall::new(tool, arguments)
        .map_err(|error| UsageError::new(format!("--call {tool}: {error}")))
}

/// How one session of several differs from what the command line asks for.
#[derive(Debug, Default)]
pub(crate) struct Variant {
    /// Options that lead to it.
    pub(crate) options: Vec<OsString>,
    /// Its revision, if it has another.
    pub(crate) protocol: Option<ProtocolVersion>,
}

/// The command line that leads to the same run again. The report redacts the values in it.
pub(crate) fn reproduce(arguments: &RunArguments, variant: &Variant) -> Vec<OsString> {
    let mut line = varied(arguments, variant);
    line.push("--".into());
    line.extend(arguments.server.iter().cloned());
    line
}

/// The same, up to what is launched.
pub(crate) fn options(arguments: &RunArguments) -> Vec<OsString> {
    varied(arguments, &Variant::default())
}

fn varied(arguments: &RunArguments, variant: &Variant) -> Vec<OsString> {
    let mut line: Vec<OsString> = vec![NAME.into(), "run".into()];
    let mut option = |name: &str, value: OsString| line.extend([name.into(), value]);
    for value in &arguments.env {
        option("--env", value.clone());
    }
    if let Some(directory) = &arguments.cwd {
        option("--cwd", directory.clone().into());
    }
    for call in &arguments.calls {
        option("--call", call.into());
    }
    if let Some(text) = &arguments.canary {
        option("--canary", text.into());
    }
    if let Some(name) = &arguments.canary_env {
        option("--canary-env", name.clone());
    }
    if let Some(scenario) = &arguments.scenario {
        option("--scenario", scenario.clone().into());
    }
    match (variant.protocol, arguments.judging.protocol) {
        (Some(protocol), _) | (None, Some(Asked::Revision(protocol))) => {
            option("--protocol", protocol.name().into());
        }
        (None, Some(Asked::Auto)) => option("--protocol", "auto".into()),
        (None, None) => {}
    }
    for denial in &arguments.judging.deny {
        let name = match denial {
            Denial::Advice => "advice",
            Denial::Rule(rule) => rule.name(),
        };
        option("--deny", name.into());
    }
    for rule in &arguments.judging.allow {
        option("--allow", rule.name().into());
    }
    let defaults = Budgets::default();
    let seconds = [
        ("--startup-timeout", arguments.startup_timeout, Some(defaults.startup)),
        ("--reply-timeout", arguments.reply_timeout, Some(defaults.reply)),
        ("--shutdown-timeout", arguments.shutdown_timeout, Some(defaults.shutdown)),
    ];
    for (name, value, default) in seconds {
        if Some(value) != default {
            option(name, value.as_secs_f64().to_string().into());
        }
    }
    if let Some(total) = arguments.total_timeout {
        option("--total-timeout", total.as_secs_f64().to_string().into());
    }
    if let Some(max) = arguments.judging.max_frame_bytes {
        option("--max-frame-bytes", max.to_string().into());
    }
    if arguments.isolate {
        line.push("--isolate".into());
    }
    if arguments.call_all_safe {
        line.push("--call-all-safe".into());
    }
    if arguments.env_minimal {
        line.push("--env-minimal".into());
    }
    if arguments.inherit_env {
        line.push("--inherit-env".into());
    }
    line.extend(variant.options.iter().cloned());
    line
}

/// How far a server is kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isolation {
    /// By a supervisor.
    Usual,
    /// By a supervisor in namespaces of its own.
    Namespace,
}

/// How servers are held together: by this program as their supervisor. It is found even if its
/// file was replaced meanwhile.
pub(crate) fn containment(isolation: Isolation) -> ContainmentSpec {
    let supervisor = PathBuf::from("/proc/self/exe");
    match isolation {
        Isolation::Usual => ContainmentSpec::Supervised(supervisor),
        Isolation::Namespace => ContainmentSpec::Isolated(supervisor),
    }
}

/// The path of this program, to launch it again.
pub(crate) fn own_executable() -> Result<PathBuf, UsageError> {
    std::env::current_exe()
        .map_err(|error| UsageError::new(format!("cannot find this program: {error}")))
}
