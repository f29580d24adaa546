//! The facts of a run, redacted and safe.

use std::ffi::OsString;
use std::path::Path;

use model::{
    Activity, Cleanliness, Cleanup, ContainmentLevel, DeadlineName, LadderStepName, ReapState,
    Signal,
};
use serde::Serialize;

use super::finding::millis;
use super::{Origin, os_phrase, phrase, wire, word};
use crate::caps;
use crate::facts::{
    DeadlineFact, Expiry, MIN_SECRET_BYTES, Mode, Place, PlaceKind, RunFacts, Secret,
};
use crate::redact::Redactor;
use crate::safe::{SafeText, Untrusted};

/// A deadline that was set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct DeadlineEvidence {
    /// Its name.
    #[serde(serialize_with = "wire::name")]
    #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
    pub name: DeadlineName,
    /// The time allowed, in milliseconds.
    pub budget_ms: u64,
    /// The time taken, in milliseconds.
    pub elapsed_ms: u64,
    /// Whether it passed before what it waited for had happened.
    pub expired: bool,
}

/// How a run was cleaned up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct CleanupEvidence {
    /// Of the process and its group: `clean`, `escalated`, `leaked` or `unknown`.
    #[serde(serialize_with = "wire::name")]
    #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
    pub process: Cleanliness,
    /// Of the readers of stdout and stderr, in the same words.
    #[serde(serialize_with = "wire::name")]
    #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
    pub readers: Cleanliness,
    /// The steps of the shutdown ladder that were taken, in order.
    pub steps: Vec<LadderStepEvidence>,
    /// How many descendants outlived the launched process.
    pub strays: u32,
    /// How many of them were gone after they had been killed.
    pub strays_killed: u32,
    /// The signals that were sent, in order.
    pub signals: Vec<SignalEvidence>,
    /// How the processes were held together.
    pub containment: ContainmentEvidence,
    /// What the server used, with those of its descendants that it waited for. None if that is
    /// not known.
    pub usage: Option<UsageEvidence>,
    /// What the launched process was doing when a deadline of the session passed: `running` or
    /// `stopped`. None if none did, or if it could not be seen.
    #[serde(serialize_with = "wire::optional_name")]
    #[cfg_attr(feature = "json-schema", schemars(with = "Option<String>"))]
    pub at_deadline: Option<Activity>,
    /// What of the client's messages the server had not taken by then. None if no deadline
    /// passed, or if it could not be seen.
    pub stdin_at_deadline: Option<UntakenEvidence>,
}

/// What the server had not taken of the messages that were sent to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct UntakenEvidence {
    /// Bytes that were written to its stdin and that it had not read.
    pub unread_bytes: u64,
    /// Bytes for which its stdin had no room.
    pub unwritten_bytes: u64,
}

/// A signal that was sent to the server's process group, or to what was left of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct SignalEvidence {
    /// Which one.
    #[serde(serialize_with = "wire::name")]
    #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
    pub signal: Signal,
    /// When it was sent, in milliseconds since the launch.
    pub time_ms: u64,
}

/// How a server's processes were held together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct ContainmentEvidence {
    /// `group`, `supervisor` or `namespace`.
    #[serde(serialize_with = "wire::name")]
    #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
    pub level: ContainmentLevel,
    /// The levels that were asked for and could not be had.
    pub declined: Vec<DeclinedEvidence>,
}

/// A level of containment that could not be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct DeclinedEvidence {
    /// Which one.
    #[serde(serialize_with = "wire::name")]
    #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
    pub level: ContainmentLevel,
    /// Why, in the words of the system.
    pub reason: SafeText,
}

/// What a server used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct UsageEvidence {
    /// Processor time in the program itself, in milliseconds.
    pub user_ms: u64,
    /// Processor time in the kernel, in milliseconds.
    pub system_ms: u64,
    /// The most memory that one of the processes had, in bytes.
    pub max_rss_bytes: u64,
}

/// A step of the shutdown ladder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct LadderStepEvidence {
    /// Which step.
    #[serde(serialize_with = "wire::name")]
    #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
    pub name: LadderStepName,
    /// When it was taken, in milliseconds since the launch.
    pub time_ms: u64,
}

/// A variable of the server's environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Variable {
    /// Its name.
    pub name: SafeText,
    /// `set` for this run, or `inherited`.
    pub source: &'static str,
}

impl DeadlineEvidence {
    pub(super) fn new(fact: &DeadlineFact) -> Self {
        Self {
            name: fact.name,
            budget_ms: millis(fact.budget),
            elapsed_ms: millis(fact.elapsed),
            expired: fact.expiry == Expiry::Expired,
        }
    }
}

impl CleanupEvidence {
    pub(super) fn new(cleanup: &Cleanup, redactor: &Redactor) -> Self {
        Self {
            process: cleanup.process,
            readers: cleanup.readers,
            steps: cleanup
                .steps
                .iter()
                .map(|step| LadderStepEvidence { name: step.name, time_ms: millis(step.at) })
                .collect(),
            strays: cleanup.strays,
            strays_killed: cleanup.strays_killed,
            signals: cleanup
                .signals
                .iter()
                .map(|sent| SignalEvidence { signal: sent.signal, time_ms: millis(sent.at) })
                .collect(),
            containment: ContainmentEvidence {
                level: cleanup.containment.level,
                declined: cleanup
                    .containment
                    .declined
                    .iter()
                    .map(|(level, reason)| DeclinedEvidence {
                        level: *level,
                        reason: phrase(reason.as_bytes(), redactor),
                    })
                    .collect(),
            },
            usage: cleanup.usage.map(|usage| UsageEvidence {
                user_ms: millis(usage.user),
                system_ms: millis(usage.system),
                max_rss_bytes: usage.max_rss_bytes,
            }),
            at_deadline: cleanup.at_deadline,
            stdin_at_deadline: cleanup.stdin_at_deadline.map(|untaken| UntakenEvidence {
                unread_bytes: untaken.unread,
                unwritten_bytes: untaken.unwritten,
            }),
        }
    }
}

/// Whether the child was reaped; None if there was none.
pub(super) fn child_reaped(cleanup: &Cleanup) -> Option<bool> {
    match cleanup.child_reaped {
        ReapState::Reaped => Some(true),
        ReapState::NotReaped => Some(false),
        ReapState::NeverLaunched => None,
    }
}

/// The command that was launched.
#[derive(Default)]
pub(super) struct CommandEvidence {
    pub(super) arguments: Option<Vec<SafeText>>,
    pub(super) executable: Option<SafeText>,
    pub(super) cwd: Option<SafeText>,
    pub(super) environment: Vec<Variable>,
}

impl CommandEvidence {
    pub(super) fn new(mode: &Mode, places: &[Place], redactor: &Redactor) -> Self {
        let Mode::Run(command) = mode else {
            return Self::default();
        };
        let mut arguments: Vec<SafeText> = command
            .argv
            .iter()
            .take(caps::ARGUMENTS)
            .map(|argument| os_phrase(argument, redactor))
            .collect();
        let omitted = command.argv.len() - arguments.len();
        if omitted > 0 {
            arguments.push(SafeText::vouched(format!("… {omitted} more")));
        }
        Self {
            arguments: Some(arguments),
            executable: command
                .executable
                .as_ref()
                .map(|path| os_phrase(path.as_os_str(), redactor)),
            cwd: command.cwd.as_ref().map(|path| directory(path, places, redactor)),
            environment: command
                .environment
                .iter()
                .take(caps::VARIABLES)
                .map(|variable| Variable {
                    name: word(variable.name.as_encoded_bytes(), redactor),
                    source: variable.source.name(),
                })
                .collect(),
        }
    }
}

/// The working directory. Everywhere else it is `.`, which would say nothing here: it is told by
/// the home or the temporary directory that it lies in.
fn directory(path: &Path, places: &[Place], redactor: &Redactor) -> SafeText {
    let text = path.as_os_str().as_encoded_bytes();
    let inside = |place: &&Place| {
        place.kind == PlaceKind::Path
            && place.shown != "."
            && text
                .strip_prefix(&*place.text)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    };
    let outer = places.iter().filter(inside).max_by_key(|place| place.text.len());
    let shown = match outer {
        None => text.to_vec(),
        Some(place) => {
            let rest = &text[place.text.len()..];
            // A directory made for this run has another name each time.
            let rest = if rest.starts_with(b"/.tmp") { b"/<temporary>" } else { rest };
            [place.shown.as_bytes(), rest].concat()
        }
    };
    Untrusted::new(&redactor.redact_secrets(&shown).bytes).text(caps::PHRASE)
}

pub(super) fn case(facts: &RunFacts, redactor: &Redactor) -> Option<SafeText> {
    let replayed = match &facts.mode {
        Mode::Replay { case } => Some(case),
        Mode::Run(_) | Mode::Check { .. } => None,
    };
    facts.case.as_ref().or(replayed).map(|case| word(case.as_bytes(), redactor))
}

pub(super) fn origin(mode: &Mode, redactor: &Redactor) -> Origin {
    match mode {
        Mode::Run(_) => Origin::Run,
        Mode::Check { input } => {
            Origin::Check { input: phrase(input.as_encoded_bytes(), redactor) }
        }
        Mode::Replay { .. } => Origin::Replay,
    }
}

/// Values in arguments whose name says that they are secret: `--token VALUE`, `--api-key=VALUE`,
/// `-e API_KEY=VALUE`, `--header 'X-Auth-Token: VALUE'`, `https://host/?api_key=VALUE`.
pub(super) fn argument_secrets(argv: &[OsString]) -> Vec<Secret> {
    let mut secrets = Vec::new();
    for (index, argument) in argv.iter().enumerate().skip(1) {
        let bytes = argument.as_encoded_bytes();
        let whole_flag = bytes.starts_with(b"-") && names_a_secret(bytes);
        if let Some(next) = argv.get(index + 1).filter(|_| whole_flag) {
            secrets.push(Secret { name: shown(bytes), value: next.as_encoded_bytes().to_vec() });
        }
        secrets.extend(assignments(bytes));
    }
    secrets
}

/// `NAME=VALUE` and `NAME: VALUE` inside an argument, where the name says that the value is
/// secret.
fn assignments(bytes: &[u8]) -> impl Iterator<Item = Secret> + '_ {
    let marks = bytes.iter().enumerate().filter(|(_, byte)| matches!(byte, b'=' | b':'));
    marks.filter_map(|(at, _)| {
        let before = &bytes[..at];
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let name = &before[before.iter().rposition(|byte| !is_part(byte)).map_or(0, |at| at + 1)..];
        let after = bytes[at + 1..].trim_ascii_start();
        let end = after.iter().position(|byte| matches!(byte, b'&' | b'"' | b'\'' | b'\n'));
        let value = &after[..end.unwrap_or(after.len())];
        names_a_secret(name).then(|| Secret { name: shown(name), value: value.to_vec() })
    })
}

/// Strings in the arguments of calls that are long or unusual enough to be told from the words of
/// programs. They are a user's wherever they stand.
pub(super) fn call_secrets(calls: &[String]) -> Vec<Secret> {
    let mut values = Vec::new();
    for call in calls {
        let arguments = call.split_once('=').map_or("", |(_, arguments)| arguments);
        if let Ok(value) = serde_json::from_str(arguments) {
            strings(&value, &mut values);
        }
    }
    let telling = |value: &String| {
        let word = value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        value.len() >= 12 || value.len() >= MIN_SECRET_BYTES && !word
    };
    let secret = |value: String| Secret { name: "call-argument".to_owned(), value: value.into() };
    values.into_iter().filter(telling).map(secret).collect()
}

fn strings(value: &serde_json::Value, out: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => out.push(text.clone()),
        serde_json::Value::Array(items) => items.iter().for_each(|item| strings(item, out)),
        serde_json::Value::Object(members) => {
            members.values().for_each(|member| strings(member, out));
        }
        _ => {}
    }
}

/// The names of values that are not replaced, since they are too short.
pub(super) fn short_secrets(secrets: &[Secret], redactor: &Redactor) -> Vec<SafeText> {
    let short = |secret: &&Secret| (1..MIN_SECRET_BYTES).contains(&secret.value.len());
    let mut names: Vec<SafeText> =
        secrets.iter().filter(short).map(|secret| word(secret.name.as_bytes(), redactor)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Whether a flag or variable of this name usually holds a secret.
#[must_use]
pub fn names_a_secret(name: &[u8]) -> bool {
    const WORDS: [&[u8]; 12] = [
        b"token",
        b"secret",
        b"secrets",
        b"password",
        b"passwd",
        b"pwd",
        b"key",
        b"apikey",
        b"auth",
        b"pat",
        b"credential",
        b"credentials",
    ];
    name.split(|byte| matches!(byte, b'-' | b'_'))
        .any(|word| WORDS.iter().any(|secret| word.eq_ignore_ascii_case(secret)))
}

fn shown(name: &[u8]) -> String {
    let name = name.trim_ascii_start();
    let start = name.iter().position(|byte| *byte != b'-').unwrap_or(name.len());
    name[start..].iter().map(|byte| char::from(*byte)).filter(char::is_ascii).collect()
}
