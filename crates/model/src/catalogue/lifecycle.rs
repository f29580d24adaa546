//! Layer 5: correlation of replies, and the life of the process.

use crate::rule::{Layer, Level, Rule, RuleId, SpecRef};

const SAME_ID: SpecRef = SpecRef {
    section: "MCP Base protocol, Responses (every revision)",
    quote: "Responses MUST include the same ID as the request they correspond to.",
};
const REPLY: SpecRef = SpecRef {
    section: "JSON-RPC 2.0 section 5",
    quote: "When a rpc call is made, the Server MUST reply with a Response, except for in the case of Notifications.",
};
const SHUTDOWN: SpecRef = SpecRef {
    section: "MCP Lifecycle, Shutdown, stdio (every revision)",
    quote: "The client SHOULD initiate shutdown by first closing the input stream to the server process, \
        then waiting for the server to exit.",
};
const LOGGING: SpecRef = SpecRef {
    section: "MCP Transports, stdio (every revision)",
    quote: "The server MAY write UTF-8 strings to its standard error (stderr) for logging purposes.",
};
const TIMES_OUT: &str =
    "Every SDK waits for the reply until its own time-out, or reports a closed connection.";

const ENDED: &str =
    "Clients end the process by signal after 2 or 3 seconds; what it had not finished is lost.";

const fn must(id: RuleId, spec: SpecRef) -> Rule {
    Rule {
        id,
        layer: Layer::Lifecycle,
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
        summary: "a reply has an id that no request of ours has",
        explanation: "The reply answers nothing that was asked.",
        clients: "TypeScript logs an error, Python and rmcp say nothing; the request times out. For \
            initialize rmcp has an error at once.",
        mend: "copy the id of the request into the reply",
        ..must(RuleId::UnknownId, SAME_ID)
    },
    Rule {
        summary: "a reply changed the type of the id",
        explanation: "The id has the text of a request's id but another JSON type: \"1\" for 1, or \
            1 for \"1\".",
        clients: "TypeScript, Python and rmcp number their requests, and take \"1\" for 1 without a \
            word.",
        mend: "send the id back as the JSON value that it was: a number without quotes, a string \
            with quotes",
        ..must(RuleId::IdChanged, SAME_ID)
    },
    Rule {
        summary: "a request was answered twice",
        explanation: "A second reply has the id of a request that already has one.",
        clients: "TypeScript logs an error. Python and rmcp ignore the second reply.",
        mend: "answer each request once: look for a reply sent both by a handler and by its error path",
        ..must(RuleId::DuplicateResponse, REPLY)
    },
    Rule {
        summary: "a notification was answered",
        explanation: "An error without an id, or with a null one, came after a notification and \
            before the next reply, and every message sent was well-formed.",
        clients: "TypeScript logs an error. Python and rmcp ignore it. Others fail to parse it.",
        mend: "send nothing in reply to a message without an id",
        ..must(
            RuleId::ReplyToNotification,
            SpecRef {
                section: "MCP Base protocol, Notifications (every revision)",
                quote: "The receiver MUST NOT send a response.",
            },
        )
    },
    Rule {
        summary: "a request got no reply",
        explanation: "The process is alive, stdout is open, and the deadline of the request passed \
            in silence.",
        clients: TIMES_OUT,
        mend: "answer every request, an unknown method with the error code -32601, and flush each \
            reply; if the server is only slow, give it more time with --startup-timeout or \
            --reply-timeout",
        ..must(RuleId::NoResponse, REPLY)
    },
    Rule {
        summary: "the reply came on stderr",
        explanation: "stderr held a reply to this request, stdout did not. Often a guard that \
            sends prints to stderr has caught the messages too.",
        clients: TIMES_OUT,
        mend: "write messages to stdout and logs to stderr",
        ..must(RuleId::RepliedOnStderr, REPLY)
    },
    Rule {
        summary: "the process ended before it wrote a message",
        explanation: "It exited with a request pending and not one complete frame on stdout.",
        clients: "Every SDK reports a closed connection, the user sees `server disconnected`.",
        mend: "with exit status 0 the program ended by itself: it must read stdin until it is closed \
            (look for a missing await, or a program that is no MCP server); with another, look at \
            stderr for a missing dependency, a wrong argument or an uncaught error",
        ..must(RuleId::ExitBeforeFrame, REPLY)
    },
    Rule {
        summary: "the process ended before it answered",
        explanation: "It exited with a request pending, after it had written at least one frame.",
        clients: "Every SDK reports a closed connection, the user sees `server disconnected`.",
        mend: "with exit status 0 the program ended by itself: it must go on reading stdin until it \
            is closed (look for an async main that returns, or a missing await); with another, \
            look at stderr: an uncaught error must become an error reply",
        ..must(RuleId::ExitBeforeResponse, REPLY)
    },
    Rule {
        summary: "the process ended while stdin was open",
        explanation: "Nothing was pending, and the client had not closed stdin.",
        clients: "Every SDK reports a closed connection, the user sees `server disconnected`.",
        mend: "go on reading stdin until it is closed, and end only then",
        ..must(
            RuleId::ExitWhileIdle,
            SpecRef {
                section: "MCP Lifecycle, Operation (every revision)",
                quote: "During the operation phase, the client and server exchange messages according to \
                    the negotiated capabilities.",
            },
        )
    },
    Rule {
        summary: "stdout was closed while the process lived on",
        explanation: "stdout reached its end, stdin was open, and the process did not exit within \
            two seconds.",
        clients: "Python and rmcp report a closed connection. TypeScript does not notice: the request \
            times out. The process stays behind.",
        mend: "keep stdout open until the process ends",
        ..must(RuleId::StdoutClosed, REPLY)
    },
    Rule {
        summary: "a descendant outlived the server",
        explanation: "The process that was launched has ended, and another of its group still ran, \
            or held stdout open.",
        clients: "Clients that read to the end of stdout hang; others leave the process behind.",
        mend: "end child processes before the server exits, and do not let them inherit stdout",
        ..advice(RuleId::LeakedDescendant, SHUTDOWN)
    },
    Rule {
        summary: "the process did not exit when stdin ended",
        explanation: "stdin was closed, and the process was still there at the deadline. A timer, \
            socket, child or thread keeps it alive.",
        clients: ENDED,
        mend: "exit when stdin ends",
        ..advice(RuleId::NoExitAtEof, SHUTDOWN)
    },
    Rule {
        summary: "the process ignored SIGTERM",
        explanation: "It was still there at the deadline after SIGTERM and had to be killed.",
        clients: ENDED,
        mend: "exit on SIGTERM",
        ..advice(RuleId::IgnoredSigterm, SHUTDOWN)
    },
    Rule {
        summary: "the process ended with an error status after stdin ended",
        explanation: "stdin was closed in good order, we sent no signal, and the exit status was \
            not 0.",
        clients: "Clients ignore the status, supervisors and CI do not.",
        mend: "treat the end of stdin as a normal end",
        ..advice(RuleId::NonzeroExit, SHUTDOWN)
    },
    Rule {
        summary: "the process keeps a processor busy after stdin ended",
        explanation: "stdin was closed, the process was still there at the deadline, and it had \
            used at least a tenth of a core since. Typical is a loop that reads an ended stdin \
            again and again. A process that has written nothing to stdout may still be starting, \
            and is not judged.",
        clients: ENDED,
        mend: "end the read loop when a read gives nothing, and exit",
        ..advice(RuleId::BusyAtEof, SHUTDOWN)
    },
    Rule {
        summary: "the process goes on and on although nobody reads its stdout",
        explanation: "The client closed its end of stdout, and the process used at least a tenth \
            of a core until it had to be ended: a write that fails is tried again for ever.",
        clients: ENDED,
        mend: "take a broken pipe on stdout for the end of the client, and exit",
        ..advice(RuleId::StdoutWriteRetry, SHUTDOWN)
    },
    Rule {
        summary: "a request was not answered before the process ended, as stdin had ended",
        explanation: "The whole request was written, stdin was closed right behind it, and the \
            process ended by itself without a reply. No revision demands one, so it is advice; \
            each request that was lost counts.",
        clients: "A script that pipes requests into a server and closes the pipe gets only some of \
            the replies. The Python and Go SDKs are known for it.",
        mend: "when stdin ends, answer what was read, flush, then exit",
        ..advice(RuleId::LostAtEof, REPLY)
    },
    Rule {
        summary: "the error for an unknown method has another code than -32601",
        explanation: "A request for a method that no server knows was answered by an error whose \
            code is not that of `Method not found`.",
        clients: "Clients that look for -32601 to find out what a server can do take the error for \
            a failure.",
        mend: "answer an unknown method by the code -32601",
        ..advice(
            RuleId::WrongErrorCode,
            SpecRef {
                section: "JSON-RPC 2.0 section 5.1",
                quote: "-32601 Method not found: The method does not exist / is not available.",
            },
        )
    },
    Rule {
        summary: "the log line that was to come on stderr did not come",
        explanation: "The user said which text the server logs, and stderr ended without it. The \
            log goes elsewhere, or the command that was launched is not the server.",
        clients: "Clients show stderr when a server fails; there is nothing to show.",
        mend: "log to stderr, and look whether the launched command starts the server at all",
        ..must(RuleId::CanaryMissing, LOGGING)
    },
    Rule {
        summary: "the log line that was to come on stderr came on stdout",
        explanation: "The user said which text the server logs, and a message on stdout holds it.",
        clients: "What is logged in messages is not lost, but mixed with what the model sees.",
        mend: "log to stderr",
        ..must(RuleId::CanaryOnStdout, LOGGING)
    },
];
