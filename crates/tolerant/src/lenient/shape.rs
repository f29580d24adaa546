//! Clients that do not look closely at a message, its id or its kind.

use inspect::Setting;
use model::{Detail, Finding, Layer, Member, MessageKind, RawId, RuleId};

use super::lines::{ANY_LINE, contains};
use super::row;
use super::syntax::stand_in;
use crate::json;
use crate::mutant::{DiesAs, Mutant};
use crate::read::{Instead, Line, Session, mend, misread};
use crate::wrap::with_rules;

const JSON_RPC: &[RuleId] = &[
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
];

pub(crate) const MUTANTS: &[Mutant] = &[
    Mutant {
        blinds: JSON_RPC,
        canonical_case: "inc-0062-cli-envelope-at-the-end",
        dies_as: DiesAs::VALID,
        make: |rules| {
            mend(rules, |line: &Line<'_>, fault: &Finding, session: &Session| {
                match fault.rule.rule().layer {
                    Layer::JsonRpc => stand_in(line.bytes, session),
                    _ => Instead::Itself,
                }
            })
        },
        ..row("valid-json-is-enough", "A test that calls `JSON.parse` on each line feels thorough.")
    },
    Mutant {
        blinds: ANY_LINE,
        canonical_case: "syn-0133-version-null",
        dies_as: DiesAs::VALID,
        make: |rules| {
            mend(rules, |line: &Line<'_>, _: &Finding, _: &Session| {
                let call = contains(line.bytes, b"\"method\"");
                if call { Instead::NOTHING } else { Instead::Itself }
            })
        },
        ..row(
            "only-replies-are-read",
            "A test client waits for replies and drops whatever has a method.",
        )
    },
    Mutant {
        blinds: &[RuleId::JsonrpcVersion],
        canonical_case: "syn-0132-version-2.1",
        dies_as: DiesAs::VALID,
        make: |rules| {
            mend(rules, |line, fault, _| value(line, fault, Member::Jsonrpc, |_| Some(b"\"2.0\"")))
        },
        ..row("jsonrpc-version-loose", "Many clients look for the member and not at its value.")
    },
    Mutant {
        blinds: &[RuleId::JsonrpcVersion],
        canonical_case: "inc-0063-bare-result",
        dies_as: DiesAs::at(RuleId::UnknownKind, 1, 131).with_advice(&[RuleId::ExtraMember]),
        make: |rules| {
            mend(rules, |line: &Line<'_>, fault: &Finding, _: &Session| {
                let missing = fault.detail == Detail::Missing(Member::Jsonrpc);
                let brace = line.bytes.iter().position(|byte| *byte == b'{');
                match brace.filter(|_| missing) {
                    None => Instead::Itself,
                    Some(brace) => {
                        let empty = json::items(line.bytes).is_empty();
                        let member: &[u8] =
                            if empty { b"\"jsonrpc\":\"2.0\"" } else { b"\"jsonrpc\":\"2.0\"," };
                        Instead::line(json::splice(line.bytes, brace + 1..brace + 1, member))
                    }
                }
            })
        },
        ..row(
            "jsonrpc-optional",
            "The Language Server community has long sent messages without the member.",
        )
    },
    Mutant {
        blinds: &[RuleId::IdChanged],
        canonical_case: "inc-0075-integer-id-becomes-string",
        dies_as: DiesAs::VALID,
        make: |rules| misread(rules, other_type),
        ..row("id-loose-type", "A map whose keys are strings finds 31 under \"31\".")
    },
    Mutant {
        blinds: &[RuleId::IdType],
        canonical_case: "syn-0153-id-with-a-fraction",
        dies_as: DiesAs::VALID,
        make: |rules| {
            mend(rules, |line, fault, _| {
                value(line, fault, Member::Id, |id| {
                    let point = id.iter().position(|byte| *byte == b'.')?;
                    (!id.contains(&b'e') && !id.contains(&b'E')).then(|| &id[..point])
                })
            })
        },
        ..row("fractional-id-truncated", "`as u64` and `parseInt` make an integer of any number.")
    },
    Mutant {
        blinds: &[RuleId::IdNull],
        canonical_case: "syn-0163-null-id-on-the-initialize-result",
        dies_as: DiesAs::VALID,
        make: |rules| {
            mend(rules, |line: &Line<'_>, fault: &Finding, session: &Session| {
                match (fault.rule, session.pending().next()) {
                    (RuleId::IdNull, Some(id)) if !contains(line.bytes, b"\"method\"") => {
                        let id = id.as_str().as_bytes();
                        value(line, fault, Member::Id, |_| Some(id))
                    }
                    _ => Instead::Itself,
                }
            })
        },
        ..row(
            "null-id-answers-the-oldest",
            "A client with one request under way needs no id to know what was answered.",
        )
    },
    Mutant {
        blinds: &[RuleId::UnknownId, RuleId::IdChanged],
        canonical_case: "inc-0076-string-id-becomes-zero",
        dies_as: DiesAs::VALID,
        make: |rules| misread(rules, in_turn),
        ..row(
            "ids-ignored",
            "A lockstep client takes the next reply for the answer, whatever its id.",
        )
    },
    Mutant {
        blinds: &[RuleId::UnknownId],
        canonical_case: "syn-0174-reply-before-its-request",
        dies_as: DiesAs::VALID,
        like_blind: Some(RuleId::UnknownId),
        make: |rules| with_rules(rules, |rules| rules.set(RuleId::UnknownId, Setting::Off)),
        ..row("unknown-id-accepted", "Clients log a reply that nobody waits for and go on.")
    },
    Mutant {
        blinds: &[RuleId::DuplicateResponse],
        canonical_case: "syn-0179-late-second-initialize-reply",
        dies_as: DiesAs::VALID,
        like_blind: Some(RuleId::DuplicateResponse),
        make: |rules| with_rules(rules, |rules| rules.set(RuleId::DuplicateResponse, Setting::Off)),
        ..row("duplicate-response-accepted", "The second reply finds nobody waiting and is gone.")
    },
    Mutant {
        blinds: &[RuleId::EchoedInput],
        canonical_case: "inc-0059-terminal-echoes-requests",
        dies_as: DiesAs::VALID.with_advice(&[RuleId::CarriageReturn, RuleId::UnknownNotification]),
        like_blind: Some(RuleId::EchoedInput),
        make: |rules| with_rules(rules, |rules| rules.set(RuleId::EchoedInput, Setting::Off)),
        ..row("echo-ignored", "Our own request is a valid message, after all.")
    },
    Mutant {
        blinds: &[RuleId::BatchArray],
        canonical_case: "inc-0069-replies-in-a-batch",
        dies_as: DiesAs::VALID,
        like_blind: Some(RuleId::BatchArray),
        make: |rules| {
            mend(rules, |line: &Line<'_>, fault: &Finding, _: &Session| {
                if fault.rule != RuleId::BatchArray {
                    return Instead::Itself;
                }
                let items = json::items(line.bytes).into_iter();
                Instead::Lines(items.map(|item| line.bytes[item.value].to_vec()).collect())
            })
        },
        ..row(
            "accept-batch-always",
            "JSON-RPC has batches, and a library for it reads them in every revision.",
        )
    },
    Mutant {
        blinds: &[RuleId::ResultAndError],
        canonical_case: "syn-0143-null-result-behind-an-error",
        dies_as: DiesAs::VALID,
        like_blind: Some(RuleId::ResultAndError),
        make: |rules| with_rules(rules, |rules| rules.set(RuleId::ResultAndError, Setting::Off)),
        ..row(
            "result-and-error-accepted",
            "Whoever looks for an error first never asks whether there is a result too.",
        )
    },
    Mutant {
        blinds: &[RuleId::ResultAndError],
        canonical_case: "inc-0068-result-beside-null-error",
        dies_as: DiesAs::VALID,
        make: |rules| mend(rules, |line, fault, _| null_sibling(line, fault)),
        ..row(
            "null-sibling-accepted",
            "Serialisers that write every field send `\"error\": null` with a result, and it does \
            no harm.",
        )
    },
    Mutant {
        blinds: &[RuleId::ResultType],
        canonical_case: "syn-0165-null-as-result",
        dies_as: DiesAs::at(RuleId::SchemaMismatch, 3, 34),
        make: |rules| {
            mend(rules, |line, fault, _| {
                value(line, fault, Member::Result, |result| (result == b"null").then_some(b"{}"))
            })
        },
        ..row("null-result-accepted", "A null result is an empty one, to most languages.")
    },
    Mutant {
        blinds: &[RuleId::ErrorShape],
        canonical_case: "syn-0169-error-code-as-string",
        dies_as: DiesAs::VALID.with_advice(&[RuleId::WrongErrorCode]),
        make: |rules| {
            mend(rules, |line, fault, _| value(line, fault, Member::ErrorCode, |_| Some(b"0")))
        },
        ..row(
            "error-code-of-any-type",
            "Error codes of Node are strings, and nobody computes with them.",
        )
    },
    Mutant {
        blinds: &[RuleId::ErrorShape],
        canonical_case: "syn-0171-error-without-message",
        dies_as: DiesAs::VALID,
        make: |rules| {
            mend(rules, |line: &Line<'_>, fault: &Finding, session: &Session| match fault.detail {
                Detail::Missing(Member::ErrorCode | Member::ErrorMessage) => {
                    stand_in(line.bytes, session)
                }
                _ => Instead::Itself,
            })
        },
        ..row(
            "error-members-optional",
            "A client that only prints the error does not miss what is not there.",
        )
    },
    Mutant {
        blinds: &[RuleId::ParamsType],
        canonical_case: "syn-0148-empty-array-as-params",
        dies_as: DiesAs::VALID,
        make: |rules| {
            mend(rules, |line, fault, _| {
                value(line, fault, Member::Params, |params| {
                    params.starts_with(b"[").then_some(b"{}")
                })
            })
        },
        ..row("params-by-position-accepted", "JSON-RPC allows params by position.")
    },
    Mutant {
        blinds: &[RuleId::ParamsType],
        canonical_case: "syn-0147-null-params",
        dies_as: DiesAs::VALID.with_advice(&[RuleId::UndeclaredCapability]),
        make: |rules| {
            mend(rules, |line, fault, _| {
                value(line, fault, Member::Params, |params| (params == b"null").then_some(b"{}"))
            })
        },
        ..row(
            "null-params-accepted",
            "A field that is null is a field that is not there, to most serialisers.",
        )
    },
];

/// Replaces the value of a member that is wrong, if `better` knows by what.
fn value<'a>(
    line: &'a Line<'_>,
    fault: &Finding,
    member: Member,
    better: impl FnOnce(&'a [u8]) -> Option<&'a [u8]>,
) -> Instead {
    let at = fault.position.byte().filter(|_| fault.detail == Detail::Wrong(member));
    let Some(at) = at.map(|at| at.0 as usize) else { return Instead::Itself };
    let range = at..json::value_end(line.bytes, at);
    better(&line.bytes[range.clone()])
        .map_or(Instead::Itself, |better| Instead::line(json::splice(line.bytes, range, better)))
}

/// The id of a reply that a line is, unless it is null.
fn reply_id<'l>(line: &'l Line<'_>) -> Option<&'l RawId> {
    match line.messages.as_slice() {
        [message] if matches!(message.kind, MessageKind::Result | MessageKind::Error) => {
            message.id.as_ref().filter(|id| id.as_str() != "null")
        }
        _ => None,
    }
}

/// A line with another id.
fn with_id(line: &Line<'_>, id: &RawId) -> Instead {
    json::member(line.bytes, "id").map_or(Instead::Itself, |item| {
        Instead::line(json::splice(line.bytes, item.value, id.as_str().as_bytes()))
    })
}

/// A reply to a request whose id has another JSON type.
fn other_type(line: &Line<'_>, session: &Session) -> Instead {
    let id = reply_id(line).filter(|id| !session.has_sent(id));
    let bare = |id: &RawId| id.as_str().trim_matches('"').to_owned();
    let meant = id.and_then(|id| session.pending().find(|pending| bare(pending) == bare(id)));
    meant.map_or(Instead::Itself, |meant| with_id(line, meant))
}

/// Each reply with a strange id answers the oldest request.
fn in_turn(line: &Line<'_>, session: &Session) -> Instead {
    let strange = reply_id(line).is_some_and(|id| !session.has_sent(id));
    let oldest = session.pending().next().filter(|_| strange);
    oldest.map_or(Instead::Itself, |oldest| with_id(line, oldest))
}

/// Takes away the one of result and error that is null.
fn null_sibling(line: &Line<'_>, fault: &Finding) -> Instead {
    if fault.rule != RuleId::ResultAndError {
        return Instead::Itself;
    }
    let items = json::items(line.bytes);
    let null = items.iter().position(|item| {
        let key = item.key.clone().map(|key| &line.bytes[key]);
        matches!(key, Some(b"\"result\"" | b"\"error\""))
            && &line.bytes[item.value.clone()] == b"null"
    });
    match null {
        Some(index) if index > 0 => {
            let range = items[index - 1].value.end..items[index].value.end;
            Instead::line(json::splice(line.bytes, range, b""))
        }
        _ => Instead::Itself,
    }
}
