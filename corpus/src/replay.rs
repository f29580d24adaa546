//! Replaying a case through a detector, with its bytes cut as one likes.

use std::borrow::Cow;
use std::time::Duration;

use inspect::{Detector, RuleSet};
use model::{Event, EventKind, ExitStatus, ProtocolVersion, RuleId, Seq, Verdict};

use crate::format::Expectation;
use crate::load::Case;
use crate::script::{ScriptError, event_kinds};

/// How the bytes of each chunk are cut further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunking {
    /// As the script has them.
    AsScripted,
    /// Into pieces of this many bytes.
    Pieces(usize),
}

/// The rules under which a case is replayed, for a revision.
#[must_use]
pub fn rule_set(case: &Case, protocol: Option<ProtocolVersion>) -> RuleSet {
    let mut rules = match case.file.script {
        Some(_) => RuleSet::default(),
        None => RuleSet::without_client(),
    };
    rules.protocol = protocol;
    #[cfg(feature = "schema")]
    {
        rules.schema = Some(schema::mcp());
    }
    rules.canary = case.file.run.canary.as_ref().map(|text| text.as_bytes().into());
    if let Some(max) = case.file.run.max_frame_bytes {
        rules.max_frame_bytes = max;
    }
    rules
}

/// The events of a case.
///
/// # Errors
///
/// A script that cannot be played.
pub fn events(case: &Case, chunking: Chunking) -> Result<Vec<Event<'_>>, ScriptError> {
    let kinds = match &case.file.script {
        Some(script) => event_kinds(script, &case.stdout, &case.stderr)?,
        None => vec![
            EventKind::Stdout(Cow::Borrowed(&case.stdout)),
            EventKind::StdoutEof,
            EventKind::Exited(ExitStatus::SUCCESS),
        ],
    };
    let mut cut = Vec::new();
    for kind in kinds {
        match (kind, chunking) {
            (EventKind::Stdout(Cow::Borrowed(bytes)), Chunking::Pieces(size)) => {
                cut.extend(bytes.chunks(size).map(|piece| EventKind::Stdout(piece.into())));
            }
            (EventKind::Stderr(Cow::Borrowed(bytes)), Chunking::Pieces(size)) => {
                cut.extend(bytes.chunks(size).map(|piece| EventKind::Stderr(piece.into())));
            }
            (kind, _) => cut.push(kind),
        }
    }
    let numbered = cut.into_iter().zip(0..);
    Ok(numbered.map(|(kind, seq)| Event { seq: Seq(seq), at: Duration::ZERO, kind }).collect())
}

/// The verdict of a detector on a case.
///
/// # Errors
///
/// A script that cannot be played.
pub fn replay(
    case: &Case,
    chunking: Chunking,
    mut detector: Box<dyn Detector>,
) -> Result<Verdict, ScriptError> {
    for event in events(case, chunking)? {
        detector.push(&event);
    }
    Ok(detector.finish())
}

/// The advice rules of an expectation, each of which must fail the run when it is denied.
#[must_use]
pub fn denied_rules(expectation: &Expectation) -> Vec<RuleId> {
    expectation.advice().iter().filter_map(|advice| advice.rule.parse().ok()).collect()
}
