//! Readers that drop, trim, join or split lines.

use inspect::{Detector, RuleSet, check_json_text};
use model::RuleId;

use super::row;
use super::syntax::stand_in;
use crate::json;
use crate::mutant::{DiesAs, Mutant};
use crate::read::{Instead, Line, Rank, Session, mend};

/// What a line can break by itself.
pub(super) const ANY_LINE: &[RuleId] = &[
    RuleId::EmptyFrame,
    RuleId::DecodeError,
    RuleId::ByteOrderMark,
    RuleId::SplitMessage,
    RuleId::JoinedMessages,
    RuleId::ContentLengthHeader,
    RuleId::InvalidJson,
    RuleId::DuplicateMember,
    RuleId::NotAnObject,
    RuleId::BatchArray,
    RuleId::JsonrpcVersion,
    RuleId::UnknownKind,
    RuleId::MethodAndResult,
    RuleId::ResultAndError,
    RuleId::MethodType,
    RuleId::ParamsType,
    RuleId::IdType,
    RuleId::IdMissing,
    RuleId::IdNull,
    RuleId::ResultType,
    RuleId::ErrorShape,
    RuleId::SchemaMismatch,
    RuleId::CanaryOnStdout,
];
/// What a line that is no JSON text breaks.
pub(super) const NO_JSON: &[RuleId] = &[
    RuleId::EmptyFrame,
    RuleId::DecodeError,
    RuleId::ByteOrderMark,
    RuleId::SplitMessage,
    RuleId::JoinedMessages,
    RuleId::ContentLengthHeader,
    RuleId::InvalidJson,
];

pub(crate) const MUTANTS: &[Mutant] = &[
    Mutant {
        blinds: &[RuleId::EmptyFrame],
        canonical_case: "syn-0001-blanks-before-the-first-reply",
        dies_as: DiesAs::VALID,
        like_blind: Some(RuleId::EmptyFrame),
        make: |rules| drop_if(rules, &[RuleId::EmptyFrame], |_, _| true),
        ..row(
            "skip-blank-lines",
            "Most clients skip blank lines without a word, and so would a copy of their reader.",
        )
    },
    Mutant {
        blinds: &[RuleId::EmptyFrame],
        canonical_case: "inc-0043-blank-line-between-messages",
        dies_as: DiesAs::VALID,
        make: |rules| drop_if(rules, &[RuleId::EmptyFrame], |line, _| line.bytes.is_empty()),
        ..row("skip-empty-lines", "`if (line.length === 0) continue` reads like good manners.")
    },
    Mutant {
        blinds: NO_JSON,
        canonical_case: "syn-0090-no-break-space-before-a-message",
        dies_as: DiesAs::VALID,
        make: |rules| mend(rules, trim),
        ..row(
            "trim-lines",
            "`line.trim()` in JavaScript also takes away byte-order marks and no-break spaces.",
        )
    },
    Mutant {
        blinds: NO_JSON,
        canonical_case: "inc-0030-progress-bar",
        dies_as: DiesAs::VALID,
        make: |rules| mend(rules, until_brace),
        ..row(
            "skip-until-brace",
            "Somebody whose server glued log text to a message wants the message all the same.",
        )
    },
    Mutant {
        blinds: NO_JSON,
        canonical_case: "inc-0014-dictionary-dump",
        dies_as: DiesAs::VALID,
        make: |rules| mend(rules, leading_brace),
        ..row("leading-brace-means-message", "To look at the first byte is cheaper than to parse.")
    },
    Mutant {
        blinds: ANY_LINE,
        canonical_case: "inc-0001-version-line-at-startup",
        dies_as: DiesAs::VALID,
        make: |rules| drop_if(rules, ANY_LINE, |line, _| !starts_with(line.bytes, b"{[")),
        ..row(
            "skip-lines-without-a-brace",
            "Everything that does not begin like JSON must be a log line.",
        )
    },
    Mutant {
        blinds: NO_JSON,
        canonical_case: "inc-0009-bracketed-date-log-line",
        dies_as: DiesAs::VALID,
        make: |rules| drop_if(rules, NO_JSON, |line, _| check_json_text(line.bytes).is_err()),
        ..row("skip-non-json-lines", "Two client SDKs skip lines that do not parse in silence.")
    },
    Mutant {
        blinds: ANY_LINE,
        canonical_case: "inc-0061-json-log-record",
        dies_as: DiesAs::VALID,
        make: |rules| drop_if(rules, ANY_LINE, |line, _| !contains(line.bytes, b"\"jsonrpc\"")),
        ..row(
            "skip-lines-without-jsonrpc",
            "A filter in front of a client keeps the lines that mention jsonrpc and drops the \
            rest.",
        )
    },
    Mutant {
        blinds: NO_JSON,
        canonical_case: "inc-0005-env-loader-notice",
        dies_as: DiesAs::VALID,
        make: |rules| drop_if(rules, NO_JSON, |line, _| is_known(line.bytes)),
        ..row(
            "known-phrase-allowed",
            "An allow-list of notices that everybody knows to be harmless keeps old servers green.",
        )
    },
    Mutant {
        blinds: ANY_LINE,
        canonical_case: "inc-0016-script-runner-header",
        dies_as: DiesAs::VALID,
        make: |rules| drop_if(rules, ANY_LINE, |_, session| session.messages() == 0),
        ..row(
            "startup-noise-allowed",
            "A server may clear its throat before the first message, says who wraps it in a \
            package runner.",
        )
    },
    Mutant {
        blinds: ANY_LINE,
        canonical_case: "inc-0026-only-the-second-tool-prints",
        dies_as: DiesAs::VALID,
        make: |rules| drop_if(rules, ANY_LINE, |line, _| line.rank == Rank::Earlier),
        ..row(
            "last-line-of-a-read-wins",
            "A client that reads a buffer and parses its last line never sees what came with it.",
        )
    },
    Mutant {
        blinds: ANY_LINE,
        canonical_case: "inc-0002-ready-line-after-connect",
        dies_as: DiesAs::VALID,
        make: |rules| {
            let mut forgiven = 0;
            mend(rules, move |_, fault, _| {
                forgiven += 1;
                let forgive = forgiven == 1 && ANY_LINE.contains(&fault.rule);
                if forgive { Instead::NOTHING } else { Instead::Itself }
            })
        },
        ..row(
            "one-bad-line-forgiven",
            "A single bad line might be a hiccup; a threshold looks more robust than a rule.",
        )
    },
];

/// Drops lines that break one of some rules, if they look a certain way.
fn drop_if(
    rules: RuleSet,
    broken: &'static [RuleId],
    looks: fn(&Line<'_>, &Session) -> bool,
) -> Box<dyn Detector> {
    mend(rules, move |line, fault, session| {
        let drop = broken.contains(&fault.rule) && looks(line, session);
        if drop { Instead::NOTHING } else { Instead::Itself }
    })
}

/// Whether the first byte that is not blank is one of these.
fn starts_with(line: &[u8], bytes: &[u8]) -> bool {
    let first = line.iter().find(|byte| !json::is_blank(**byte));
    first.is_some_and(|first| bytes.contains(first))
}

pub(super) fn contains(line: &[u8], text: &[u8]) -> bool {
    line.windows(text.len()).any(|window| window == text)
}

fn is_known(line: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 5] = [b"[tinyenv@", b"> ", b"npm ", b"Server ", b"listening on "];
    const PHRASES: [&[u8]; 2] = [b"running on stdio", b"server version"];
    BEGINNINGS.iter().any(|text| line.starts_with(text))
        || PHRASES.iter().any(|text| contains(line, text))
}

fn trim(line: &Line<'_>, fault: &model::Finding, _: &Session) -> Instead {
    let Ok(text) = std::str::from_utf8(line.bytes) else { return Instead::Itself };
    let blank = |character: char| character.is_whitespace() || character == '\u{feff}';
    let trimmed = text.trim_matches(blank);
    if trimmed == text || !NO_JSON.contains(&fault.rule) {
        Instead::Itself
    } else {
        Instead::line(trimmed.into())
    }
}

fn until_brace(line: &Line<'_>, fault: &model::Finding, _: &Session) -> Instead {
    let brace = line.bytes.iter().position(|byte| *byte == b'{');
    match brace {
        Some(at) if !starts_with(line.bytes, b"{[") && NO_JSON.contains(&fault.rule) => {
            Instead::line(line.bytes[at..].to_vec())
        }
        _ => Instead::Itself,
    }
}

fn leading_brace(line: &Line<'_>, fault: &model::Finding, session: &Session) -> Instead {
    if starts_with(line.bytes, b"{") && NO_JSON.contains(&fault.rule) {
        stand_in(line.bytes, session)
    } else {
        Instead::Itself
    }
}
