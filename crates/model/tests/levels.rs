//! What fails a run and what is advice: by rule, and where a rule's level is not the same
//! everywhere, by revision, kind of message and shade.

use model::{
    Aspect, Level, LevelContext, MessageKind, ProtocolVersion, RuleId,
    RuleId::{
        BatchArray, BusyAtEof, CarriageReturn, DeepNesting, DuplicateKey, ExtraMember, IdMissing,
        IdNull, IdType, IgnoredSigterm, LargeFrame, LeakedDescendant, LoneSurrogate, LostAtEof,
        NoExitAtEof, NonzeroExit, NumberRange, ReplacementCharacter, StdoutWriteRetry,
        UndeclaredCapability, UnknownNotification, VersionNegotiation, WrongErrorCode,
    },
};

/// What mainstream servers do, or what harms nobody at once.
const ADVICE: [RuleId; 18] = [
    CarriageReturn,
    LargeFrame,
    DuplicateKey,
    LoneSurrogate,
    NumberRange,
    DeepNesting,
    ExtraMember,
    UndeclaredCapability,
    UnknownNotification,
    ReplacementCharacter,
    LeakedDescendant,
    NoExitAtEof,
    IgnoredSigterm,
    NonzeroExit,
    BusyAtEof,
    StdoutWriteRetry,
    LostAtEof,
    WrongErrorCode,
];

/// Those whose level depends on more than their name.
const VARYING: [RuleId; 6] =
    [BatchArray, IdType, IdMissing, IdNull, VersionNegotiation, UndeclaredCapability];

const KINDS: [MessageKind; 4] =
    [MessageKind::Request, MessageKind::Notification, MessageKind::Result, MessageKind::Error];

const ASPECTS: [Aspect; 3] =
    [Aspect::IntegralFloat, Aspect::MalformedBatch, Aspect::UnknownRevision];

fn versions() -> impl Iterator<Item = Option<ProtocolVersion>> {
    ProtocolVersion::ALL.into_iter().map(Some).chain([None])
}

/// Every context: no member of it need be known.
fn contexts() -> Vec<LevelContext> {
    let mut contexts = Vec::new();
    for version in versions() {
        for kind in KINDS.into_iter().map(Some).chain([None]) {
            for aspect in ASPECTS.into_iter().map(Some).chain([None]) {
                contexts.push(LevelContext { version, kind, aspect });
            }
        }
    }
    contexts
}

/// Holds a rule's level against what is expected of each context.
fn expect(rule: RuleId, expected: impl Fn(LevelContext) -> Level) {
    for context in contexts() {
        assert_eq!(rule.rule().level_in(context), expected(context), "{rule} in {context:?}");
    }
}

#[test]
fn most_rules_have_one_level() {
    for rule in RuleId::ALL.iter().filter(|rule| !VARYING.contains(rule)) {
        expect(*rule, |_| if ADVICE.contains(rule) { Level::Advice } else { Level::Must });
    }
}

#[test]
fn what_is_advice_by_itself_is_so_without_a_context() {
    let advice = |rule: &&RuleId| rule.rule().level_in(LevelContext::default()) == Level::Advice;
    let found: Vec<RuleId> = RuleId::ALL.iter().filter(advice).copied().collect();
    assert_eq!(found, ADVICE);
}

/// Only 2025-03-26 has batches, and none may mix replies with anything else.
#[test]
fn a_batch_is_legal_in_one_revision() {
    let with_batches = Some(ProtocolVersion::V2025_03_26);
    expect(BatchArray, |context| {
        if context.aspect != Some(Aspect::MalformedBatch) && context.version == with_batches {
            Level::Legal
        } else {
            Level::Must
        }
    });
}

#[test]
fn an_id_that_is_an_integer_in_value_is_advice() {
    expect(IdType, |context| match context.aspect {
        Some(Aspect::IntegralFloat) => Level::Advice,
        _ => Level::Must,
    });
}

/// From 2025-11-25 on an error may omit its id.
#[test]
fn an_error_may_lack_its_id() {
    expect(IdMissing, |context| match (context.kind, context.version) {
        (Some(MessageKind::Error), Some(version)) if version >= ProtocolVersion::V2025_11_25 => {
            Level::Legal
        }
        (Some(MessageKind::Error), _) => Level::Advice,
        _ => Level::Must,
    });
}

#[test]
fn a_null_id_is_advice_on_an_error() {
    expect(IdNull, |context| match context.kind {
        Some(MessageKind::Error) => Level::Advice,
        _ => Level::Must,
    });
}

#[test]
fn a_revision_that_was_never_released_is_advice() {
    expect(VersionNegotiation, |context| match context.aspect {
        Some(Aspect::UnknownRevision) => Level::Advice,
        _ => Level::Must,
    });
}

/// A request for what the client did not offer fails from 2025-06-18 on, in the form that the
/// revision has for it: a message of its own, or a result that asks for input.
#[test]
fn the_use_of_a_capability_that_was_not_offered_is_a_violation_where_the_revision_says_so() {
    use ProtocolVersion::{V2025_06_18, V2025_11_25, V2026_07_28};
    expect(UndeclaredCapability, |context| match (context.kind, context.version) {
        (Some(MessageKind::Request), Some(V2025_06_18 | V2025_11_25))
        | (Some(MessageKind::Result), Some(V2026_07_28)) => Level::Must,
        _ => Level::Advice,
    });
}

#[test]
fn the_last_revision_has_no_handshake() {
    let with: Vec<_> =
        ProtocolVersion::ALL.into_iter().filter(|version| version.has_handshake()).collect();
    assert_eq!(with, ProtocolVersion::ALL[..4]);
    assert_eq!(ProtocolVersion::NEWEST_WITH_HANDSHAKE, ProtocolVersion::V2025_11_25);
}
