//! What client SDKs do with a faulty line: facts with versions, measured by running the SDK or
//! read in its source.

use model::RuleId;

/// The SDKs, in the order of the reactions of a row.
pub(super) const CLIENTS: [&str; 8] = [
    "TypeScript SDK 1.32.2 (measured)",
    "TypeScript SDK 2.4.0 (measured)",
    "Python SDK 2.3.0 (measured)",
    "Rust SDK rmcp 3.11 (measured)",
    "Go SDK 1.7.0 (read)",
    "C# SDK 2.2.0 (read)",
    "Java SDK, main of 2026-08 (read)",
    "Kotlin SDK 0.14 (read)",
];

/// A fault, and what each SDK does with it.
pub(super) struct Row {
    pub(super) fault: &'static str,
    pub(super) reactions: [&'static str; 8],
}

const IGNORED: &str = "ignored without a word";
const LOGGED: &str = "logged, and the session goes on";
const LOGGED_LOST: &str = "logged, and the reply is lost: the request times out";
const IGNORED_LOST: &str = "ignored, and the reply is lost: the request times out";
const DIES: &str = "the connection dies";
const ACCEPTED: &str = "accepted as if nothing were wrong";
const DAMAGED: &str = "accepted with U+FFFD in place of the bytes";
const DROPPED: &str = "dropped when the stream ends";
const UNKNOWN: &str = "not known";

const BLANK_LINE: Row = Row {
    fault: "a blank line",
    reactions: [
        LOGGED,
        IGNORED,
        "logged with a traceback, and the session goes on",
        IGNORED,
        ACCEPTED,
        IGNORED,
        DIES,
        IGNORED,
    ],
};
const CARRIAGE_RETURN: Row = Row { fault: "CR LF line endings", reactions: [ACCEPTED; 8] };
const BYTE_ORDER_MARK: Row = Row {
    fault: "a byte-order mark on the first line",
    reactions: [
        LOGGED_LOST,
        "the reply is lost without any error",
        LOGGED_LOST,
        "accepted, the mark is stripped",
        DIES,
        "probably accepted",
        DIES,
        "accepted, reading begins at the brace",
    ],
};
const NOT_JSON: Row = Row {
    fault: "a line that is not JSON",
    reactions: [
        LOGGED,
        IGNORED,
        LOGGED,
        "ignored but for a debug trace",
        DIES,
        LOGGED,
        "the connection dies, and callers time out",
        LOGGED,
    ],
};
const PRETTY: Row = Row {
    fault: "a reply over several lines",
    reactions: [
        LOGGED_LOST,
        "the reply is lost, with one line of log",
        LOGGED_LOST,
        IGNORED_LOST,
        "accepted, the lines are joined",
        LOGGED_LOST,
        DIES,
        LOGGED_LOST,
    ],
};
const NOT_UTF8: Row = Row {
    fault: "bytes inside a string that are not UTF-8",
    reactions: [
        DAMAGED,
        DAMAGED,
        "the connection dies; the request hangs until it is closed",
        IGNORED_LOST,
        DAMAGED,
        DAMAGED,
        DAMAGED,
        DAMAGED,
    ],
};
const NOT_A_MESSAGE: Row = Row {
    fault: "a line that is JSON but no message, such as 42",
    reactions: [
        LOGGED,
        LOGGED,
        LOGGED,
        "the server is told of an invalid request, and the session goes on",
        DIES,
        LOGGED,
        DIES,
        LOGGED,
    ],
};
const NO_ENVELOPE: Row = Row {
    fault: "a reply without `jsonrpc`, or in a batch",
    reactions: [
        LOGGED_LOST,
        LOGGED_LOST,
        LOGGED_LOST,
        "the reply is lost",
        "the connection dies; a batch is accepted before 2025-06-18",
        LOGGED_LOST,
        DIES,
        LOGGED_LOST,
    ],
};
const TOO_LONG: Row = Row {
    fault: "a line over the client's cap",
    reactions: [
        "the connection dies at 10 MiB",
        "the connection dies at 10 MiB",
        "no cap: 20 MB take some 7 s",
        "the line is skipped at 16 MiB, and the reply is lost",
        "no cap",
        "no cap",
        "the connection dies at 16 Mi characters",
        "the connection dies at 16 MiB",
    ],
};
const UNTERMINATED: Row = Row {
    fault: "a last line without a newline",
    reactions: [DROPPED, DROPPED, DROPPED, DROPPED, ACCEPTED, ACCEPTED, ACCEPTED, DROPPED],
};
const DUPLICATE: Row = Row {
    fault: "a second reply to one request",
    reactions: [LOGGED, LOGGED, IGNORED, IGNORED, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN],
};
const WRONG_ID: Row = Row {
    fault: "another id in the reply to initialize",
    reactions: [
        LOGGED_LOST,
        LOGGED_LOST,
        "the reply is lost without a word",
        "an error at once",
        UNKNOWN,
        UNKNOWN,
        UNKNOWN,
        UNKNOWN,
    ],
};
const ID_AS_STRING: Row = Row {
    fault: "the number of a request as a string in the reply",
    reactions: [ACCEPTED, ACCEPTED, ACCEPTED, ACCEPTED, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN],
};
const BOTH: Row = Row {
    fault: "result and error in one reply",
    reactions: [
        LOGGED_LOST,
        LOGGED_LOST,
        "taken as an error",
        "the reply is lost",
        UNKNOWN,
        UNKNOWN,
        UNKNOWN,
        UNKNOWN,
    ],
};

/// What was tried for a rule. None for a rule that was not tried.
pub(super) fn row(rule: RuleId) -> Option<&'static Row> {
    Some(match rule {
        RuleId::EmptyFrame => &BLANK_LINE,
        RuleId::CarriageReturn => &CARRIAGE_RETURN,
        RuleId::ByteOrderMark => &BYTE_ORDER_MARK,
        RuleId::InvalidJson => &NOT_JSON,
        RuleId::SplitMessage => &PRETTY,
        RuleId::DecodeError => &NOT_UTF8,
        RuleId::NotAnObject => &NOT_A_MESSAGE,
        RuleId::JsonrpcVersion | RuleId::BatchArray => &NO_ENVELOPE,
        RuleId::OversizedFrame | RuleId::LargeFrame => &TOO_LONG,
        RuleId::UnterminatedFrame => &UNTERMINATED,
        RuleId::DuplicateResponse => &DUPLICATE,
        RuleId::UnknownId => &WRONG_ID,
        RuleId::IdChanged => &ID_AS_STRING,
        RuleId::ResultAndError => &BOTH,
        _ => return None,
    })
}
