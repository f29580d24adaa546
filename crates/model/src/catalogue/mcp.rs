//! Layer 4: MCP schema and method semantics.

use crate::protocol::{MessageKind, ProtocolVersion};
use crate::rule::{Aspect, Layer, Level, LevelCase, Rule, RuleId, SpecRef};

/// The revision without a handshake.
const WITHOUT_HANDSHAKE: Option<(ProtocolVersion, ProtocolVersion)> =
    Some((ProtocolVersion::V2026_07_28, ProtocolVersion::V2026_07_28));

const NO_SPEC: SpecRef = SpecRef { section: "", quote: "" };

const fn must(id: RuleId) -> Rule {
    Rule {
        id,
        layer: Layer::Mcp,
        level: Level::Must,
        levels: &[],
        spec: NO_SPEC,
        summary: "",
        explanation: "",
        clients: "",
        mend: "",
    }
}

const fn advice(id: RuleId) -> Rule {
    Rule { level: Level::Advice, ..must(id) }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        spec: SpecRef {
            section: "MCP schema of the negotiated revision; Transports, stdio",
            quote: "The server MUST NOT write anything to its stdout that is not a valid MCP message.",
        },
        summary: "a message does not conform to the schema of what it is",
        explanation: "A member is missing, or a value has the wrong type, in a result, a \
            notification or a request of the server, judged by the negotiated revision. Every \
            item of a list is checked: one tool of many without an inputSchema of type object is \
            enough, and so is a nextCursor that is null where it should be left out. The pointer \
            names the value; for a missing member it names the object that lacks it.",
        clients: "TypeScript and Python validate results and fail the request: one bad tool and the \
            whole list is lost. rmcp and Go fail the request where a type does not fit.",
        mend: "return what the schema of the negotiated revision asks for; leave optional members \
            out instead of setting them to null",
        ..must(RuleId::SchemaMismatch)
    },
    Rule {
        levels: &[LevelCase {
            versions: None,
            kinds: &[],
            aspect: Some(Aspect::UnknownRevision),
            level: Level::Advice,
        }],
        spec: SpecRef {
            section: "MCP Lifecycle, Version negotiation (2024-11-05 to 2025-11-25)",
            quote: "Otherwise, the server MUST respond with another protocol version it supports.",
        },
        summary: "initialize is answered with a revision that cannot be spoken after it",
        explanation: "The revision in the initialize result has no handshake (2026-07-28 and \
            later), so no session can follow. A revision that was never released is advice: it \
            may be newer than this probe, and without it layer 4 is not judged. That a server \
            always answers its own revision, whatever was asked, takes more than one session to \
            see.",
        clients: "SDKs close the connection when they do not know the revision.",
        mend: "answer the revision that was asked for if you support it, else your newest one that \
            begins with initialize",
        ..must(RuleId::VersionNegotiation)
    },
    Rule {
        levels: &[
            LevelCase {
                versions: Some((ProtocolVersion::V2025_06_18, ProtocolVersion::V2025_11_25)),
                kinds: &[MessageKind::Request],
                aspect: None,
                level: Level::Must,
            },
            LevelCase {
                versions: WITHOUT_HANDSHAKE,
                kinds: &[MessageKind::Result],
                aspect: None,
                level: Level::Must,
            },
        ],
        spec: SpecRef {
            section: "MCP Lifecycle, Operation (2025-06-18 and 2025-11-25; SHOULD before)",
            quote: "Both parties MUST: respect the negotiated protocol version; only use capabilities \
                that were successfully negotiated.",
        },
        summary: "a message uses a capability that was not announced",
        explanation: "A request for sampling, elicitation, roots or tasks, although the client did \
            not offer them, is a violation from 2025-06-18 on. Log messages of a server that did \
            not announce logging, and list_changed without listChanged or before the initialize \
            result, are advice in every revision: mainstream servers send them.",
        clients: "SDKs answer such a request with `method not found`; a server that waits for more \
            hangs. Notifications are delivered or ignored.",
        mend: "look at the client's capabilities before asking for one, and announce your own in \
            the initialize result",
        ..advice(RuleId::UndeclaredCapability)
    },
    Rule {
        spec: SpecRef {
            section: "MCP Progress, Progress flow and Behavior requirements (every revision)",
            quote: "Progress notifications MUST only reference tokens that were provided in an active \
                request.",
        },
        summary: "a progress notification belongs to no request under way, or does not increase",
        explanation: "Its token was given by no request, or by one that has been answered, or its \
            value is not more than the one before. A task-augmented request keeps its token after \
            its reply.",
        clients: "TypeScript logs an error for an unknown token. Others ignore the notification.",
        mend: "send progress only if the request brought a progressToken, with increasing values, \
            and before the reply",
        ..must(RuleId::ProgressOrder)
    },
    Rule {
        spec: SpecRef {
            section: "MCP schema, ServerNotification (every revision); Transports, stdio",
            quote: "The server MUST NOT write anything to its stdout that is not a valid MCP message.",
        },
        summary: "a notification has a method that the revision does not know",
        explanation: "It may be an extension, a notification of another revision, one that only \
            clients send, or a slip of the pen.",
        clients: "Every SDK ignores notifications that it does not know.",
        mend: "check the method's spelling and the negotiated revision",
        ..advice(RuleId::UnknownNotification)
    },
    Rule {
        spec: SpecRef {
            section: "Unicode code charts, Specials, U+FFFD REPLACEMENT CHARACTER",
            quote: "used to replace an incoming character whose value is unknown or unrepresentable \
                in Unicode",
        },
        summary: "a result holds U+FFFD: some text was lost before it was written",
        explanation: "The message is valid, but a decoder has put a replacement character where \
            bytes did not fit: output of a child read in pieces that cut a character, a file in \
            another encoding, a truncation by bytes. Text that the client sent with U+FFFD in it \
            is not counted.",
        clients: "The model reads the damaged text.",
        mend: "decode with a streaming decoder, with the right encoding, and cut text between \
            characters",
        ..advice(RuleId::ReplacementCharacter)
    },
    Rule {
        spec: SpecRef {
            section: "MCP schema, Result.resultType (2026-07-28)",
            quote: "Servers implementing this protocol version MUST include this field.",
        },
        summary: "a result does not say of which kind it is",
        explanation: "From 2026-07-28 on each result has a resultType: `complete`, \
            `input_required`, or the word of an extension. In a session that began with \
            server/discover one is missing, or is no string. The words of extensions are not \
            judged.",
        clients: "A client of an earlier revision's habits takes it for complete; one that is strict \
            refuses the result.",
        mend: "put `\"resultType\": \"complete\"` into every result of a session without a handshake",
        ..must(RuleId::ResultKind)
    },
];
