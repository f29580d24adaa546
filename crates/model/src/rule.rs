//! What a rule is: its identity, layer, level and source.

use std::fmt;
use std::str::FromStr;

use crate::protocol::{MessageKind, ProtocolVersion};

/// The layer of a rule, lowest first. A frame that fails in one layer never reaches the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// Layer 1: framing and bytes.
    Framing,
    /// Layer 2: JSON syntax.
    Json,
    /// Layer 3: JSON-RPC shape.
    JsonRpc,
    /// Layer 4: MCP schema and method semantics.
    Mcp,
    /// Layer 5: correlation and lifecycle.
    Lifecycle,
}

impl Layer {
    /// Every layer, lowest first.
    pub const ALL: [Self; 5] =
        [Self::Framing, Self::Json, Self::JsonRpc, Self::Mcp, Self::Lifecycle];

    /// The number, 1 to 5.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8 + 1
    }

    /// The name used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Framing => "framing and bytes",
            Self::Json => "JSON",
            Self::JsonRpc => "JSON-RPC",
            Self::Mcp => "MCP",
            Self::Lifecycle => "correlation and lifecycle",
        }
    }
}

/// What a finding does to the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Nothing: what the rule describes is allowed here.
    Legal,
    /// Reported; fails the run only when asked for.
    Advice,
    /// Fails the run.
    Must,
}

impl Level {
    /// The name used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Legal => "legal",
            Self::Advice => "advice",
            Self::Must => "must",
        }
    }
}

/// A rule's level where it is not the same everywhere. The first case that matches counts.
#[derive(Clone, Copy, Debug)]
pub struct LevelCase {
    /// The revisions, first and last, in which the case holds; None for all, and before one is
    /// negotiated.
    pub versions: Option<(ProtocolVersion, ProtocolVersion)>,
    /// The kinds of message for which the case holds; all when empty.
    pub kinds: &'static [MessageKind],
    /// The aspect for which the case holds; all when None.
    pub aspect: Option<Aspect>,
    /// The level.
    pub level: Level,
}

/// A shade of a rule that has a level of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aspect {
    /// An id such as `1.0` or `1e2`, whose value is an integer.
    IntegralFloat,
    /// A batch that is empty, or that mixes replies with requests and notifications.
    MalformedBatch,
    /// An answer with a revision that nobody knows.
    UnknownRevision,
}

/// What a level may depend on.
#[derive(Clone, Copy, Debug, Default)]
pub struct LevelContext {
    /// The negotiated revision.
    pub version: Option<ProtocolVersion>,
    /// The kind of the message.
    pub kind: Option<MessageKind>,
    /// The shade of the rule.
    pub aspect: Option<Aspect>,
}

/// Where a rule comes from.
#[derive(Clone, Copy, Debug)]
pub struct SpecRef {
    /// The document and section.
    pub section: &'static str,
    /// The sentence.
    pub quote: &'static str,
}

/// One row of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The identity.
    pub id: RuleId,
    /// The layer.
    pub layer: Layer,
    /// The level where no case of `levels` matches.
    pub level: Level,
    /// Where the level differs.
    pub levels: &'static [LevelCase],
    /// The source.
    pub spec: SpecRef,
    /// One sentence for the report: what was seen.
    pub summary: &'static str,
    /// One paragraph: what it is and how it happens in real servers.
    pub explanation: &'static str,
    /// What client SDKs do with it.
    pub clients: &'static str,
    /// What the server's author can do.
    pub mend: &'static str,
}

impl Rule {
    /// The level in a context.
    #[must_use]
    pub fn level_in(&self, context: LevelContext) -> Level {
        self.levels
            .iter()
            .find(|case| {
                case.versions.is_none_or(|(first, last)| {
                    context.version.is_some_and(|version| (first..=last).contains(&version))
                }) && (case.kinds.is_empty()
                    || context.kind.is_some_and(|kind| case.kinds.contains(&kind)))
                    && case.aspect.is_none_or(|aspect| context.aspect == Some(aspect))
            })
            .map_or(self.level, |case| case.level)
    }
}

/// A name that is no rule's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownRule;

impl fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no rule has this name")
    }
}

impl std::error::Error for UnknownRule {}

macro_rules! rule_ids {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// The permanent identity of a rule, in the order of the catalogue. Never reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum RuleId { $(#[doc = concat!("`", $name, "`.")] $variant),* }

        impl RuleId {
            /// Every rule, in the order of the catalogue.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The permanent name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
        }
    };
}

rule_ids! {
    EmptyFrame = "empty-frame",
    DecodeError = "decode-error",
    ByteOrderMark = "byte-order-mark",
    SplitMessage = "split-message",
    JoinedMessages = "joined-messages",
    ContentLengthHeader = "content-length-header",
    PartialFrame = "partial-frame",
    UnterminatedFrame = "unterminated-frame",
    OversizedFrame = "oversized-frame",
    EchoedInput = "echoed-input",
    CarriageReturn = "carriage-return",
    LargeFrame = "large-frame",
    InvalidJson = "invalid-json",
    DuplicateMember = "duplicate-member",
    DuplicateKey = "duplicate-key",
    LoneSurrogate = "lone-surrogate",
    NumberRange = "number-range",
    DeepNesting = "deep-nesting",
    NotAnObject = "not-an-object",
    BatchArray = "batch-array",
    JsonrpcVersion = "jsonrpc-version",
    UnknownKind = "unknown-kind",
    MethodAndResult = "method-and-result",
    ResultAndError = "result-and-error",
    MethodType = "method-type",
    ParamsType = "params-type",
    IdType = "id-type",
    IdMissing = "id-missing",
    IdNull = "id-null",
    ResultType = "result-type",
    ErrorShape = "error-shape",
    ExtraMember = "extra-member",
    SchemaMismatch = "schema-mismatch",
    VersionNegotiation = "version-negotiation",
    UndeclaredCapability = "undeclared-capability",
    ProgressOrder = "progress-order",
    UnknownNotification = "unknown-notification",
    ReplacementCharacter = "replacement-character",
    ResultKind = "result-kind",
    UnknownId = "unknown-id",
    IdChanged = "id-changed",
    DuplicateResponse = "duplicate-response",
    ReplyToNotification = "reply-to-notification",
    NoResponse = "no-response",
    RepliedOnStderr = "replied-on-stderr",
    ExitBeforeFrame = "exit-before-frame",
    ExitBeforeResponse = "exit-before-response",
    ExitWhileIdle = "exit-while-idle",
    StdoutClosed = "stdout-closed",
    LeakedDescendant = "leaked-descendant",
    NoExitAtEof = "no-exit-at-eof",
    IgnoredSigterm = "ignored-sigterm",
    NonzeroExit = "nonzero-exit",
    BusyAtEof = "busy-at-eof",
    StdoutWriteRetry = "stdout-write-retry",
    LostAtEof = "lost-at-eof",
    WrongErrorCode = "wrong-error-code",
    CanaryMissing = "canary-missing",
    CanaryOnStdout = "canary-on-stdout",
}

impl RuleId {
    /// The rule's row.
    #[must_use]
    pub fn rule(self) -> &'static Rule {
        crate::catalogue::catalogue().rule(self)
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for RuleId {
    type Err = UnknownRule;

    /// Parses the permanent name.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.iter().copied().find(|id| id.name() == text).ok_or(UnknownRule)
    }
}
