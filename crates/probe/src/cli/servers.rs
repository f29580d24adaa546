//! Several servers, or one several times: probed side by side, a row of the report each.

use std::ffi::OsString;
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use drive::{Budgets, Cwd, LaunchSpec};
use inspect::Inspector;
use report::{
    ConfigurationFact, Evidence, PackageFact, Report, Rows, Secret, SessionEvidence, VersionFact,
};
use tempfile::TempDir;

use super::args::{RunArguments, Target};
use super::live::{self, Both, Live};
use super::stop::Stopped;
use super::{Status, UsageError, era, output, record, run, version};
use crate::facts;

/// One server that is to be probed.
pub(crate) struct Server {
    /// The name of its row.
    pub(crate) name: String,
    pub(crate) launch: LaunchSpec,
    pub(crate) timeouts: config::Timeouts,
    /// Values that no report may show, beside those of its variables.
    pub(crate) secrets: Vec<Secret>,
    pub(crate) configuration: Option<ConfigurationFact>,
    pub(crate) package: Option<PackageFact>,
    /// The command line that leads to the same run again.
    pub(crate) reproduce: Vec<OsString>,
    /// Its working directory, if it is a temporary one; kept until it is gone.
    pub(crate) _directory: Option<TempDir>,
}

/// How many are probed at the same time.
pub(crate) enum Jobs {
    /// One after the other, in order.
    InOrder,
    /// So many.
    AtOnce(usize),
}

impl Jobs {
    /// What the user asked for, or one a processor.
    pub(crate) fn asked(arguments: &RunArguments) -> Self {
        Self::AtOnce(
            arguments
                .source
                .jobs
                .unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get)),
        )
    }
}

/// Probes servers and writes one report of all. There is at least one.
pub(crate) fn run(
    arguments: &RunArguments,
    targets: &[Target],
    servers: &[Server],
    rows: Rows,
    jobs: &Jobs,
) -> Result<Status, UsageError> {
    if let Some(directory) = &arguments.record {
        if servers.len() != 1 {
            return Err(UsageError::new("--record keeps one session; choose one with --server"));
        }
        record::reserve(directory)?;
    }
    let at_once = match jobs {
        Jobs::InOrder => 1,
        Jobs::AtOnce(number) => (*number).min(servers.len()).max(1),
    };
    let version = version::ask(arguments, &Cwd::Current)?;
    let live = Live::open(targets)?;
    // One server has no name in a report.
    let named = servers.len() > 1;
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some(server) = servers.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = {
                        let name = named.then_some(server.name.as_str());
                        let live = live.as_ref().map(|live| (live, name));
                        probe(arguments, server, version.as_ref(), live)
                    };
                    let mut done = done.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    let stop = matches!(outcome, Ok((Status::Signal(_), _)));
                    done.push((server.name.as_str(), outcome));
                    if servers.len() > 1 {
                        progress(&done, servers.len());
                    }
                    if stop {
                        // What was not begun is not begun any more.
                        next.store(servers.len(), Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let done = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    let streamed = live.map_or(Ok(()), Live::finish);
    let status = report(arguments, &live::others(targets), servers, done, rows)?;
    streamed?;
    Ok(status)
}

type Done<'a> = (&'a str, Result<(Status, Evidence), UsageError>);

/// Says how a server came out, as soon as it is known.
fn progress(done: &[Done<'_>], all: usize) {
    let Some((name, outcome)) = done.last() else { return };
    let word = match outcome {
        Ok((_, evidence)) => evidence.classification.name(),
        Err(_) => "not probed",
    };
    output::say(&format!("[{}/{all}] {}: {word}", done.len(), UsageError::new(*name)));
}

fn report(
    arguments: &RunArguments,
    targets: &[Target],
    servers: &[Server],
    done: Vec<Done<'_>>,
    rows: Rows,
) -> Result<Status, UsageError> {
    let mut finished = Vec::new();
    for (name, outcome) in done {
        finished.push((name, outcome?));
    }
    // In the order of the configuration, not in that of their ends.
    let place = |name: &str| servers.iter().position(|server| server.name == name);
    finished.sort_by_key(|(name, _)| place(name));
    let status = Status::worst(finished.iter().map(|(_, (status, _))| *status));
    let report = match (servers, finished.len()) {
        ([_], 1) => finished.pop().map(|(_, (_, evidence))| Report::one(evidence)),
        _ => Report::several(
            rows,
            finished
                .into_iter()
                .map(|(name, (_, evidence))| SessionEvidence::new(name, evidence))
                .collect(),
        ),
    };
    let (Some(report), Some(status)) = (report, status) else {
        return Err(UsageError::new("no server was probed"));
    };
    output::reports(&report, targets, arguments.output.color)?;
    Ok(status)
}

/// Probes one server, and tells the listeners of it under its name.
fn probe(
    arguments: &RunArguments,
    server: &Server,
    version: Option<&VersionFact>,
    live: Option<(&Live, Option<&str>)>,
) -> Result<(Status, Evidence), UsageError> {
    let mut session = run::session(arguments, server.launch.clone())?;
    let usual = Budgets::default();
    // What the user says on the command line goes before what the file says.
    if let Some(startup) =
        server.timeouts.startup.filter(|_| session.budgets.startup == usual.startup)
    {
        session.budgets.startup = startup;
    }
    if let Some(reply) = server.timeouts.reply.filter(|_| session.budgets.reply == usual.reply) {
        session.budgets.reply = reply;
    }
    era::adopt(arguments.judging.protocol, &mut session);
    let stopped = Stopped;
    let detector = Box::new(Inspector::new(run::rules(arguments)));
    let redaction = output::redaction(&arguments.output)?;
    let mut listener = live.map(|(live, name)| {
        let mut facts = facts::before_run(&session.launch);
        facts.redaction = redaction;
        facts.calls.clone_from(&arguments.calls);
        facts.secrets.extend(server.secrets.iter().cloned());
        live.session(facts, name)
    });
    let mut observer = Both(&mut (), listener.as_mut());
    let run = drive::run_blocking_until(&session, detector, &mut observer, stopped.stop());
    if let Some(directory) = &arguments.record {
        record::write(directory, &run.transcript, &arguments.calls, Some(&session.plan.scenario))?;
    }
    let mut facts = facts::of_run(&session.launch, &run, server.reproduce.clone());
    facts.redaction = redaction;
    facts.calls.clone_from(&arguments.calls);
    facts.secrets.extend(server.secrets.iter().cloned());
    facts.configuration = server.configuration.clone();
    facts.package = server.package.clone();
    facts.version = version.cloned();
    // What was installed for the run is known better.
    facts.software = facts.software.filter(|_| facts.package.is_none());
    let status = stopped.by().map_or_else(|| Status::of(&run.verdict.outcome), Status::Signal);
    let evidence = Evidence::new(&run.verdict, facts);
    if let Some(listener) = listener {
        listener.end(&evidence);
    }
    Ok((status, evidence))
}
