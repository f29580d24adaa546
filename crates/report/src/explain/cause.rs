//! What lies behind a rule: rules that come about alike are mended alike.

use model::{Layer, RuleId};

/// What usually lies behind a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cause {
    /// Something else than the transport writes to stdout.
    StrayOutput,
    /// Text is written in another encoding than UTF-8.
    Encoding,
    /// A message is not one line.
    Lines,
    /// Buffered output is lost or torn when the process ends.
    Flushing,
    /// A message is larger than clients read.
    Size,
    /// A terminal or a wrapper stands between client and server.
    Wrapper,
    /// JSON is put together by hand, or from values that JSON does not have.
    Serialiser,
    /// The JSON-RPC envelope is made by hand.
    Envelope,
    /// Contents do not have the shape of the revision in force.
    Schema,
    /// Replies do not match requests.
    Correlation,
    /// The process ends, or stops answering, while the client waits.
    Crash,
    /// The process does not end as it should.
    Shutdown,
}

impl Cause {
    #[cfg(test)]
    pub(super) const ALL: [Self; 12] = [
        Self::StrayOutput,
        Self::Encoding,
        Self::Lines,
        Self::Flushing,
        Self::Size,
        Self::Wrapper,
        Self::Serialiser,
        Self::Envelope,
        Self::Schema,
        Self::Correlation,
        Self::Crash,
        Self::Shutdown,
    ];

    /// The cause of most violations of a rule. A rule that is not named has the usual cause of
    /// its layer.
    pub(super) fn of(rule: RuleId) -> Self {
        match rule {
            RuleId::DecodeError | RuleId::ByteOrderMark => Self::Encoding,
            RuleId::SplitMessage
            | RuleId::JoinedMessages
            | RuleId::ContentLengthHeader
            | RuleId::CarriageReturn => Self::Lines,
            RuleId::PartialFrame | RuleId::UnterminatedFrame => Self::Flushing,
            RuleId::OversizedFrame | RuleId::LargeFrame => Self::Size,
            RuleId::EchoedInput => Self::Wrapper,
            RuleId::EmptyFrame | RuleId::InvalidJson | RuleId::NotAnObject => Self::StrayOutput,
            RuleId::NoResponse
            | RuleId::ExitBeforeFrame
            | RuleId::ExitBeforeResponse
            | RuleId::ExitWhileIdle
            | RuleId::StdoutClosed => Self::Crash,
            RuleId::LeakedDescendant
            | RuleId::NoExitAtEof
            | RuleId::IgnoredSigterm
            | RuleId::NonzeroExit => Self::Shutdown,
            _ => match rule.rule().layer {
                Layer::Framing => Self::Lines,
                Layer::Json => Self::Serialiser,
                Layer::JsonRpc => Self::Envelope,
                Layer::Mcp => Self::Schema,
                Layer::Lifecycle => Self::Correlation,
            },
        }
    }

    /// In a few words.
    pub(super) fn summary(self) -> &'static str {
        match self {
            Self::StrayOutput => "something else than the transport writes to stdout",
            Self::Encoding => "text in another encoding than UTF-8",
            Self::Lines => "a message that is not one line",
            Self::Flushing => "output that is lost or torn when the process ends",
            Self::Size => "a message larger than clients read",
            Self::Wrapper => "a terminal or a wrapper in between",
            Self::Serialiser => "JSON put together by hand, or values that JSON does not have",
            Self::Envelope => "a JSON-RPC envelope made by hand",
            Self::Schema => "contents of another shape than the revision has",
            Self::Correlation => "replies that do not match requests",
            Self::Crash => "a process that ends or stops while the client waits",
            Self::Shutdown => "a process that does not end as it should",
        }
    }
}
