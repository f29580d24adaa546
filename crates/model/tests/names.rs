//! The names that reports, cases and the wire use. They are permanent: whoever reads a report by
//! machine relies on them.

use std::fmt::Debug;

use model::{
    Activity, CapName, Cleanliness, ContainmentLevel, DeadlineName, FrameNo, Inconclusive,
    LadderStepName, LaunchFailure, Layer, Level, Member, MessageKind, NotChecked, Phase,
    ProtocolVersion, RawId, RuleId, Signal, TailEnd, UnknownRule, Untested,
};

fn named<T: Copy + Debug>(name: fn(T) -> &'static str, values: &[(T, &str)]) {
    for (value, expected) in values {
        assert_eq!(name(*value), *expected, "{value:?}");
    }
}

#[test]
fn names_of_what_became_of_a_run() {
    named(
        Cleanliness::name,
        &[
            (Cleanliness::Clean, "clean"),
            (Cleanliness::Escalated, "escalated"),
            (Cleanliness::Leaked, "leaked"),
            (Cleanliness::Unknown, "unknown"),
        ],
    );
    named(
        LadderStepName::name,
        &[
            (LadderStepName::CloseStdin, "close-stdin"),
            (LadderStepName::Terminate, "terminate"),
            (LadderStepName::Kill, "kill"),
            (LadderStepName::KillStrays, "kill-strays"),
            (LadderStepName::Reap, "reap"),
        ],
    );
    named(
        ContainmentLevel::name,
        &[
            (ContainmentLevel::Group, "group"),
            (ContainmentLevel::Supervisor, "supervisor"),
            (ContainmentLevel::Namespace, "namespace"),
        ],
    );
    named(Activity::name, &[(Activity::Running, "running"), (Activity::Stopped, "stopped")]);
    named(
        TailEnd::name,
        &[(TailEnd::Eof, "eof"), (TailEnd::Exit, "exit"), (TailEnd::Deadline, "deadline")],
    );
    named(
        NotChecked::name,
        &[
            (NotChecked::Schema, "schema"),
            (NotChecked::ToolCalls, "tool-calls"),
            (NotChecked::Correlation, "correlation"),
            (NotChecked::DuplicateKeys, "duplicate-keys"),
            (NotChecked::BatchMembers, "batch-members"),
            (NotChecked::LongMember, "long-member"),
            (NotChecked::SchemaOfResults, "schema-of-results"),
            (NotChecked::SchemaOfLargeMessage, "schema-of-large-message"),
            (NotChecked::SchemaOfDeepMessage, "schema-of-deep-message"),
            (NotChecked::SchemaOfUnknownRevision, "schema-of-unknown-revision"),
        ],
    );
}

#[test]
fn names_of_rules_and_of_what_they_look_at() {
    named(
        Level::name,
        &[(Level::Legal, "legal"), (Level::Advice, "advice"), (Level::Must, "must")],
    );
    named(
        Layer::name,
        &[
            (Layer::Framing, "framing and bytes"),
            (Layer::Json, "JSON"),
            (Layer::JsonRpc, "JSON-RPC"),
            (Layer::Mcp, "MCP"),
            (Layer::Lifecycle, "correlation and lifecycle"),
        ],
    );
    assert_eq!(Layer::ALL.map(Layer::number), [1, 2, 3, 4, 5]);
    named(
        MessageKind::name,
        &[
            (MessageKind::Request, "request"),
            (MessageKind::Notification, "notification"),
            (MessageKind::Result, "result"),
            (MessageKind::Error, "error"),
        ],
    );
    named(
        Member::path,
        &[
            (Member::Jsonrpc, "jsonrpc"),
            (Member::Id, "id"),
            (Member::Method, "method"),
            (Member::Params, "params"),
            (Member::Result, "result"),
            (Member::Error, "error"),
            (Member::ErrorCode, "error.code"),
            (Member::ErrorMessage, "error.message"),
        ],
    );
}

#[test]
fn names_of_what_proves_nothing() {
    let method = || "m".into();
    for (reason, name) in [
        (Inconclusive::Launch(LaunchFailure::NotExecutable), "launch"),
        (Inconclusive::TotalTimeout, "total-timeout"),
        (Inconclusive::StdoutCap, "stdout-cap"),
        (Inconclusive::NotInitialized, "not-initialized"),
        (Inconclusive::NotDiscovered, "not-discovered"),
        (Inconclusive::NothingToJudge, "nothing-to-judge"),
        (Inconclusive::Interrupted, "interrupted"),
        (Inconclusive::Incomplete, "incomplete"),
        (Inconclusive::Untested(Untested::ToolNotListed { tool: method() }), "call-not-tested"),
        (
            Inconclusive::Untested(Untested::ListNotFinished { method: method() }),
            "list-not-finished",
        ),
        (
            Inconclusive::Untested(Untested::ReplyNotReadable { method: method() }),
            "reply-not-readable",
        ),
        (Inconclusive::Untested(Untested::NoTool), "no-tool"),
    ] {
        assert_eq!(reason.name(), name);
    }
}

/// Names that are read back: each is the name of one value, as text too, and other text of none.
macro_rules! parse_back {
    ($($test:ident: $type:ty = [$($name:literal),* $(,)?]);* $(;)?) => {$(
        #[test]
        fn $test() {
            let values: Vec<$type> = <$type>::ALL.to_vec();
            let names: Vec<&str> = values.iter().map(|value| value.name()).collect();
            assert_eq!(names, [$($name),*]);
            for value in values {
                assert_eq!(value.name().parse(), Ok(value));
                assert_eq!(format!("{value:>40}"), format!("{:>40}", value.name()));
                assert!(format!("{value} ").parse::<$type>().is_err());
            }
            assert!("".parse::<$type>().is_err());
        }
    )*};
}

parse_back! {
    phases: Phase = [
        "launch", "startup", "handshake", "discovery", "call", "idle", "shutdown", "after-exit",
    ];
    revisions: ProtocolVersion =
        ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
    deadlines: DeadlineName = [
        "startup", "reply", "exit-grace", "shutdown-eof", "shutdown-term", "shutdown-kill", "total",
    ];
    caps: CapName = ["total-stdout"];
    signals: Signal = ["SIGTERM", "SIGKILL", "SIGCONT"];
}

#[test]
fn what_is_shown_is_the_name() {
    assert_eq!(Cleanliness::Leaked.to_string(), "leaked");
    assert_eq!(LadderStepName::Reap.to_string(), "reap");
    assert_eq!(ContainmentLevel::Supervisor.to_string(), "supervisor");
    assert_eq!(Activity::Stopped.to_string(), "stopped");
    assert_eq!(MessageKind::Error.to_string(), "error");
    assert_eq!(RuleId::InvalidJson.to_string(), "invalid-json");
    assert_eq!(UnknownRule.to_string(), "no rule has this name");
    assert_eq!(RawId::new(r#""a\u0062""#).to_string(), r#""a\u0062""#);
    assert_eq!(RawId::integer(-7).as_str(), "-7");
    assert_eq!(FrameNo::FIRST.next().next().to_string(), "3");
}
