//! Which cases a detector is asked, and why the others are left out.

use std::collections::BTreeMap;

use corpus::{Case, Expectation, Family, Violation, expectation_for, spoken_revision};
use model::{Layer, RuleId};

use super::grade::Truth;
use super::profile::Input;
use crate::play::{Pipelining, performance};

/// What the user narrows the corpus to. What is empty narrows nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) cases: Vec<String>,
    /// Rules, and the word `valid-stdout`.
    pub(crate) rules: Vec<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) families: Vec<Family>,
}

impl Wanted {
    fn includes(&self, case: &Case, rule: &str) -> bool {
        let any =
            |list: &[String], is: &dyn Fn(&String) -> bool| list.is_empty() || list.iter().any(is);
        any(&self.cases, &|id| *id == case.file.id)
            && any(&self.rules, &|wanted| wanted == rule)
            && any(&self.tags, &|tag| case.file.tags.contains(tag))
            && (self.families.is_empty()
                || case.family.is_some_and(|family| self.families.contains(&family)))
    }
}

/// Why a case is not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LeftOut {
    /// Both answers would do.
    Advice,
    /// A person says that nothing is proven.
    Inconclusive,
    /// No process can play it.
    NotPlayable,
    /// It shows something only to a client that sends requests together.
    Pipelining,
    /// It breaks a limit that the user sets for this one run.
    OwnLimit,
    /// Its bytes alone do not show the fault.
    NotInTheBytes,
}

impl LeftOut {
    /// In a few words.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Advice => "advice only, so that both answers would do",
            Self::Inconclusive => "nothing is proven",
            Self::NotPlayable => "no process can play it",
            Self::Pipelining => "for a client that sends requests all together",
            Self::OwnLimit => "the limit that it breaks is set for its run",
            Self::NotInTheBytes => "the bytes alone do not show it",
        }
    }
}

/// A case that is asked.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) case: Case,
    /// The rule, or `valid-stdout`.
    pub(crate) rule: String,
    pub(crate) truth: Truth,
    /// Where the fault shows.
    pub(crate) shows: Shows,
}

/// What must have happened for a fault to have been shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shows {
    /// So many bytes of stdout were written.
    Bytes(usize),
    /// The server has come to its end, or to where it says no more.
    AtTheEnd,
}

/// The cases that are asked, in the order of the rules, and how many others are not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    pub(crate) asked: Vec<Asked>,
    pub(crate) left_out: BTreeMap<LeftOut, usize>,
}

/// Selects from cases what a detector can be asked.
pub(crate) fn select(cases: Vec<Case>, wanted: &Wanted, input: Input) -> Selection {
    let mut selection = Selection::default();
    for case in cases {
        let revision = spoken_revision(&case);
        let Some(expectation) = expectation_for(&case.file, revision) else { continue };
        let rule = match expectation {
            Expectation::Violation(violation) => violation.rule.clone(),
            Expectation::Clean(_) => "valid-stdout".to_owned(),
            Expectation::Stuck(_) => "inconclusive".to_owned(),
        };
        if !wanted.includes(&case, &rule) {
            continue;
        }
        match ask(&case, expectation, input) {
            Ok((truth, shows)) => selection.asked.push(Asked { case, rule, truth, shows }),
            Err(why) => *selection.left_out.entry(why).or_default() += 1,
        }
    }
    let order = |asked: &Asked| asked.rule.parse::<RuleId>().map_or(usize::MAX, place);
    selection.asked.sort_by_key(order);
    selection
}

fn place(rule: RuleId) -> usize {
    RuleId::ALL.iter().position(|other| *other == rule).unwrap_or(usize::MAX)
}

fn ask(case: &Case, expectation: &Expectation, input: Input) -> Result<(Truth, Shows), LeftOut> {
    let asked = match expectation {
        Expectation::Stuck(_) => return Err(LeftOut::Inconclusive),
        Expectation::Clean(clean) if !clean.advice.is_empty() => return Err(LeftOut::Advice),
        Expectation::Clean(_) => (Truth::Valid, Shows::AtTheEnd),
        Expectation::Violation(violation) => {
            if violation.rule == "oversized-frame" && case.file.run.max_frame_bytes.is_some() {
                return Err(LeftOut::OwnLimit);
            }
            if input == Input::Stdin && !in_the_bytes(violation) {
                return Err(LeftOut::NotInTheBytes);
            }
            let byte = usize::try_from(violation.byte_in_stream).unwrap_or(usize::MAX);
            let shows = match violation.frame {
                Some(_) => Shows::Bytes(byte.saturating_add(1).min(case.stdout.len())),
                None => Shows::AtTheEnd,
            };
            (Truth::Fault, shows)
        }
    };
    if input == Input::Server {
        let performance = performance(case).map_err(|_| LeftOut::NotPlayable)?;
        if performance.pipelining() == Pipelining::Needed {
            return Err(LeftOut::Pipelining);
        }
    }
    Ok(asked)
}

/// Whether a fault shows without knowing what was asked: it is one of framing, JSON or shape, and
/// a frame has it.
fn in_the_bytes(violation: &Violation) -> bool {
    let layer = violation.rule.parse::<RuleId>().map(|rule| rule.rule().layer);
    violation.frame.is_some()
        && violation.rule != "echoed-input"
        && layer.is_ok_and(|layer| matches!(layer, Layer::Framing | Layer::Json | Layer::JsonRpc))
}
