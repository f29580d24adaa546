//! Layer 3: the shape of a JSON-RPC message.

use crate::protocol::{MessageKind, ProtocolVersion};
use crate::rule::{Aspect, Layer, Level, LevelCase, Rule, RuleId, SpecRef};

const MESSAGES: SpecRef = SpecRef {
    section: "MCP Base protocol, Messages (every revision)",
    quote: "All messages between MCP clients and servers MUST follow the JSON-RPC 2.0 specification.",
};
const IDS: SpecRef = SpecRef {
    section: "MCP Base protocol, Messages (every revision)",
    quote: "Requests MUST include a string or integer ID. Unlike base JSON-RPC, the ID MUST NOT be null.",
};
const RESPONSES: SpecRef = SpecRef {
    section: "MCP Base protocol, Messages; JSON-RPC 2.0 section 5",
    quote: "Either the result member or error member MUST be included, but both members MUST NOT be included.",
};
const LOST: &str = "TypeScript, Python and C# log an error and lose the reply. rmcp drops it. Go and Java: \
    the connection dies.";

const DROPPED: &str =
    "TypeScript and Python log an error and drop the message; a request is never answered.";

const FOLLOW: &str = "let the SDK write the message, or follow JSON-RPC 2.0 to the letter";

const fn must(id: RuleId, spec: SpecRef) -> Rule {
    Rule {
        id,
        layer: Layer::JsonRpc,
        level: Level::Must,
        levels: &[],
        spec,
        summary: "",
        explanation: "",
        clients: "",
        mend: "",
    }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        summary: "a line on stdout is JSON, but not an object",
        explanation: "The frame is a number, a string, true, false or null: the trace of a value \
            printed for debugging.",
        clients: "TypeScript, Python, C# and Kotlin log an error. rmcp answers `invalid request` to the \
            server. Go and Java: the connection dies.",
        mend: "stdout is reserved for MCP messages: print to stderr",
        ..must(RuleId::NotAnObject, MESSAGES)
    },
    Rule {
        levels: &[
            LevelCase {
                versions: None,
                kinds: &[],
                aspect: Some(Aspect::MalformedBatch),
                level: Level::Must,
            },
            LevelCase {
                versions: Some((ProtocolVersion::V2025_03_26, ProtocolVersion::V2025_03_26)),
                kinds: &[],
                aspect: None,
                level: Level::Legal,
            },
        ],
        summary: "a frame holds an array of messages",
        explanation: "JSON-RPC batches exist in revision 2025-03-26 alone, and there only after \
            that revision was negotiated. An empty batch, and one that mixes replies with \
            requests, is never legal.",
        clients: "Current SDKs lose every message in it; Go accepts batches before 2025-06-18.",
        mend: "send each message in a frame of its own",
        ..must(
            RuleId::BatchArray,
            SpecRef {
                section: "MCP changelog 2025-06-18",
                quote: "Remove support for JSON-RPC batching.",
            },
        )
    },
    Rule {
        summary: "a message does not say \"jsonrpc\": \"2.0\"",
        explanation: "The member is missing or has another value. A JSON log record is the most \
            usual cause, a bare result or a hand-written message the next.",
        clients: LOST,
        mend: "if this is a log record, send it to stderr; if it is a message, add \"jsonrpc\": \"2.0\"",
        ..must(
            RuleId::JsonrpcVersion,
            SpecRef {
                section: "JSON-RPC 2.0 sections 4 and 5",
                quote: "A String specifying the version of the JSON-RPC protocol. MUST be exactly \"2.0\".",
            },
        )
    },
    Rule {
        summary: "a message is neither request, notification nor reply",
        explanation: "It has none of method, result and error.",
        clients: LOST,
        mend: FOLLOW,
        ..must(RuleId::UnknownKind, MESSAGES)
    },
    Rule {
        summary: "a message has a method and a result or an error",
        explanation: "It claims to be a request and a reply at once.",
        clients: LOST,
        mend: FOLLOW,
        ..must(RuleId::MethodAndResult, MESSAGES)
    },
    Rule {
        summary: "a reply has both a result and an error",
        explanation: "Both members are present, even if one of them is null.",
        clients: "TypeScript logs an error and loses the reply. Python takes it as an error. rmcp loses it.",
        mend: "leave the other member out; do not set it to null",
        ..must(RuleId::ResultAndError, RESPONSES)
    },
    Rule {
        summary: "a method is not a string",
        explanation: "JSON-RPC names methods by strings.",
        clients: DROPPED,
        mend: FOLLOW,
        ..must(RuleId::MethodType, MESSAGES)
    },
    Rule {
        summary: "params is not an object",
        explanation: "MCP allows params by name only; an array or null is no object. Leave the \
            member out where there are none.",
        clients: DROPPED,
        mend: FOLLOW,
        ..must(
            RuleId::ParamsType,
            SpecRef {
                section: "MCP schema, JSONRPCRequest and JSONRPCNotification (every revision)",
                quote: "params?: { [key: string]: unknown }",
            },
        )
    },
    Rule {
        levels: &[LevelCase {
            versions: None,
            kinds: &[],
            aspect: Some(Aspect::IntegralFloat),
            level: Level::Advice,
        }],
        summary: "an id is neither a string nor an integer",
        explanation: "A fraction, a boolean, an array or an object stands as id. An integer \
            written as 1.0 or 1e0 is advice: some serialisers know one type of number only.",
        clients: LOST,
        mend: FOLLOW,
        ..must(RuleId::IdType, IDS)
    },
    Rule {
        levels: &[
            LevelCase {
                versions: Some((ProtocolVersion::V2025_11_25, ProtocolVersion::V2026_07_28)),
                kinds: &[MessageKind::Error],
                aspect: None,
                level: Level::Legal,
            },
            LevelCase {
                versions: None,
                kinds: &[MessageKind::Error],
                aspect: None,
                level: Level::Advice,
            },
        ],
        summary: "a reply has no id",
        explanation: "A result without an id answers nothing. An error may omit it from \
            2025-11-25, where the id of a malformed request could not be read.",
        clients: LOST,
        mend: FOLLOW,
        ..must(
            RuleId::IdMissing,
            SpecRef {
                section: "MCP Base protocol, Responses (every revision)",
                quote: "Responses MUST include the same ID as the request they correspond to.",
            },
        )
    },
    Rule {
        levels: &[LevelCase {
            versions: None,
            kinds: &[MessageKind::Error],
            aspect: None,
            level: Level::Advice,
        }],
        summary: "an id is null",
        explanation: "MCP forbids null ids. On an error it is advice: base JSON-RPC asks for null \
            where the request's id could not be read.",
        clients: LOST,
        mend: "echo the request's id; do not answer notifications",
        ..must(RuleId::IdNull, IDS)
    },
    Rule {
        summary: "a result is not an object",
        explanation: "Every MCP result is an object; an empty one is {}.",
        clients: LOST,
        mend: FOLLOW,
        ..must(
            RuleId::ResultType,
            SpecRef {
                section: "MCP schema, Result (every revision)",
                quote: "result: Result, an object of any members",
            },
        )
    },
    Rule {
        summary: "an error is not an object with an integer code and a string message",
        explanation: "The error, its code or its message is missing or has the wrong type.",
        clients: LOST,
        mend: FOLLOW,
        ..must(
            RuleId::ErrorShape,
            SpecRef {
                section: "MCP Base protocol, Responses (every revision)",
                quote: "Error codes MUST be integers.",
            },
        )
    },
    Rule {
        level: Level::Advice,
        summary: "a message has a member that JSON-RPC does not know",
        explanation: "A top-level member of another name, or params on a reply. No text forbids it, \
            but two SDKs take the whole message for noise.",
        clients: "TypeScript SDK 1.x and 2.x drop the message in silence. Python and rmcp accept it.",
        mend: "put extra data under _meta in params or result",
        ..must(RuleId::ExtraMember, MESSAGES)
    },
];
