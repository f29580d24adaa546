//! Parsers that take what is not quite JSON or not quite UTF-8.

use std::ops::Range;

use model::{Finding, RuleId};

use super::row;
use crate::json;
use crate::mutant::{DiesAs, Mutant};
use crate::read::{Instead, Line, Session, mend};
use crate::wrap::with_rules;

pub(crate) const MUTANTS: &[Mutant] = &[
    Mutant {
        blinds: &[RuleId::DecodeError],
        canonical_case: "inc-0045-legacy-bytes-in-description",
        dies_as: DiesAs::VALID.with_advice(&[RuleId::ReplacementCharacter]),
        make: |rules| mend(rules, lossy),
        ..row(
            "lossy-utf8",
            "`from_utf8_lossy`, `errors=\"replace\"` and every text stream of JavaScript repair \
            bytes without a word.",
        )
    },
    Mutant {
        blinds: &[RuleId::ByteOrderMark],
        canonical_case: "syn-0018-byte-order-mark-on-a-later-frame",
        dies_as: DiesAs::VALID,
        like_blind: Some(RuleId::ByteOrderMark),
        make: |rules| mend(rules, |line, fault, _| without_mark(line, fault)),
        ..row("strip-bom", "rmcp strips the mark from every line.")
    },
    Mutant {
        blinds: &[RuleId::ByteOrderMark],
        canonical_case: "inc-0044-byte-order-mark-first",
        dies_as: DiesAs::VALID,
        make: |rules| {
            mend(rules, |line, fault, session| match session.messages() {
                0 => without_mark(line, fault),
                _ => Instead::Itself,
            })
        },
        ..row(
            "strip-bom-at-the-start",
            "Decoders named utf-8-sig take one mark from the start of a stream.",
        )
    },
    Mutant {
        blinds: &[RuleId::InvalidJson],
        canonical_case: "syn-0088-ansi-erase-line",
        dies_as: DiesAs::VALID,
        make: |rules| mend(rules, |line, fault, _| without_ansi(line, fault)),
        ..row("strip-ansi", "Colours are for people; a line is the same line without them.")
    },
    Mutant {
        blinds: &[RuleId::InvalidJson],
        canonical_case: "inc-0070-infinite-number",
        dies_as: DiesAs::VALID,
        make: |rules| mend(rules, |line, fault, _| replaced(line, fault, not_a_number)),
        ..row("nan-accepted", "The JSON module of Python reads NaN and Infinity by default.")
    },
    Mutant {
        blinds: &[RuleId::InvalidJson],
        canonical_case: "syn-0081-raw-tab-in-a-string",
        dies_as: DiesAs::VALID,
        make: |rules| mend(rules, |line, fault, _| control(line, fault)),
        ..row("control-characters-accepted", "`strict=False` lets raw tabs and escapes through.")
    },
    Mutant {
        blinds: &[RuleId::InvalidJson],
        canonical_case: "syn-0070-comment-in-a-message",
        dies_as: DiesAs::VALID,
        make: |rules| mend(rules, |line, fault, _| replaced(line, fault, comment)),
        ..row("comments-accepted", "A parser for configuration files reads comments.")
    },
    Mutant {
        blinds: &[RuleId::InvalidJson],
        canonical_case: "syn-0074-trailing-comma-in-an-object",
        dies_as: DiesAs::VALID,
        make: |rules| mend(rules, |line, fault, _| trailing_comma(line, fault)),
        ..row("trailing-comma-accepted", "Every relaxed parser forgives the last comma.")
    },
    Mutant {
        blinds: &[RuleId::InvalidJson],
        canonical_case: "inc-0041-timer-text-glued-behind",
        dies_as: DiesAs::VALID,
        make: |rules| mend(rules, |line, fault, _| text_behind(line, fault)),
        ..row(
            "text-behind-ignored",
            "A decoder that stops at the end of the first value never sees what follows it.",
        )
    },
    Mutant {
        blinds: &[RuleId::DuplicateMember, RuleId::DuplicateKey],
        canonical_case: "syn-0106-result-twice-by-escapes",
        dies_as: DiesAs::at(RuleId::SchemaMismatch, 2, 67),
        make: |rules| {
            with_rules(rules, |rules| {
                rules.set(RuleId::DuplicateMember, inspect::Setting::Off);
                rules.set(RuleId::DuplicateKey, inspect::Setting::Off);
            })
        },
        ..row(
            "duplicate-keys-last-wins",
            "Every map keeps the last value of a key and forgets that there was another.",
        )
    },
];

/// A line that is accepted without being read: if it names a pending request, its reply.
pub(super) fn stand_in(line: &[u8], session: &Session) -> Instead {
    let named = |id: &&model::RawId| super::lines::contains(line, id.as_str().as_bytes());
    match session.pending().find(named) {
        Some(id) => {
            Instead::line(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#).into_bytes())
        }
        None => Instead::NOTHING,
    }
}

fn lossy(line: &Line<'_>, fault: &Finding, _: &Session) -> Instead {
    if fault.rule != RuleId::DecodeError {
        return Instead::Itself;
    }
    let mut text = String::new();
    for chunk in line.bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push('\u{fffd}');
        }
    }
    Instead::line(text.into_bytes())
}

fn without_mark(line: &Line<'_>, fault: &Finding) -> Instead {
    match line.bytes.strip_prefix(b"\xEF\xBB\xBF") {
        Some(rest) if fault.rule == RuleId::ByteOrderMark => Instead::line(rest.to_vec()),
        _ => Instead::Itself,
    }
}

/// Takes away control sequences: ESC, a bracket, parameters, a letter.
fn without_ansi(line: &Line<'_>, fault: &Finding) -> Instead {
    if fault.rule != RuleId::InvalidJson || !line.bytes.contains(&0x1b) {
        return Instead::Itself;
    }
    let mut out = Vec::new();
    let mut rest = line.bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != 0x1b {
            out.push(byte);
        } else if let Some(parameters) = rest.strip_prefix(b"[") {
            let end = parameters.iter().position(u8::is_ascii_alphabetic);
            rest = end.map_or(&[], |end| &parameters[end + 1..]);
        }
    }
    // A line of nothing but colours is no line.
    if out.trim_ascii().is_empty() { Instead::NOTHING } else { Instead::line(out) }
}

/// Bytes of a line, and what stands for them.
type Better = (Range<usize>, &'static [u8]);

/// Replaces what stands where the grammar breaks, if `found` says by what and up to where.
fn replaced(
    line: &Line<'_>,
    fault: &Finding,
    found: fn(&[u8], usize) -> Option<Better>,
) -> Instead {
    let at = fault.position.byte().filter(|_| fault.rule == RuleId::InvalidJson);
    let found = at.and_then(|at| found(line.bytes, at.0 as usize));
    found.map_or(Instead::Itself, |(range, with)| {
        Instead::line(json::splice(line.bytes, range, with))
    })
}

fn not_a_number(line: &[u8], at: usize) -> Option<Better> {
    let word = [&b"NaN"[..], b"Infinity"].into_iter().find(|word| line[at..].starts_with(word))?;
    Some((at..at + word.len(), b"0"))
}

fn comment(line: &[u8], at: usize) -> Option<Better> {
    let text = &line[at..];
    if text.starts_with(b"//") {
        return Some((at..line.len(), b""));
    }
    let inside = text.strip_prefix(b"/*")?;
    let end = inside.windows(2).position(|pair| pair == b"*/")?;
    Some((at..at + 2 + end + 2, b""))
}

fn control(line: &Line<'_>, fault: &Finding) -> Instead {
    replaced(line, fault, |line, at| {
        let raw = line.get(at).is_some_and(|byte| *byte < b' ') && json::in_string(line, at);
        raw.then_some((at..at + 1, b" "))
    })
}

fn trailing_comma(line: &Line<'_>, fault: &Finding) -> Instead {
    replaced(line, fault, |line, at| {
        let closes = matches!(line.get(at), Some(b'}' | b']'));
        let comma = line[..at].iter().rposition(|byte| !json::is_blank(*byte))?;
        (closes && line[comma] == b',').then_some((comma..comma + 1, b""))
    })
}

fn text_behind(line: &Line<'_>, fault: &Finding) -> Instead {
    replaced(line, fault, |line, at| {
        let whole = inspect::check_json_text(&line[..at]).is_ok();
        (whole && line.trim_ascii_start().starts_with(b"{")).then_some((at..line.len(), b""))
    })
}
