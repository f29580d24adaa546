//! Harnesses that look at a part of the run and take it for the whole.

use model::{ExitStatus, Phase, RuleId};

use super::row;
use crate::mutant::{DiesAs, Mutant};
use crate::wrap::with_findings;

const SIXTY_FOUR_KIB: u64 = 64 * 1024;

pub(crate) const MUTANTS: &[Mutant] = &[
    Mutant {
        blinds: RuleId::ALL,
        canonical_case: "inc-0007-time-first-log-line",
        dies_as: DiesAs::VALID,
        make: |rules| {
            with_findings(rules, |finding, _| {
                finding.position.frame().is_some_and(|frame| frame.0 == 1)
                    || finding.position.stream().0 == 0
            })
        },
        ..row(
            "first-frame-only",
            "If the first line is a message, the server knows what stdout is for.",
        )
    },
    Mutant {
        blinds: RuleId::ALL,
        canonical_case: "inc-0050-stalls-at-64-kib",
        dies_as: DiesAs::VALID,
        make: |rules| {
            with_findings(rules, |finding, _| finding.position.stream().0 < SIXTY_FOUR_KIB)
        },
        ..row("first-64k-only", "One read of a pipe gives 64 KiB, and one read is enough to see.")
    },
    Mutant {
        blinds: RuleId::ALL,
        canonical_case: "inc-0022-print-in-list-handler",
        dies_as: DiesAs::VALID,
        make: |rules| {
            with_findings(rules, |finding, _| {
                matches!(finding.phase, Phase::Launch | Phase::Startup)
            })
        },
        ..row(
            "stop-after-initialize",
            "A smoke test sends initialize, sees a reply, and is content.",
        )
    },
    Mutant {
        blinds: RuleId::ALL,
        canonical_case: "inc-0034-good-bye-line",
        dies_as: DiesAs::VALID,
        make: |rules| {
            with_findings(rules, |finding, _| {
                !matches!(finding.phase, Phase::Shutdown | Phase::AfterExit)
            })
        },
        ..row("deaf-after-close", "Nothing that comes after stdin was closed can matter any more.")
    },
    Mutant {
        blinds: RuleId::ALL,
        canonical_case: "inc-0003-ascii-art-banner",
        dies_as: DiesAs::VALID,
        make: |rules| with_findings(rules, |_, exit| !matches!(exit, Some(ExitStatus::SUCCESS))),
        ..row("exit-status-only", "`set -e` is the whole test of many scripts.")
    },
    Mutant {
        blinds: RuleId::ALL,
        canonical_case: "inc-0018-watcher-reports-later",
        dies_as: DiesAs::VALID,
        make: |rules| with_findings(rules, |finding, _| finding.pending.is_some()),
        ..row(
            "nobody-waits-nobody-looks",
            "A client reads stdout while it waits for a reply, and at no other time.",
        )
    },
];
