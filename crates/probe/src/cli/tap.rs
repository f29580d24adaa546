//! `tap`: pass on what a real client and a real server say, and judge it on the way.

use std::fs::File;
use std::path::Path;

use drive::{Caps, ClientPipes, EnvPolicy, LaunchError, LaunchSpec, Tapped};
use inspect::{Detector, Inspector, RuleSet, State, Step};
use model::{Event, ExitStatus, Verdict};
use report::{Evidence, Format, render};

use super::args::{TapArguments, Target};
use super::corrupt::{ended, launch_spec};
use super::{Status, UsageError, output, record};
use crate::facts;
use crate::passage::{Passage, View};

pub(crate) fn tap(arguments: &TapArguments) -> Result<Status, UsageError> {
    if arguments.output.formats.iter().any(|target| target.file.is_none()) {
        return Err(UsageError::new("stdout is the client's: --format needs a file here"));
    }
    let targets = match arguments.output.formats.is_empty() {
        true => Vec::new(),
        false => output::targets(&arguments.output)?,
    };
    // A tap stands where the server would, so that nothing is kept from it.
    let launch = LaunchSpec { env: EnvPolicy::Inherit, ..launch_spec(&arguments.server)? };
    if let Some(directory) = &arguments.record {
        record::reserve(directory)?;
    }
    let log = arguments.log.as_deref().map(create).transpose()?;
    let mut passage = Passage::new(log, if arguments.view { View::Shown } else { View::Hidden });
    let mut rules = RuleSet::default();
    arguments.judging.apply(&mut rules);
    rules.protocol = None;
    let detector = Box::new(Telling::new(Inspector::new(rules), &launch));
    let tapped = match pass(&launch, detector, &mut passage, &caps(arguments)) {
        Ok(tapped) => tapped,
        Err(error) => {
            output::say(&format!("error: {}", UsageError::new(error.to_string())));
            return Ok(Status::NotLaunched);
        }
    };
    // What is left to say must not cost the server's own status.
    if let Err(error) = conclude(arguments, &launch, &tapped, &targets) {
        output::say(&format!("error: {error}"));
    }
    Ok(tapped.exit_status.map_or(Status::Internal, ended))
}

fn create(log: &Path) -> Result<File, UsageError> {
    File::create(log)
        .map_err(|error| UsageError::new(format!("cannot write {}: {error}", log.display())))
}

fn pass<'a>(
    launch: &'a LaunchSpec,
    detector: Box<dyn Detector + 'a>,
    passage: &'a mut Passage,
    caps: &Caps,
) -> Result<Tapped, LaunchError> {
    let system = |source| LaunchError::System { action: "set up an event loop", source };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let pipes = ClientPipes::take().map_err(system)?;
    runtime.map_err(system)?.block_on(drive::tap(launch, pipes, detector, passage, caps))
}

/// What is not asked for is not kept: a tap may run for days.
fn caps(arguments: &TapArguments) -> Caps {
    let usual = Caps::default();
    match &arguments.record {
        Some(_) => Caps { transcript_stdout: usize::MAX, transcript_events: usize::MAX, ..usual },
        None => Caps { transcript_stdout: 0, transcript_events: 0, ..usual },
    }
}

fn conclude(
    arguments: &TapArguments,
    launch: &LaunchSpec,
    tapped: &Tapped,
    targets: &[Target],
) -> Result<(), UsageError> {
    if let Some(directory) = &arguments.record {
        record::write(directory, &tapped.transcript, &[], None)?;
    }
    let evidence = evidence(&tapped.verdict, launch, tapped.exit_status);
    output::reports(&evidence.into(), targets, arguments.output.color)
}

fn evidence(verdict: &Verdict, launch: &LaunchSpec, exit_status: Option<ExitStatus>) -> Evidence {
    Evidence::new(verdict, facts::of_tap(launch, exit_status))
}

/// A detector that tells of the first violation at once, on stderr: nothing can change it later.
struct Telling<'a> {
    launch: &'a LaunchSpec,
    judgement: Judgement,
}

enum Judgement {
    Open(Box<Inspector>),
    Final(Box<Verdict>),
}

impl<'a> Telling<'a> {
    fn new(inspector: Inspector, launch: &'a LaunchSpec) -> Self {
        Self { launch, judgement: Judgement::Open(Box::new(inspector)) }
    }
}

impl Detector for Telling<'_> {
    fn push(&mut self, event: &Event<'_>) -> Step {
        let Judgement::Open(inspector) = &mut self.judgement else {
            return Step { accepted: Vec::new(), state: State::Final };
        };
        let step = inspector.push(event);
        if step.state == State::Final {
            let last = std::mem::replace(inspector, Box::new(Inspector::new(RuleSet::default())));
            let verdict = last.finish();
            let report = evidence(&verdict, self.launch, None).into();
            output::say_at_length(&render(&report, Format::Human, &output::style(None)));
            self.judgement = Judgement::Final(Box::new(verdict));
        }
        step
    }

    fn finish(self: Box<Self>) -> Verdict {
        match self.judgement {
            Judgement::Open(inspector) => inspector.finish(),
            Judgement::Final(verdict) => *verdict,
        }
    }
}
