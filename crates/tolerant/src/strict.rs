//! Mutants that find what is not there.

mod scan;

use inspect::{Detector, RuleSet, Setting};
use model::{EventKind, MessageKind, RawId, RuleId};

use crate::json;
use crate::mutant::{DiesAs, Family, Mutant};
use crate::read::{Instead, Line, Session, Stdin, misread, same};
use crate::wrap::{Passed, with_events, with_rules};
use scan::{beyond_ascii, separated, too_deep, too_large};

/// What stands where a mutant sees a fault: no JSON text can hold it.
const SPOILT: u8 = 0x01;

const KNOWN_NOTIFICATIONS: [&str; 8] = [
    "notifications/cancelled",
    "notifications/message",
    "notifications/progress",
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
    "notifications/resources/updated",
    "notifications/tools/list_changed",
    "notifications/elicitation/complete",
];

const fn row(name: &'static str, temptation: &'static str) -> Mutant {
    Mutant {
        name,
        family: Family::OverStrict,
        temptation,
        blinds: &[],
        cries: &[RuleId::InvalidJson],
        canonical_case: "",
        dies_as: DiesAs::VALID,
        like_blind: None,
        make: |rules| Box::new(inspect::Inspector::new(rules)),
    }
}

pub(crate) const MUTANTS: &[Mutant] = &[
    Mutant {
        cries: &[
            RuleId::SplitMessage,
            RuleId::InvalidJson,
            RuleId::DecodeError,
            RuleId::EmptyFrame,
        ],
        canonical_case: "ctl-0055-bytes-cut-inside-characters",
        dies_as: DiesAs::at(RuleId::DecodeError, 3, 69),
        make: |rules| {
            let mut inside = Vec::new();
            with_events(rules, move |event| match event {
                EventKind::Stdout(bytes) if !bytes.is_empty() => {
                    // The end of the last chunk was the end of its line.
                    let line = [inside.as_slice(), bytes.as_ref()].concat();
                    inside = if bytes.ends_with(b"\n") { Vec::new() } else { b"\n".to_vec() };
                    Passed::Instead(vec![EventKind::Stdout(line.into())])
                }
                _ => Passed::AsItIs,
            })
        },
        ..row(
            "chunk-is-message",
            "`stdout.on(\"data\", chunk => JSON.parse(chunk))` works on every small server.",
        )
    },
    Mutant {
        cries: &[RuleId::DecodeError],
        canonical_case: "ctl-0035-characters-of-four-bytes",
        dies_as: DiesAs::at(RuleId::DecodeError, 3, 69),
        make: |rules| {
            misread(rules, |line, _| match beyond_ascii(line.bytes) {
                // The first byte of a character is no longer one of any.
                Some(at) => Instead::line(json::splice(line.bytes, at..at + 1, b"\xFF")),
                None => Instead::Itself,
            })
        },
        ..row(
            "ascii-only",
            "A log that is to be read anywhere is ASCII, and so was the protocol that the author \
            knew.",
        )
    },
    Mutant {
        cries: &[RuleId::OversizedFrame],
        canonical_case: "ctl-0001-line-of-70-kb",
        dies_as: DiesAs::at(RuleId::OversizedFrame, 3, 65536),
        make: |rules| {
            with_rules(rules, |rules| rules.max_frame_bytes = rules.max_frame_bytes.min(64 * 1024))
        },
        ..row(
            "line-limit-64k",
            "Scanners and stream readers have a line limit of 64 KiB that nobody chose.",
        )
    },
    Mutant {
        canonical_case: "ctl-0037-nesting-of-exactly-128",
        dies_as: DiesAs::at(RuleId::InvalidJson, 3, 102),
        make: |rules| spoil(rules, |line, _| too_deep(line.bytes)),
        ..row("depth-limit-32", "A limit of depth is prudent, and nobody nests deeper than that.")
    },
    Mutant {
        canonical_case: "ctl-0024-unknown-notifications",
        dies_as: DiesAs::at(RuleId::InvalidJson, 2, 0),
        make: |rules| {
            spoil(rules, |line, _| {
                let known = |method: &str| KNOWN_NOTIFICATIONS.contains(&method);
                begin(line, |message| {
                    message.kind == MessageKind::Notification
                        && !message.method.as_deref().is_some_and(known)
                })
            })
        },
        ..row(
            "reject-unknown-notification",
            "A strict schema has a list of notifications, and extensions are not on it.",
        )
    },
    Mutant {
        canonical_case: "ctl-0046-stderr-looks-like-json",
        dies_as: DiesAs::at(RuleId::InvalidJson, 2, 0),
        make: |rules| {
            with_events(rules, |event| match event {
                EventKind::Stderr(bytes) if !bytes.is_empty() => {
                    Passed::Instead(vec![EventKind::Stdout(vec![SPOILT, b'\n'].into())])
                }
                _ => Passed::AsItIs,
            })
        },
        ..row("stderr-counts", "Other test tools treat any output on stderr as a failure.")
    },
    Mutant {
        canonical_case: "syn-0410-busy-while-it-starts",
        dies_as: DiesAs::at(RuleId::InvalidJson, 1, 0),
        make: |rules| {
            let mut silent = true;
            with_events(rules, move |event| match event {
                EventKind::Stdout(_) => {
                    silent = false;
                    Passed::AsItIs
                }
                EventKind::Usage { cpu, wall } if silent && *cpu >= *wall / 10 => {
                    Passed::Instead(vec![EventKind::Stdout(vec![SPOILT, b'\n'].into())])
                }
                _ => Passed::AsItIs,
            })
        },
        ..row(
            "work-is-a-loop",
            "What still uses a core after stdin ended can only be a loop that nobody ends.",
        )
    },
    Mutant {
        canonical_case: "ctl-0013-integers-beyond-2-53",
        dies_as: DiesAs::at(RuleId::InvalidJson, 4, 75).with_advice(&[RuleId::NumberRange]),
        make: |rules| spoil(rules, |line, _| too_large(line.bytes)),
        ..row("number-must-fit-i64", "A typed parser has to put every integer somewhere.")
    },
    Mutant {
        cries: &[RuleId::CarriageReturn],
        canonical_case: "ctl-0043-crlf-on-some-lines",
        dies_as: DiesAs::at(RuleId::CarriageReturn, 2, 100),
        like_blind: Some(RuleId::CarriageReturn),
        make: |rules| with_rules(rules, |rules| rules.set(RuleId::CarriageReturn, Setting::Deny)),
        ..row("crlf-is-fatal", "The delimiter is a newline, and CR is not one.")
    },
    Mutant {
        cries: &[RuleId::SplitMessage],
        canonical_case: "ctl-0005-unicode-line-separators",
        dies_as: DiesAs::at(RuleId::SplitMessage, 3, 70),
        make: |rules| {
            misread(rules, |line: &Line<'_>, _: &Session| {
                let pieces = separated(line.bytes);
                if pieces.len() > 1 { Instead::Lines(pieces) } else { Instead::Itself }
            })
        },
        ..row("unicode-line-separators-split", "`str.splitlines` splits at more than newlines.")
    },
    Mutant {
        cries: &[RuleId::NonzeroExit],
        canonical_case: "ctl-0048-crash-after-stdin-ended",
        dies_as: DiesAs::after_frames(RuleId::NonzeroExit),
        like_blind: Some(RuleId::NonzeroExit),
        make: |rules| with_rules(rules, |rules| rules.set(RuleId::NonzeroExit, Setting::Deny)),
        ..row("late-error-exit-is-fatal", "A test runner fails on every status that is not 0.")
    },
    Mutant {
        cries: &[RuleId::ExtraMember],
        canonical_case: "ctl-0049-extra-members",
        dies_as: DiesAs::at(RuleId::ExtraMember, 2, 1),
        like_blind: Some(RuleId::ExtraMember),
        make: |rules| with_rules(rules, |rules| rules.set(RuleId::ExtraMember, Setting::Deny)),
        ..row(
            "extra-member-is-fatal",
            "`additionalProperties: false` closes the schema, and `deny_unknown_fields` the type.",
        )
    },
    Mutant {
        cries: &[RuleId::LoneSurrogate],
        canonical_case: "ctl-0053-lone-surrogates",
        dies_as: DiesAs::at(RuleId::LoneSurrogate, 3, 91),
        like_blind: Some(RuleId::LoneSurrogate),
        make: |rules| with_rules(rules, |rules| rules.set(RuleId::LoneSurrogate, Setting::Deny)),
        ..row("lone-surrogate-is-fatal", "Strict parsers refuse what no string of theirs can hold.")
    },
    Mutant {
        cries: &[RuleId::DuplicateKey],
        canonical_case: "ctl-0050-duplicate-keys-deep-down",
        dies_as: DiesAs::at(RuleId::DuplicateKey, 3, 87),
        like_blind: Some(RuleId::DuplicateKey),
        make: |rules| with_rules(rules, |rules| rules.set(RuleId::DuplicateKey, Setting::Deny)),
        ..row(
            "duplicate-key-is-fatal",
            "What is ambiguous should not be accepted, says every security guide.",
        )
    },
    Mutant {
        cries: &[RuleId::NumberRange],
        canonical_case: "ctl-0016-number-overflows-double",
        dies_as: DiesAs::at(RuleId::NumberRange, 3, 77),
        like_blind: Some(RuleId::NumberRange),
        make: |rules| with_rules(rules, |rules| rules.set(RuleId::NumberRange, Setting::Deny)),
        ..row("number-must-fit-a-double", "I-JSON asks for it, and JavaScript rounds the rest.")
    },
    Mutant {
        cries: &[RuleId::IdType],
        canonical_case: "ctl-0038-ids-with-exponents",
        dies_as: DiesAs::at(RuleId::IdType, 1, 22),
        make: |rules| with_rules(rules, |rules| rules.set(RuleId::IdType, Setting::Deny)),
        ..row("integral-float-id-is-fatal", "1.0 is not an integer, to a typed parser.")
    },
    Mutant {
        canonical_case: "ctl-0011-replies-in-reverse-order",
        dies_as: DiesAs::at(RuleId::InvalidJson, 2, 0),
        make: |rules| {
            spoil(rules, |line, session| {
                begin(line, |message| {
                    let oldest = session.pending().next();
                    is_reply(message.kind)
                        && message
                            .id
                            .as_ref()
                            .zip(oldest)
                            .is_some_and(|(id, oldest)| !same(oldest, id))
                })
            })
        },
        ..row("replies-in-order", "A lockstep client has never seen replies come in another order.")
    },
    Mutant {
        canonical_case: "ctl-0021-logs-before-the-initialize-reply",
        dies_as: DiesAs::at(RuleId::InvalidJson, 1, 0),
        make: |rules| {
            spoil(rules, |line, session| {
                begin(line, |message| session.replies() == 0 && !is_reply(message.kind))
            })
        },
        ..row(
            "reply-must-come-first",
            "Nothing should come before the initialize reply, so a notification there looks like \
            noise.",
        )
    },
    Mutant {
        canonical_case: "ctl-0020-server-asks-for-roots-and-sampling",
        dies_as: DiesAs::at(RuleId::InvalidJson, 3, 0),
        make: |rules| {
            spoil(rules, |line, _| begin(line, |message| message.kind == MessageKind::Request))
        },
        ..row(
            "server-requests-are-fatal",
            "A test client has no answers, so it wants no questions.",
        )
    },
    Mutant {
        canonical_case: "ctl-0025-error-reply-to-a-list",
        dies_as: DiesAs::at(RuleId::InvalidJson, 2, 0),
        make: |rules| {
            spoil(rules, |line, _| begin(line, |message| message.kind == MessageKind::Error))
        },
        ..row("error-replies-are-fatal", "An error is an error.")
    },
    Mutant {
        canonical_case: "ctl-0047-message-after-stdin-ended",
        dies_as: DiesAs::at(RuleId::InvalidJson, 4, 0),
        make: |rules| {
            spoil(rules, |line, session| begin(line, |_| session.stdin() == Stdin::Closed))
        },
        ..row("late-messages-are-fatal", "When stdin is closed, the conversation is over.")
    },
    Mutant {
        canonical_case: "ctl-0008-blanks-round-messages",
        dies_as: DiesAs::at(RuleId::InvalidJson, 1, 0),
        make: |rules| {
            spoil(rules, |line, _| {
                line.bytes.first().is_some_and(|byte| json::is_blank(*byte)).then_some(0)
            })
        },
        ..row(
            "leading-blank-is-fatal",
            "A message begins with a brace, and the first byte of the line is not one.",
        )
    },
    Mutant {
        canonical_case: "ctl-0028-unusual-member-order",
        dies_as: DiesAs::at(RuleId::InvalidJson, 1, 1),
        make: |rules| {
            spoil(rules, |line, _| {
                let first = json::items(line.bytes).into_iter().next()?.key?;
                (&line.bytes[first.clone()] != b"\"jsonrpc\"").then_some(first.start)
            })
        },
        ..row(
            "jsonrpc-must-come-first",
            "`startsWith('{\"jsonrpc\"')` is true of every message that the author has seen.",
        )
    },
    Mutant {
        canonical_case: "ctl-0029-escapes-in-envelope-keys",
        dies_as: DiesAs::at(RuleId::InvalidJson, 1, 1),
        make: |rules| {
            spoil(rules, |line, _| {
                let mut keys = json::items(line.bytes).into_iter().filter_map(|item| item.key);
                keys.find(|key| line.bytes[key.clone()].contains(&b'\\')).map(|key| key.start)
            })
        },
        ..row("keys-compared-raw", "A scanner that looks for `\"id\":` in the bytes is fast.")
    },
    Mutant {
        canonical_case: "ctl-0031-escapes-in-a-string-id",
        dies_as: DiesAs::at(RuleId::InvalidJson, 2, 0),
        make: |rules| {
            spoil(rules, |line, _| {
                begin(line, |message| {
                    let escaped = |id: &RawId| id.as_str().contains('\\');
                    is_reply(message.kind) && message.id.as_ref().is_some_and(escaped)
                })
            })
        },
        ..row("ids-compared-raw", "Ids need not be decoded when they are only compared.")
    },
];

fn is_reply(kind: MessageKind) -> bool {
    matches!(kind, MessageKind::Result | MessageKind::Error)
}

/// Sees a fault in lines that are in order, at the byte that `fault` names.
fn spoil(rules: RuleSet, fault: fn(&Line<'_>, &Session) -> Option<usize>) -> Box<dyn Detector> {
    misread(rules, move |line, session| match fault(line, session) {
        Some(at) => Instead::line(json::splice(line.bytes, at..at + 1, &[SPOILT])),
        None => Instead::Itself,
    })
}

/// The first byte of a line, if one of its messages looks a certain way.
fn begin(line: &Line<'_>, looks: impl Fn(&inspect::Accepted) -> bool) -> Option<usize> {
    line.messages.iter().any(looks).then_some(0)
}
