//! The mutants that are not written by hand: one for each rule, which it does not know.

use inspect::{Detector, Inspector, RuleSet, Setting};
use model::RuleId;

use crate::mutant::DiesAs;

/// The true detector without one rule.
#[derive(Clone, Copy, Debug)]
pub struct Blind {
    /// The rule that it does not know.
    pub rule: RuleId,
    /// The id of the case that kills it, which is no recording of a fixture.
    pub canonical_case: &'static str,
    /// The exact wrong answer that it gives there.
    pub dies_as: DiesAs,
}

const fn blind(rule: RuleId, canonical_case: &'static str, dies_as: DiesAs) -> Blind {
    Blind { rule, canonical_case, dies_as }
}

const BLINDS: &[Blind] = &[
    blind(
        RuleId::EmptyFrame,
        "inc-0043-blank-line-between-messages",
        DiesAs::at(RuleId::InvalidJson, 2, 0),
    ),
    blind(RuleId::DecodeError, "inc-0045-legacy-bytes-in-description", DiesAs::VALID),
    blind(
        RuleId::ByteOrderMark,
        "inc-0044-byte-order-mark-first",
        DiesAs::at(RuleId::InvalidJson, 1, 0),
    ),
    blind(RuleId::SplitMessage, "inc-0122-indented-replies", DiesAs::at(RuleId::InvalidJson, 1, 1)),
    blind(
        RuleId::JoinedMessages,
        "syn-0029-three-joined-messages",
        DiesAs::at(RuleId::InvalidJson, 3, 87),
    ),
    blind(
        RuleId::ContentLengthHeader,
        "inc-0038-content-length-reply",
        DiesAs::at(RuleId::InvalidJson, 1, 0).with_advice(&[RuleId::CarriageReturn]),
    ),
    blind(
        RuleId::PartialFrame,
        "inc-0091-prompt-for-an-answer",
        DiesAs::after_frames(RuleId::NoResponse),
    ),
    blind(RuleId::UnterminatedFrame, "syn-0048-unterminated-with-blanks", DiesAs::VALID),
    blind(
        RuleId::OversizedFrame,
        "syn-0051-carriage-return-over-the-limit",
        DiesAs::VALID.with_advice(&[RuleId::CarriageReturn]),
    ),
    blind(
        RuleId::EchoedInput,
        "inc-0059-terminal-echoes-requests",
        DiesAs::VALID.with_advice(&[RuleId::CarriageReturn, RuleId::UnknownNotification]),
    ),
    blind(RuleId::CarriageReturn, "inc-0042-text-mode-line-ends", DiesAs::VALID),
    blind(RuleId::LargeFrame, "syn-0055-one-byte-over-10-mib", DiesAs::VALID),
    blind(RuleId::InvalidJson, "inc-0001-version-line-at-startup", DiesAs::VALID),
    blind(
        RuleId::DuplicateMember,
        "syn-0106-result-twice-by-escapes",
        DiesAs::at(RuleId::SchemaMismatch, 2, 67),
    ),
    blind(RuleId::DuplicateKey, "ctl-0050-duplicate-keys-deep-down", DiesAs::VALID),
    blind(RuleId::LoneSurrogate, "inc-0071-lone-surrogate-in-result", DiesAs::VALID),
    blind(RuleId::NumberRange, "ctl-0013-integers-beyond-2-53", DiesAs::VALID),
    blind(RuleId::DeepNesting, "syn-0116-objects-129-deep", DiesAs::VALID),
    blind(RuleId::NotAnObject, "inc-0025-bare-value-from-tool", DiesAs::VALID),
    blind(RuleId::BatchArray, "inc-0069-replies-in-a-batch", DiesAs::VALID),
    blind(RuleId::JsonrpcVersion, "syn-0132-version-2.1", DiesAs::VALID),
    blind(RuleId::UnknownKind, "syn-0136-only-a-version", DiesAs::VALID),
    blind(
        RuleId::MethodAndResult,
        "syn-0138-method-and-error",
        DiesAs::VALID.with_advice(&[RuleId::LostAtEof]),
    ),
    blind(RuleId::ResultAndError, "syn-0143-null-result-behind-an-error", DiesAs::VALID),
    blind(RuleId::MethodType, "syn-0145-null-method", DiesAs::VALID),
    blind(
        RuleId::ParamsType,
        "syn-0148-empty-array-as-params",
        DiesAs::at(RuleId::SchemaMismatch, 2, 37),
    ),
    blind(RuleId::IdType, "syn-0153-id-with-a-fraction", DiesAs::at(RuleId::UnknownId, 1, 22)),
    blind(
        RuleId::IdMissing,
        "syn-0161-result-without-id-in-another-order",
        DiesAs::VALID.with_advice(&[RuleId::LostAtEof]),
    ),
    blind(RuleId::IdNull, "inc-0064-null-id-result-for-notification", DiesAs::VALID),
    blind(
        RuleId::ResultType,
        "syn-0164-array-as-result",
        DiesAs::at(RuleId::SchemaMismatch, 2, 40),
    ),
    blind(RuleId::ErrorShape, "syn-0169-error-code-as-string", DiesAs::VALID),
    blind(RuleId::ExtraMember, "ctl-0049-extra-members", DiesAs::VALID),
    blind(RuleId::SchemaMismatch, "syn-0301-null-cursor", DiesAs::VALID),
    blind(
        RuleId::VersionNegotiation,
        "syn-0320-handshake-with-a-revision-that-has-none",
        DiesAs::VALID,
    ),
    blind(RuleId::UndeclaredCapability, "syn-0325-roots-not-offered", DiesAs::VALID),
    blind(RuleId::ProgressOrder, "syn-0341-progress-stands-still", DiesAs::VALID),
    blind(RuleId::UnknownNotification, "syn-0350-server-sends-roots-list-changed", DiesAs::VALID),
    blind(
        RuleId::ReplacementCharacter,
        "syn-0355-replacement-character-in-a-tool-result",
        DiesAs::VALID,
    ),
    blind(RuleId::ResultKind, "syn-0360-result-without-its-kind", DiesAs::VALID),
    blind(
        RuleId::UnknownId,
        "inc-0076-string-id-becomes-zero",
        DiesAs::after_frames(RuleId::NoResponse),
    ),
    blind(
        RuleId::IdChanged,
        "inc-0075-integer-id-becomes-string",
        DiesAs::after_frames(RuleId::NoResponse),
    ),
    blind(RuleId::DuplicateResponse, "syn-0179-late-second-initialize-reply", DiesAs::VALID),
    blind(RuleId::ReplyToNotification, "inc-0067-error-without-id-for-notification", DiesAs::VALID),
    blind(RuleId::NoResponse, "inc-0054-reply-flushed-at-exit-only", DiesAs::VALID),
    blind(
        RuleId::RepliedOnStderr,
        "inc-0077-errors-go-to-stderr",
        DiesAs::after_frames(RuleId::NoResponse),
    ),
    blind(
        RuleId::ExitBeforeFrame,
        "inc-0060-launcher-demands-a-terminal",
        DiesAs::inconclusive("incomplete"),
    ),
    blind(
        RuleId::ExitBeforeResponse,
        "inc-0073-unknown-method-ends-the-process",
        DiesAs::inconclusive("incomplete"),
    ),
    blind(
        RuleId::ExitWhileIdle,
        "inc-0086-ends-after-idle-time",
        DiesAs::inconclusive("incomplete"),
    ),
    blind(RuleId::StdoutClosed, "syn-0205-stdout-closed-while-idle", DiesAs::VALID),
    blind(RuleId::LeakedDescendant, "inc-0087-browser-tree-survives", DiesAs::VALID),
    blind(RuleId::NoExitAtEof, "inc-0079-stays-when-stdin-ends", DiesAs::VALID),
    blind(
        RuleId::IgnoredSigterm,
        "inc-0088-signal-handler-does-not-exit",
        DiesAs::VALID.with_advice(&[RuleId::NoExitAtEof]),
    ),
    blind(RuleId::NonzeroExit, "inc-0080-traceback-at-shutdown", DiesAs::VALID),
    blind(
        RuleId::BusyAtEof,
        "inc-0130-reads-an-ended-stdin-for-ever",
        DiesAs::VALID.with_advice(&[RuleId::NoExitAtEof]),
    ),
    blind(
        RuleId::StdoutWriteRetry,
        "inc-0131-tries-a-broken-pipe-again",
        DiesAs::VALID.with_advice(&[RuleId::NoExitAtEof]),
    ),
    blind(RuleId::LostAtEof, "inc-0132-replies-lost-at-end-of-stdin", DiesAs::VALID),
    blind(RuleId::WrongErrorCode, "syn-0400-unknown-method-is-invalid-params", DiesAs::VALID),
    blind(RuleId::CanaryMissing, "syn-0401-canary-never-logged", DiesAs::VALID),
    blind(RuleId::CanaryOnStdout, "syn-0402-canary-inside-a-message", DiesAs::VALID),
];

/// One mutant for each rule of the catalogue, in its order.
pub fn blinds() -> impl Iterator<Item = &'static Blind> {
    BLINDS.iter()
}

impl Blind {
    /// The mutant for one run.
    #[must_use]
    pub fn detector(&self, mut rules: RuleSet) -> Box<dyn Detector> {
        rules.set(self.rule, Setting::Off);
        Box::new(Inspector::new(rules))
    }
}

#[cfg(test)]
mod tests {
    use model::RuleId;

    use super::blinds;

    #[test]
    fn every_rule_has_its_row_in_the_order_of_the_catalogue() {
        assert!(blinds().map(|blind| &blind.rule).eq(RuleId::ALL));
    }
}
