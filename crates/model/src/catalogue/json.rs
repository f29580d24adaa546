//! Layer 2: JSON syntax.

use crate::rule::{Layer, Level, Rule, RuleId, SpecRef};

const GRAMMAR: SpecRef = SpecRef {
    section: "RFC 8259 section 2; MCP Transports, stdio",
    quote: "The server MUST NOT write anything to its stdout that is not a valid MCP message.",
};
const UNIQUE: SpecRef = SpecRef {
    section: "RFC 8259 section 4",
    quote: "The names within an object SHOULD be unique.",
};

const fn must(id: RuleId, spec: SpecRef) -> Rule {
    Rule {
        id,
        layer: Layer::Json,
        level: Level::Must,
        levels: &[],
        spec,
        summary: "",
        explanation: "",
        clients: "",
        mend: "",
    }
}

const fn advice(id: RuleId, spec: SpecRef) -> Rule {
    Rule { level: Level::Advice, ..must(id, spec) }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        summary: "a line on stdout is not JSON",
        explanation: "The grammar of RFC 8259 breaks at the named byte. Most often the line was \
            meant for a person: a start-up banner, a log record, a debug print, a stack trace, a \
            dependency's notice. Text before or after a good message belongs here too, and so do \
            NaN, comments, trailing commas and single quotes.",
        clients: "Go and Java SDK: the connection dies. Python, TypeScript 1.x, C# and Kotlin log an error \
            and go on. TypeScript 2.x and rmcp skip the line in silence.",
        mend: "stdout is reserved for MCP messages: send logs to stderr",
        ..must(RuleId::InvalidJson, GRAMMAR)
    },
    Rule {
        summary: "a message has the same envelope member twice",
        explanation: "jsonrpc, id, method, params, result, error, error.code or error.message \
            stands twice in one message, perhaps spelled with an escape, so that readers disagree \
            about what it says.",
        clients: "TypeScript and Python take the last one. rmcp rejects the message.",
        mend: "build the message from a map with unique keys, not by gluing text",
        ..must(RuleId::DuplicateMember, UNIQUE)
    },
    Rule {
        summary: "an object inside a message has the same key twice",
        explanation: "RFC 8259 calls the behaviour of software that receives such an object \
            unpredictable.",
        clients: "Most SDKs keep the last value and say nothing.",
        mend: "build objects from maps with unique keys",
        ..advice(RuleId::DuplicateKey, UNIQUE)
    },
    Rule {
        summary: "a string holds an escaped surrogate without its partner",
        explanation: "An escape such as \\ud800 stands alone. The grammar allows it, no Unicode \
            text can hold it; it shows that a string was cut or decoded wrongly.",
        clients: "Python SDK and rmcp reject the message. TypeScript passes it on.",
        mend: "cut strings at code points, and decode input before it is put into a message",
        ..advice(
            RuleId::LoneSurrogate,
            SpecRef {
                section: "RFC 8259 section 8.2",
                quote: "The behavior of software that receives JSON texts containing such values is unpredictable.",
            },
        )
    },
    Rule {
        summary: "a number is outside the range that all readers share",
        explanation: "An integer beyond 2^53-1 in size, or a number that overflows a double \
            (1e400). It is grammatical, and readers disagree about its value.",
        clients: "JavaScript rounds such integers. rmcp rejects an id beyond 64 bits. serde_json rejects 1e400.",
        mend: "send large integers as strings",
        ..advice(
            RuleId::NumberRange,
            SpecRef {
                section: "RFC 8259 section 6",
                quote: "This specification allows implementations to set limits on the range and \
                    precision of numbers accepted.",
            },
        )
    },
    Rule {
        summary: "a message nests deeper than 128 levels",
        explanation: "RFC 8259 lets a reader limit the depth of nesting, and several do.",
        clients: "rmcp stops at 128 levels, Python below 200; both drop the message.",
        mend: "flatten the value, or send it as text",
        ..advice(
            RuleId::DeepNesting,
            SpecRef {
                section: "RFC 8259 section 9",
                quote: "An implementation may set limits on the maximum depth of nesting.",
            },
        )
    },
];
