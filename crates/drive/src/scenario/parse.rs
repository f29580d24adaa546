//! Reading a scenario: the form on disk, and what the form alone does not refuse.

use std::borrow::Cow;
use std::collections::HashSet;
use std::time::Duration;

use model::{List, PlanStep, RawId};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Message, Pace, Scenario, ScenarioError, ScenarioFault, Step};

const VERSION: u32 = 1;
const MAX_STEPS: usize = 10_000;
/// An hour.
const MAX_MILLIS: u64 = 60 * 60 * 1000;
const MAX_REPEATS: u64 = 1000;

/// A scenario as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File<'a> {
    scenario: u32,
    #[serde(borrow)]
    title: Cow<'a, str>,
    #[serde(borrow)]
    steps: Vec<&'a RawValue>,
}

/// A step as it is written: a word, or an object with the word as its key.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Written<'a> {
    Initialize,
    Initialized,
    Discover,
    Lists,
    Calls,
    CallsTogether,
    LargeCalls(LargeCalls),
    UnknownMethod,
    Listen,
    #[serde(borrow)]
    Send(MessageText<'a>),
    SendTogether(Vec<MessageText<'a>>),
    SendRaw(String),
    SendRawHex(String),
    Expect,
    ExpectWithin(Millis),
    CancelOpen,
    WaitForQuiet(QuietText),
    ReadSlowly(PaceText),
    CloseStdout,
    CloseStdinNow,
    CloseStdinWhenIdle,
    Repeat(Repeat<'a>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageText<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    method: String,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LargeCalls {
    copies: u64,
    characters: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Millis {
    ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct QuietText {
    ms: u64,
    at_most_ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct PaceText {
    bytes: u64,
    every_ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Repeat<'a> {
    times: u64,
    #[serde(borrow)]
    steps: Vec<&'a RawValue>,
}

pub(super) fn scenario(name: &str, text: &str) -> Result<Scenario, ScenarioError> {
    let file: File<'_> = serde_json::from_str(text)
        .map_err(|error| ScenarioError { line: error.line(), fault: ScenarioFault::Form(error) })?;
    if file.scenario != VERSION {
        let fault = ScenarioFault::Version(file.scenario);
        return Err(ScenarioError { line: 1, fault });
    }
    let mut reader = Reader { text, steps: Vec::new(), seen: Seen::default() };
    reader.read_all(&file.steps, 1)?;
    if reader.steps.is_empty() {
        return Err(ScenarioError { line: 1, fault: ScenarioFault::Empty });
    }
    Ok(Scenario { name: name.into(), title: file.title.into(), steps: reader.steps })
}

struct Reader<'a> {
    text: &'a str,
    steps: Vec<Step>,
    seen: Seen,
}

/// What the steps so far have done.
#[derive(Default)]
struct Seen {
    words: HashSet<&'static str>,
    ids: HashSet<RawId>,
}

impl Seen {
    fn needs(&self, words: &[&'static str]) -> Result<(), ScenarioFault> {
        let found = words.iter().any(|word| self.words.contains(word));
        if found { Ok(()) } else { Err(ScenarioFault::Needs(words[0])) }
    }

    /// What stands in a session once.
    fn once(&mut self, word: &'static str) -> Result<(), ScenarioFault> {
        if self.words.contains("initialize") || self.words.contains("discover") {
            return Err(ScenarioFault::Again(word));
        }
        self.words.insert(word);
        Ok(())
    }

    /// Whether something may still be awaited.
    fn readable(&self) -> Result<(), ScenarioFault> {
        if self.words.contains("close-stdout") { Err(ScenarioFault::NothingToRead) } else { Ok(()) }
    }
}

impl<'a> Reader<'a> {
    fn read_all(&mut self, steps: &[&'a RawValue], turn: u64) -> Result<(), ScenarioError> {
        for raw in steps {
            self.read(raw, turn)?;
        }
        Ok(())
    }

    fn read(&mut self, raw: &'a RawValue, turn: u64) -> Result<(), ScenarioError> {
        let line = self.line_of(raw);
        let written: Written<'a> = serde_json::from_str(raw.get()).map_err(|error| {
            let line = line + error.line().saturating_sub(1);
            ScenarioError { line, fault: ScenarioFault::Form(error) }
        })?;
        let at = |fault| ScenarioError { line, fault };
        if matches!(self.steps.last(), Some(Step::CloseStdinNow | Step::CloseStdinWhenIdle)) {
            return Err(at(ScenarioFault::AfterTheEnd));
        }
        if let Written::Repeat(repeat) = written {
            let times = within("times", repeat.times, 1, MAX_REPEATS).map_err(at)?;
            if repeat.steps.is_empty() {
                return Err(at(ScenarioFault::Empty));
            }
            for inner in 1..=times {
                // The first turn of all keeps its ids.
                self.read_all(&repeat.steps, (turn - 1) * times + inner)?;
            }
            return Ok(());
        }
        if self.steps.len() >= MAX_STEPS {
            return Err(at(ScenarioFault::TooLong));
        }
        let step = self.step(written, turn).map_err(at)?;
        self.steps.push(step);
        Ok(())
    }

    /// Each text borrows from the whole one, so its place is known.
    fn line_of(&self, raw: &RawValue) -> usize {
        let offset = raw.get().as_ptr() as usize - self.text.as_ptr() as usize;
        1 + self.text.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count()
    }

    fn step(&mut self, written: Written<'_>, turn: u64) -> Result<Step, ScenarioFault> {
        let seen = &mut self.seen;
        Ok(match written {
            Written::Initialize => {
                seen.readable()?;
                seen.once("initialize")?;
                Step::Initialize
            }
            Written::Discover => {
                seen.readable()?;
                seen.once("discover")?;
                Step::Discover
            }
            Written::Initialized => {
                seen.needs(&["initialize"])?;
                Step::Initialized
            }
            Written::Lists => {
                seen.needs(&["initialize", "discover"])?;
                seen.readable()?;
                seen.words.insert("lists");
                Step::Lists
            }
            Written::Calls => {
                seen.needs(&["lists"])?;
                seen.readable()?;
                Step::Calls
            }
            Written::CallsTogether => {
                seen.needs(&["lists"])?;
                Step::CallsTogether
            }
            Written::LargeCalls(calls) => {
                seen.needs(&["lists"])?;
                Step::LargeCalls {
                    copies: small("copies", calls.copies, 16)?,
                    characters: small("characters", calls.characters, 4 * 1024 * 1024)? as usize,
                }
            }
            Written::UnknownMethod => {
                seen.readable()?;
                Step::UnknownMethod
            }
            Written::Listen => {
                seen.needs(&["discover"])?;
                seen.readable()?;
                Step::Listen
            }
            Written::Send(message) => Step::Send(vec![seen.message(&message, turn)?]),
            Written::SendTogether(messages) => {
                if messages.is_empty() {
                    return Err(ScenarioFault::Empty);
                }
                let messages = messages.iter().map(|message| seen.message(message, turn));
                Step::Send(messages.collect::<Result<_, _>>()?)
            }
            Written::SendRaw(text) => Step::Raw(text.into_bytes().into()),
            Written::SendRawHex(text) => Step::Raw(hex(&text)?),
            Written::Expect => {
                seen.readable()?;
                Step::Expect
            }
            Written::ExpectWithin(Millis { ms }) => {
                seen.readable()?;
                Step::ExpectWithin(millis("ms", ms)?)
            }
            Written::CancelOpen => Step::CancelOpen,
            Written::WaitForQuiet(QuietText { ms, at_most_ms }) => Step::WaitForQuiet {
                quiet: millis("ms", ms)?,
                at_most: millis("at-most-ms", within("at-most-ms", at_most_ms, ms, MAX_MILLIS)?)?,
            },
            Written::ReadSlowly(PaceText { bytes, every_ms }) => Step::ReadSlowly(Pace {
                bytes: small("bytes", bytes, 64 * 1024)? as usize,
                pause: millis("every-ms", every_ms)?,
            }),
            Written::CloseStdout => {
                seen.words.insert("close-stdout");
                Step::CloseStdout
            }
            Written::CloseStdinNow => Step::CloseStdinNow,
            Written::CloseStdinWhenIdle => Step::CloseStdinWhenIdle,
            Written::Repeat(_) => unreachable!("a repetition was taken apart before"),
        })
    }
}

impl Seen {
    fn message(&mut self, text: &MessageText<'_>, turn: u64) -> Result<Message, ScenarioFault> {
        if text.method.is_empty() {
            return Err(ScenarioFault::Method);
        }
        let id = text.id.map(|id| id_of_turn(id.get(), turn)).transpose()?;
        if let Some(id) = &id {
            // In some revisions an id is used once in a session.
            if is_of_the_plan(id) || !self.ids.insert(id.clone()) {
                return Err(ScenarioFault::IdUsed(id.to_string()));
            }
        }
        let params = text.params.map(RawValue::get);
        if params.is_some_and(|params| !params.starts_with('{')) {
            return Err(ScenarioFault::Params);
        }
        Ok(Message {
            id,
            method: text.method.as_str().into(),
            // JSON has no line break inside a string, so these all stand between tokens.
            params: params.map(|params| params.replace(['\n', '\r'], " ").into()),
        })
    }
}

/// The id in a turn of a repetition: a number grows by one, a string gets the turn's number.
fn id_of_turn(id: &str, turn: u64) -> Result<RawId, ScenarioFault> {
    let wrong = || ScenarioFault::Id(id.to_owned());
    if let Some(inside) = id.strip_prefix('"') {
        return Ok(RawId::new(match turn {
            1 => id.to_owned(),
            _ => format!("\"{}.{turn}\"", &inside[..inside.len() - 1]),
        }));
    }
    let number: i64 = id.parse().map_err(|_| wrong())?;
    let grown = i64::try_from(turn - 1).ok().and_then(|more| number.checked_add(more));
    grown.map(RawId::integer).ok_or_else(wrong)
}

/// Whether one of the named steps has this id. Calls have numbers in a row, of any length.
fn is_of_the_plan(id: &RawId) -> bool {
    let number = id.as_str().parse::<i64>().unwrap_or_default();
    let named =
        [PlanStep::Initialize, PlanStep::Discover, PlanStep::UnknownMethod, PlanStep::Listen];
    let lists = List::ALL.map(|list| PlanStep::List { list, page: 1 });
    (42..1000).contains(&number)
        || named.into_iter().chain(lists).any(|step| step.id().as_ref() == Some(id))
}

fn within(name: &'static str, value: u64, first: u64, last: u64) -> Result<u64, ScenarioFault> {
    if (first..=last).contains(&value) {
        Ok(value)
    } else {
        Err(ScenarioFault::Range(name, first, last))
    }
}

fn small(name: &'static str, value: u64, last: u32) -> Result<u32, ScenarioFault> {
    let value = within(name, value, 1, u64::from(last))?;
    Ok(u32::try_from(value).expect("it is at most `last`"))
}

fn millis(name: &'static str, value: u64) -> Result<Duration, ScenarioFault> {
    within(name, value, 1, MAX_MILLIS).map(Duration::from_millis)
}

fn hex(text: &str) -> Result<Box<[u8]>, ScenarioFault> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0).ok_or(ScenarioFault::Hex)?;
    let byte = |pair: &[u32]| u8::try_from(pair[0] * 16 + pair[1]).expect("two digits are a byte");
    Ok(digits.chunks_exact(2).map(byte).collect())
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
