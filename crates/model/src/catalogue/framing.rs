//! Layer 1: framing and bytes.

use crate::rule::{Layer, Level, Rule, RuleId, SpecRef};

const STDOUT: SpecRef = SpecRef {
    section: "MCP Transports, stdio (every revision)",
    quote: "The server MUST NOT write anything to its stdout that is not a valid MCP message.",
};
const NEWLINES: SpecRef = SpecRef {
    section: "MCP Transports, stdio (every revision)",
    quote: "Messages are delimited by newlines, and MUST NOT contain embedded newlines.",
};
const UTF8: SpecRef = SpecRef {
    section: "MCP Transports (from 2025-03-26); RFC 8259 section 8.1 before",
    quote: "JSON-RPC messages MUST be UTF-8 encoded.",
};

const fn must(id: RuleId, spec: SpecRef) -> Rule {
    Rule {
        id,
        layer: Layer::Framing,
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
        summary: "an empty line on stdout",
        explanation: "A newline with nothing, or only blanks, before it is not a message. Usually \
            a newline was doubled: println() of text that already ends with \\n, or \\r\\n written \
            as two line ends. Else it is a stray print: println() without arguments, the blank \
            line of a script runner's header, a logger's separator.",
        clients: "Java SDK: the connection dies. Python SDK: logs a traceback. TypeScript SDK 1.x: \
            error callback. TypeScript SDK 2.x, rmcp, C# and Kotlin skip it in silence.",
        mend: "end each message with one \\n only: println() of text that already ends with \\n, or \
            with \\r\\n, writes a second one; if no message stands before the empty line, find \
            what prints it and send it to stderr",
        ..must(RuleId::EmptyFrame, STDOUT)
    },
    Rule {
        summary: "a frame on stdout is not UTF-8",
        explanation: "The bytes of a frame are not well-formed UTF-8 (RFC 3629): text in a legacy \
            code page, a character cut in half, an encoded surrogate, UTF-16, or binary data. The \
            position is the start of the first ill-formed sequence.",
        clients: "Python SDK: the connection dies. rmcp: the reply is lost. TypeScript, Go, C#, Java \
            and Kotlin replace the bytes by U+FFFD and go on with damaged data.",
        mend: "encode as UTF-8 whatever the locale or code page says, and never cut a string at a \
            byte count; send binary or compressed bytes (gzip begins with 1f 8b) as base64 inside \
            a message, never as they are",
        ..must(RuleId::DecodeError, UTF8)
    },
    Rule {
        summary: "a frame on stdout begins with a byte-order mark",
        explanation: "EF BB BF stands at the start of a frame. Some runtimes write it once when \
            a stream is opened with their default UTF-8 encoding.",
        clients: "TypeScript and Python SDK: the reply is lost, the request times out. Go and Java: \
            the connection dies. rmcp strips it.",
        mend: "open stdout with an encoding that writes no byte-order mark",
        ..must(
            RuleId::ByteOrderMark,
            SpecRef {
                section: "RFC 8259 section 8.1",
                quote: "Implementations MUST NOT add a byte order mark (U+FEFF) to the beginning of \
                    a networked-transmitted JSON text.",
            },
        )
    },
    Rule {
        summary: "a newline falls inside a message",
        explanation: "The frame ends while an object or array is still open, and every byte so \
            far is JSON: a pretty-printed reply, an object dumped over several lines, or a raw \
            newline in a string.",
        clients: "TypeScript, Python, rmcp, C# and Kotlin: every line is dropped and the reply is lost. \
            Java: the connection dies. Go joins the lines.",
        mend: "serialise each message without indentation, on one line",
        ..must(RuleId::SplitMessage, NEWLINES)
    },
    Rule {
        summary: "two messages share one frame",
        explanation: "The whole frame is two or more complete JSON objects with only blanks \
            between them: the newline after a message was left out.",
        clients: "Every SDK drops both messages; Python accepts them if a carriage return stands between.",
        mend: "write one newline after every message",
        ..must(RuleId::JoinedMessages, NEWLINES)
    },
    Rule {
        summary: "stdout uses Content-Length framing",
        explanation: "The frame is a header as in the Language Server Protocol. MCP's stdio \
            transport has no headers: a message is one line.",
        clients: "Every SDK fails to parse the header; the message that follows it without a newline \
            is never delivered.",
        mend: "use a newline-delimited stdio transport, not one made for language servers",
        ..must(RuleId::ContentLengthHeader, NEWLINES)
    },
    Rule {
        summary: "the output ends inside a frame",
        explanation: "Bytes stand after the last newline and are not one complete JSON object: \
            a process that died while writing, a prompt that waits for an answer, output cut at \
            the size of the pipe. Where a deadline or the end of the process cut the wait short, \
            even a complete object counts: its newline is still owed by whoever holds stdout.",
        clients: "Every SDK waits for the newline: the request times out, or the tail is dropped when \
            the stream ends.",
        mend: "write each message whole, end it with a newline, and flush before exiting; stderr \
            may say why the process ended or stopped",
        ..must(RuleId::PartialFrame, NEWLINES)
    },
    Rule {
        summary: "the last message has no newline",
        explanation: "The output ends with one complete JSON object that no newline follows.",
        clients: "TypeScript, Python, rmcp and Kotlin drop it when the stream ends. Go, C# and Java accept it.",
        mend: "write a newline after every message, the last one included",
        ..must(RuleId::UnterminatedFrame, NEWLINES)
    },
    Rule {
        summary: "a frame exceeds the largest size that is read",
        explanation: "The frame is longer than --max-frame-bytes (64 MiB by default). No revision \
            limits the size of a message; a limit must exist, or a stream without newlines would \
            be read for ever.",
        clients: "TypeScript SDK: dies at 10 MiB. rmcp: skips the line at 16 MiB. Java and Kotlin: die at 16 Mi.",
        mend: "page the result, or return a link to the data",
        ..must(RuleId::OversizedFrame, NEWLINES)
    },
    Rule {
        summary: "our own request came back on stdout",
        explanation: "A frame repeats a request that the client has sent, with a method that no \
            server may send: a terminal with echo stands between client and server, or a wrapper \
            copies stdin to stdout.",
        clients: "SDKs answer it with `method not found`, and the server reads that answer as noise.",
        mend: "start the server with pipes (docker run -i without -t) and switch the echo off",
        ..must(RuleId::EchoedInput, STDOUT)
    },
    Rule {
        summary: "frames end with CR LF",
        explanation: "A carriage return stands before the newline. It is a legal JSON blank, so \
            the message is intact; a text-mode stream on Windows or a terminal puts it there.",
        clients: "Every SDK that was measured accepts it.",
        mend: "write to stdout in binary mode, or with \"\\n\" as line ending",
        ..advice(
            RuleId::CarriageReturn,
            SpecRef {
                section: "RFC 8259 section 2",
                quote: "Insignificant whitespace is allowed before or after any of the six structural characters.",
            },
        )
    },
    Rule {
        summary: "a frame is longer than 10 MiB",
        explanation: "The message is legal, but the buffers of several clients end at 10 or 16 MiB.",
        clients: "TypeScript SDK: dies at 10 MiB. rmcp: skips the line at 16 MiB. Java and Kotlin: die at 16 Mi.",
        mend: "page the result, or return a link to the data",
        ..advice(RuleId::LargeFrame, NEWLINES)
    },
];
