//! Readers for whom a line is not what ends with 0x0A.

use inspect::{Setting, check_json_text};
use model::{Finding, RuleId, TailEnd};

use super::lines::NO_JSON;
use super::row;
use crate::mutant::{DiesAs, Mutant};
use crate::read::{Instead, Line, Reader, Session, mend, reading, tails};
use crate::wrap::with_rules;

pub(crate) const MUTANTS: &[Mutant] = &[
    Mutant {
        blinds: &[RuleId::SplitMessage],
        canonical_case: "inc-0122-indented-replies",
        dies_as: DiesAs::VALID,
        like_blind: Some(RuleId::SplitMessage),
        make: |rules| reading(rules, JoinPretty::default()),
        ..row(
            "join-pretty-json",
            "A streaming decoder reads on until the object is closed, as the Go SDK does.",
        )
    },
    Mutant {
        blinds: &[RuleId::JoinedMessages],
        canonical_case: "syn-0029-three-joined-messages",
        dies_as: DiesAs::VALID.with_advice(&[RuleId::UndeclaredCapability]),
        like_blind: Some(RuleId::JoinedMessages),
        make: |rules| mend(rules, split_joined),
        ..row(
            "split-concatenated-values",
            "A streaming decoder needs no newline between two objects.",
        )
    },
    Mutant {
        blinds: NO_JSON,
        canonical_case: "syn-0030-messages-joined-by-a-carriage-return",
        dies_as: DiesAs::VALID.with_advice(&[RuleId::UndeclaredCapability]),
        make: |rules| mend(rules, at_carriage_returns),
        ..row("cr-is-newline", "Universal newlines are the default of text streams in Python.")
    },
    Mutant {
        blinds: &[
            RuleId::PartialFrame,
            RuleId::UnterminatedFrame,
            RuleId::DecodeError,
            RuleId::ByteOrderMark,
        ],
        canonical_case: "syn-0042-blanks-in-the-tail",
        dies_as: DiesAs::VALID,
        make: |rules| {
            tails(rules, |tail, end| match end {
                TailEnd::Eof => Vec::new(),
                TailEnd::Exit | TailEnd::Deadline => tail,
            })
        },
        ..row(
            "ignore-partial-tail",
            "What stands behind the last newline was never a line, so nobody looks at it.",
        )
    },
    Mutant {
        blinds: &[RuleId::PartialFrame, RuleId::UnterminatedFrame],
        canonical_case: "syn-0049-unterminated-reply-and-exit",
        dies_as: DiesAs::after_frames(RuleId::ExitWhileIdle),
        make: |rules| {
            tails(rules, |tail, end| match end {
                TailEnd::Eof => [tail.as_slice(), b"\n"].concat(),
                TailEnd::Exit | TailEnd::Deadline => tail,
            })
        },
        ..row(
            "end-of-file-is-newline",
            "`readline` gives the last line with or without its newline.",
        )
    },
    Mutant {
        blinds: &[RuleId::UnterminatedFrame],
        canonical_case: "syn-0048-unterminated-with-blanks",
        dies_as: DiesAs::VALID,
        like_blind: Some(RuleId::UnterminatedFrame),
        make: |rules| with_rules(rules, |rules| rules.set(RuleId::UnterminatedFrame, Setting::Off)),
        ..row(
            "ignore-unterminated-tail",
            "A whole object at the end is nearly a message, and clients drop it anyway.",
        )
    },
    Mutant {
        blinds: &[RuleId::ContentLengthHeader],
        canonical_case: "inc-0038-content-length-reply",
        dies_as: DiesAs::VALID,
        make: |rules| reading(rules, ContentLength::default()),
        ..row("content-length-understood", "A harness for language servers reads both framings.")
    },
];

fn split_joined(line: &Line<'_>, fault: &Finding, _: &Session) -> Instead {
    match (fault.rule, fault.position.byte()) {
        (RuleId::JoinedMessages, Some(second)) => {
            let (first, rest) = line.bytes.split_at(second.0 as usize);
            Instead::Lines(vec![first.to_vec(), rest.to_vec()])
        }
        _ => Instead::Itself,
    }
}

fn at_carriage_returns(line: &Line<'_>, fault: &Finding, _: &Session) -> Instead {
    let pieces = line.bytes.split(|byte| *byte == b'\r');
    let pieces: Vec<Vec<u8>> = pieces.map(<[u8]>::to_vec).collect();
    if pieces.len() > 1 && NO_JSON.contains(&fault.rule) {
        Instead::Lines(pieces)
    } else {
        Instead::Itself
    }
}

/// Holds lines back while what they hold together is the beginning of a JSON text.
#[derive(Default)]
struct JoinPretty {
    held: Vec<u8>,
}

impl Reader for JoinPretty {
    fn line(&mut self, line: &Line<'_>, _: &Session) -> Instead {
        let split = line.fault.as_ref().is_some_and(|fault| fault.rule == RuleId::SplitMessage);
        if self.held.is_empty() && !split {
            return Instead::Itself;
        }
        if !self.held.is_empty() {
            self.held.push(b' ');
        }
        self.held.extend_from_slice(line.bytes);
        match check_json_text(&self.held) {
            Err(at) if at == self.held.len() as u64 => Instead::NOTHING,
            // It is whole now, or will never be: one line in place of several.
            Ok(()) | Err(_) => Instead::line(std::mem::take(&mut self.held)),
        }
    }
}

/// Understands the framing of language servers.
#[derive(Default)]
struct ContentLength {
    state: Header,
}

#[derive(Clone, Copy, Default)]
enum Header {
    #[default]
    None,
    Inside(usize),
    Body(usize),
}

impl Reader for ContentLength {
    fn line(&mut self, line: &Line<'_>, _: &Session) -> Instead {
        let text = line.bytes.trim_ascii();
        match self.state {
            Header::Body(length) if line.bytes.len() > length => {
                // The next header follows the body without a newline.
                self.state = Header::None;
                let (body, rest) = line.bytes.split_at(length);
                Instead::Lines(vec![body.to_vec(), rest.to_vec()])
            }
            Header::Body(_) => {
                self.state = Header::None;
                Instead::Itself
            }
            Header::Inside(length) if text.is_empty() => {
                self.state = Header::Body(length);
                Instead::NOTHING
            }
            Header::Inside(_) => Instead::NOTHING,
            Header::None => match length_of(text) {
                Some(length) => {
                    self.state = Header::Inside(length);
                    Instead::NOTHING
                }
                None => Instead::Itself,
            },
        }
    }

    fn tail(&mut self, tail: Vec<u8>, _: TailEnd) -> Vec<u8> {
        match self.state {
            Header::Body(length) if tail.len() == length => [tail.as_slice(), b"\n"].concat(),
            _ => tail,
        }
    }
}

fn length_of(line: &[u8]) -> Option<usize> {
    let line = std::str::from_utf8(line).ok()?;
    let (name, value) = line.split_once(':')?;
    name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
}
