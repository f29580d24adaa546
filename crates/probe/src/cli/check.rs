//! `check`: judge a recording.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use corpus::{Chunking, ScriptError, events, load_recording, replay};
use inspect::{Detector, Inspector, Messages, RuleSet};
use model::{Event, EventKind, Seq, Verdict};
use report::{Evidence, Mode, RunFacts, Timeline};

use crate::layer4;

use super::args::CheckArguments;
use super::{NAME, Status, UsageError, output};
use crate::facts;

const CHUNK_BYTES: usize = 256 * 1024;

pub(crate) fn check(arguments: &CheckArguments) -> Result<Status, UsageError> {
    let targets = output::targets(&arguments.output)?;
    let redaction = output::redaction(&arguments.output)?;
    let input = &arguments.input;
    let (verdict, timeline) = if input.as_os_str() == "-" {
        (stream(io::stdin().lock(), arguments, input)?, Timeline::default())
    } else {
        let file = File::open(input).map_err(|error| cannot_read(input, &error))?;
        let kind = file.metadata().map_err(|error| cannot_read(input, &error))?.file_type();
        if kind.is_dir() {
            directory(arguments, input)?
        } else {
            (stream(file, arguments, input)?, Timeline::default())
        }
    };
    let mut known = RunFacts::new(Mode::Check { input: input.clone().into() });
    known.reproduce = vec![NAME.into(), "check".into(), input.clone().into()];
    known.redaction = redaction;
    known.places = facts::places(None);
    known.timeline = timeline;
    let evidence = Evidence::new(&verdict, known);
    output::reports(&evidence.into(), &targets, arguments.output.color)?;
    Ok(Status::of(&verdict.outcome))
}

/// Judges bytes as they come; what is kept does not grow with them.
fn stream(
    mut input: impl Read,
    arguments: &CheckArguments,
    name: &Path,
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
