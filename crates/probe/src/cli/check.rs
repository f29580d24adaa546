//! `check`: judge recordings.

use std::fs::File;
use std::io::{self, Read};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use corpus::{Chunking, ScriptError, events, load_recording, replay};
use inspect::{Detector, Inspector, Messages, RuleSet};
use model::{Event, EventKind, Seq, Verdict};
use report::{Evidence, Mode, Report, Rows, RunFacts, SessionEvidence, Timeline};

use crate::layer4;

use super::args::CheckArguments;
use super::progress::Progress;
use super::{NAME, Status, UsageError, output};
use crate::facts;

const CHUNK_BYTES: usize = 256 * 1024;

pub(crate) fn check(arguments: &CheckArguments) -> Result<Status, UsageError> {
    let targets = output::targets(&arguments.output)?;
    let inputs = &arguments.inputs;
    if inputs.iter().filter(|input| is_stdin(input)).count() > 1 {
        return Err(UsageError::new("standard input can be read only once"));
    }
    let progress = Progress::of_reading(bytes_in_all(inputs));
    let judged = judge_all(arguments, &progress);
    // Its line must be gone before the report begins.
    drop(progress);
    let judged = judged.into_iter().collect::<Result<Vec<_>, _>>()?;
    let status = Status::worst(judged.iter().map(|judged| judged.status));
    let mut evidence = judged.into_iter().map(|judged| judged.evidence);
    let report = match inputs.as_slice() {
        [_] => evidence.next().map(Report::one),
        several => {
            let names = several.iter().map(|input| input.display().to_string());
            let rows =
                names.zip(evidence).map(|(name, evidence)| SessionEvidence::new(&name, evidence));
            Report::several(Rows::Recordings, rows.collect())
        }
    };
    let (Some(report), Some(status)) = (report, status) else {
        return Err(UsageError::new("there is nothing to judge"));
    };
    output::reports(&report, &targets, arguments.output.color)?;
    Ok(status)
}

/// What was found in one recording.
struct Judged {
    status: Status,
    evidence: Evidence,
}

/// Judges each recording, several at a time: each by a detector of its own, from its first byte to
/// its last, since what a frame means depends on the frames before it.
fn judge_all(arguments: &CheckArguments, progress: &Progress) -> Vec<Result<Judged, UsageError>> {
    let inputs = &arguments.inputs;
    let jobs = || thread::available_parallelism().map_or(1, NonZero::get);
    let at_once = arguments.jobs.unwrap_or_else(jobs).clamp(1, inputs.len());
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Option<Result<Judged, UsageError>>>> =
        inputs.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let (Some(input), Some(place)) = (inputs.get(number), done.get(number)) else { break };
            let judged = judge(arguments, input, progress);
            *place.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(judged);
        }
    };
    thread::scope(|scope| {
        for _ in 1..at_once {
            scope.spawn(work);
        }
        work();
    });
    let taken = done
        .into_iter()
        .map(|place| place.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()));
    taken.flatten().collect()
}

fn judge(
    arguments: &CheckArguments,
    input: &Path,
    progress: &Progress,
) -> Result<Judged, UsageError> {
    let (verdict, timeline) = if is_stdin(input) {
        (stream(io::stdin().lock(), arguments, input, progress)?, Timeline::default())
    } else {
        let file = File::open(input).map_err(|error| cannot_read(input, &error))?;
        let kind = file.metadata().map_err(|error| cannot_read(input, &error))?.file_type();
        if kind.is_dir() {
            directory(arguments, input)?
        } else {
            (stream(file, arguments, input, progress)?, Timeline::default())
        }
    };
    let mut known = RunFacts::new(Mode::Check { input: input.into() });
    known.reproduce = vec![NAME.into(), "check".into(), input.into()];
    known.redaction = output::redaction(&arguments.output)?;
    known.places = facts::places(None);
    known.timeline = timeline;
    let status = Status::of(&verdict.outcome);
    Ok(Judged { status, evidence: Evidence::new(&verdict, known) })
}

fn is_stdin(input: &Path) -> bool {
    input.as_os_str() == "-"
}

/// The size of all files. None if something else is among them.
fn bytes_in_all(inputs: &[PathBuf]) -> Option<u64> {
    let size = |input: &PathBuf| {
        let metadata = input.metadata().ok().filter(|metadata| metadata.is_file())?;
        Some(metadata.len())
    };
    inputs.iter().map(size).sum()
}

/// Judges bytes as they come; what is kept does not grow with them.
fn stream(
    mut input: impl Read,
    arguments: &CheckArguments,
    name: &Path,
    progress: &Progress,
) -> Result<Verdict, UsageError> {
    let mut rules = RuleSet::without_client();
    rules.messages = Messages::Counted;
    rules.schema = layer4::schema();
    arguments.judging.apply(&mut rules);
    let mut detector = Box::new(Inspector::new(rules));
    let mut seq = 0..;
    let mut push = |kind: EventKind<'_>| {
        let seq = Seq(seq.next().unwrap_or(u64::MAX));
        detector.push(&Event { seq, at: Duration::ZERO, kind }).state
    };
    let mut buffer = vec![0; CHUNK_BYTES];
    let mut filled = 0;
    loop {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => {
                let fresh = memchr::memrchr(b'\n', &buffer[filled..filled + read]);
                let newline = fresh.map(|newline| filled + newline + 1);
                filled += read;
                progress.read(read);
                // Whole frames are judged faster. A verdict does not depend on how bytes are cut.
                let end = match newline {
                    None if filled < buffer.len() => continue,
                    None => filled,
                    Some(end) => end,
                };
                if push(EventKind::Stdout((&buffer[..end]).into())) == inspect::State::Final {
                    filled = 0;
                    break;
                }
                buffer.copy_within(end..filled, 0);
                filled -= end;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(cannot_read(name, &error)),
        }
    }
    push(EventKind::Stdout((&buffer[..filled]).into()));
    push(EventKind::StdoutEof);
    Ok(detector.finish())
}

/// Judges a recording with its client side.
fn directory(arguments: &CheckArguments, path: &Path) -> Result<(Verdict, Timeline), UsageError> {
    let case = load_recording(path).map_err(|error| {
        UsageError::new(format!("{} holds no recording: {error}", path.display()))
    })?;
    let mut rules = corpus::rule_set(&case, arguments.judging.revision());
    arguments.judging.apply(&mut rules);
    let no_script = |error: ScriptError| UsageError::new(format!("{}: {error}", path.display()));
    let verdict =
        replay(&case, Chunking::AsScripted, Box::new(Inspector::new(rules))).map_err(no_script)?;
    let timeline = Timeline::new(events(&case, Chunking::AsScripted).map_err(no_script)?);
    Ok((verdict, timeline))
}

fn cannot_read(name: &Path, error: &io::Error) -> UsageError {
    UsageError::new(format!("cannot read {}: {error}", name.display()))
}
