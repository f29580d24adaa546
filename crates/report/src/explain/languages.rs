//! How each cause comes about in each language, and what mends it there.

use super::cause::Cause;

/// The languages, in the order of the advice.
pub(super) const LANGUAGES: [&str; 8] =
    ["Node", "Python", "Java", ".NET", "Go", "Rust", "Ruby", "PHP"];

/// How it comes about in one language, and what mends it.
pub(super) struct Advice {
    pub(super) how: &'static str,
    pub(super) mend: &'static str,
}

const fn advice(how: &'static str, mend: &'static str) -> Advice {
    Advice { how, mend }
}

/// The advice on a cause, by language.
pub(super) fn of(cause: Cause) -> impl Iterator<Item = (&'static str, &'static Advice)> {
    let advice = match cause {
        Cause::StrayOutput => &STRAY_OUTPUT,
        Cause::Encoding => &ENCODING,
        Cause::Lines => &LINES,
        Cause::Flushing => &FLUSHING,
        Cause::Size => &SIZE,
        Cause::Wrapper => &WRAPPER,
        Cause::Serialiser => &SERIALISER,
        Cause::Envelope => &ENVELOPE,
        Cause::Schema => &SCHEMA,
        Cause::Correlation => &CORRELATION,
        Cause::Crash => &CRASH,
        Cause::Shutdown => &SHUTDOWN,
    };
    LANGUAGES.into_iter().zip(advice)
}

type Table = [Advice; 8];

static STRAY_OUTPUT: Table = [
    advice(
        "console.log, a dotenv or update notice, a child that inherits stdio, npm's script header.",
        "Use console.error, { quiet: true } for loaders, stdio: ['pipe', 'pipe', 'inherit'] for \
         children, and launch node itself.",
    ),
    advice(
        "print(), a StreamHandler on sys.stdout, rich or tqdm on the default console, warnings of \
         native libraries.",
        "Use print(..., file=sys.stderr) and logging.basicConfig(stream=sys.stderr); keep the real \
         stdout for the transport and set sys.stdout = sys.stderr.",
    ),
    advice(
        "System.out.println, Spring's banner, a console appender of Logback or Log4j, stdout of the \
         build tool that launches the jar.",
        "Set the appender's target to System.err, spring.main.banner-mode=off, and launch with \
         java -jar.",
    ),
    advice(
        "Console.WriteLine, the console logger, `dotnet run` that builds first.",
        "Set LogToStandardErrorThreshold = LogLevel.Trace on the console logger, and launch the \
         built program.",
    ),
    advice(
        "fmt.Println, log.SetOutput(os.Stdout), a slog handler on os.Stdout.",
        "Use log's default (stderr), slog.NewTextHandler(os.Stderr, nil), fmt.Fprintln(os.Stderr, ...).",
    ),
    advice(
        "println!, dbg! is safe; tracing_subscriber::fmt() writes to stdout by default.",
        "Use eprintln! and .with_writer(std::io::stderr) on the subscriber.",
    ),
    advice(
        "puts, p, Logger.new($stdout), Bundler or Rails at startup.",
        "Use warn and Logger.new($stderr); $stdout.sync does not help.",
    ),
    advice(
        "echo, var_dump, notices and warnings with display_errors=1, blanks before <?php.",
        "Set display_errors=stderr and html_errors=0, write with fwrite(STDERR, ...), leave out \
         the closing ?>.",
    ),
];

static ENCODING: Table = [
    advice(
        "Buffer contents written as latin1 or binary, a chunk decoded on its own and cut in the \
         midst of a character.",
        "Write strings with 'utf8', and decode streams with setEncoding or TextDecoder({ stream: true }).",
    ),
    advice(
        "sys.stdout in the code page of Windows or in ASCII under LANG=C; surrogateescape puts raw \
         bytes back.",
        "Write to sys.stdout.buffer, or sys.stdout.reconfigure(encoding='utf-8', newline='\\n').",
    ),
    advice(
        "System.out with the default charset of the platform, new String(bytes) without a charset.",
        "Use new PrintStream(new FileOutputStream(FileDescriptor.out), false, UTF_8).",
    ),
    advice(
        "Console.OutputEncoding = Encoding.UTF8 writes a byte-order mark first.",
        "Use new UTF8Encoding(false) over Console.OpenStandardOutput().",
    ),
    advice(
        "Bytes of a file in another encoding in a string: Go strings are bytes.",
        "encoding/json replaces them; with other encoders use strings.ToValidUTF8 or decode with \
         golang.org/x/text.",
    ),
    advice(
        "String::from_utf8_unchecked, or bytes copied to stdout past serde_json.",
        "Build messages with serde_json from String values only.",
    ),
    advice(
        "Strings in ASCII-8BIT or the locale's encoding, concatenated.",
        "$stdout.set_encoding('UTF-8') and String#encode('UTF-8', invalid: :replace).",
    ),
    advice(
        "Text in ISO-8859-1 from a database; files saved with a byte-order mark.",
        "Convert with mb_convert_encoding, save sources without the mark, and check \
         json_last_error().",
    ),
];

static LINES: Table = [
    advice(
        "JSON.stringify(message, null, 2), or a write without '\\n'; vscode-jsonrpc adds headers.",
        "process.stdout.write(JSON.stringify(message) + '\\n'), or the stdio transport of the SDK.",
    ),
    advice(
        "json.dumps(indent=2), pprint, print() in text mode on Windows; a language server's framing.",
        "sys.stdout.buffer.write(json.dumps(message).encode() + b'\\n').",
    ),
    advice(
        "writerWithDefaultPrettyPrinter, println with the platform's line separator, LSP4J.",
        "Write objectMapper.writeValueAsString(message) and '\\n'.",
    ),
    advice(
        "WriteIndented = true, Console.WriteLine on Windows, StreamJsonRpc with its default handler.",
        "WriteIndented = false, NewLine = \"\\n\", or NewLineDelimitedMessageHandler.",
    ),
    advice(
        "json.MarshalIndent, or Marshal and Write without a newline.",
        "json.NewEncoder(os.Stdout) without SetIndent: it ends each value with a newline.",
    ),
    advice(
        "serde_json::to_string_pretty, write! instead of writeln!, a codec of tower-lsp.",
        "serde_json::to_writer, then b\"\\n\", then flush.",
    ),
    advice(
        "JSON.pretty_generate, print without a newline.",
        "$stdout.puts JSON.generate(message); $stdout.binmode on Windows.",
    ),
    advice(
        "JSON_PRETTY_PRINT, echo without a newline, PHP_EOL on Windows.",
        "fwrite(STDOUT, json_encode($message) . \"\\n\").",
    ),
];

static FLUSHING: Table = [
    advice(
        "process.exit() right after a write: pipes are asynchronous.",
        "Set process.exitCode and let the event loop end, or exit in the write's callback.",
    ),
    advice(
        "os._exit, a killed worker, print() without flush before a crash.",
        "Flush after every message, and leave by returning from main.",
    ),
    advice(
        "PrintStream or BufferedWriter without flush, Runtime.halt.",
        "Flush after every message, and close the writer in a shutdown hook.",
    ),
    advice(
        "StreamWriter without AutoFlush, Environment.FailFast.",
        "AutoFlush = true, and await the host's shutdown.",
    ),
    advice(
        "bufio.Writer without Flush, log.Fatal and os.Exit skip deferred calls.",
        "Flush after every message, and return from main instead of exiting.",
    ),
    advice(
        "BufWriter that std::process::exit never drops; LineWriter holds a line without newline.",
        "Write the newline, flush, and return from main.",
    ),
    advice(
        "Output buffered by Ruby and lost in exit!.",
        "$stdout.sync = true, and exit instead of exit!.",
    ),
    advice(
        "Output buffering (ob_start) at a fatal error.",
        "ob_end_flush() at the start and fflush(STDOUT) after every message.",
    ),
];

static SIZE: Table = [
    advice("A file or a screenshot as base64 in one result.", RESOURCE),
    advice("A whole data frame or file as text in one result.", RESOURCE),
    advice("A collection that is serialised with all that it refers to.", RESOURCE),
    advice("An entity with its navigation properties, or a byte[] as base64.", RESOURCE),
    advice("io.ReadAll into a text content.", RESOURCE),
    advice("read_to_string into a text content.", RESOURCE),
    advice("A record with its associations through to_json.", RESOURCE),
    advice("file_get_contents or a whole query result in one content.", RESOURCE),
];

const RESOURCE: &str = "Page the result with a cursor, or answer with a resource link that the \
    client reads in parts.";

static WRAPPER: Table = [
    advice("node-pty or `script` round the server, npx with a prompt.", PIPES),
    advice("pexpect or pty.spawn round the server.", PIPES),
    advice("An IDE's run configuration with `emulate terminal`.", PIPES),
    advice("A console host in between.", PIPES),
    advice("creack/pty round the server, or io.Copy(os.Stdout, os.Stdin) in a proxy.", PIPES),
    advice("portable-pty or `script` round the server.", PIPES),
    advice("PTY.spawn round the server.", PIPES),
    advice("proc_open with 'pty', or docker run -it.", PIPES),
];

const PIPES: &str = "Launch with plain pipes: docker run -i without -t, ssh -T, no `script`; and \
    copy nothing from stdin to stdout.";

static SERIALISER: Table = [
    advice(
        "Template strings; JSON.stringify turns NaN into null but libraries may not.",
        "Build objects and serialise them once, with JSON.stringify.",
    ),
    advice(
        "str(dict) with single quotes, json.dumps of NaN and Infinity, lone surrogates from \
         surrogateescape.",
        "json.dumps(message, allow_nan=False), and encode text before it is put in.",
    ),
    advice(
        "String concatenation, a Map whose keys serialise alike, NaN with JSON-B.",
        "One ObjectMapper for all, with STRICT_DUPLICATE_DETECTION in tests.",
    ),
    advice(
        "JsonNumberHandling.AllowNamedFloatingPointLiterals, a property and an extension datum of \
         one name.",
        "Leave the option off, and serialise types instead of strings.",
    ),
    advice(
        "fmt.Sprintf into JSON, json.RawMessage from elsewhere.",
        "json.Marshal structures, and json.Valid what comes from elsewhere.",
    ),
    advice(
        "format! into JSON, #[serde(flatten)] that repeats a key, RawValue from elsewhere.",
        "Serialise types, and parse what comes from elsewhere.",
    ),
    advice(
        "inspect or string interpolation, NaN with allow_nan, string and symbol keys of one name.",
        "JSON.generate without options, with keys of one kind.",
    ),
    advice(
        "json_encode that returns false, numeric arrays that become objects, NaN and INF.",
        "JSON_THROW_ON_ERROR, and objects as (object) [].",
    ),
];

static ENVELOPE: Table = [
    advice("Replies made by hand beside the SDK.", USE_SDK),
    advice("dict replies made by hand; None members that become null.", USE_SDK),
    advice("Records with null members: `error` beside `result`, `id` null.", NO_NULLS),
    advice("Properties without JsonIgnoreCondition.WhenWritingNull.", NO_NULLS),
    advice("Structures without omitempty: `result` and `error` in every reply.", NO_NULLS),
    advice("Options without skip_serializing_if.", NO_NULLS),
    advice("A hash with both keys, one of them nil.", NO_NULLS),
    advice("An array with both keys, one of them null; ids cast to strings.", NO_NULLS),
];

const USE_SDK: &str = "Let the SDK make every message: jsonrpc \"2.0\", the request's id as it \
    came, and exactly one of result and error.";
const NO_NULLS: &str = "Leave out what is not there, keep the id's type, and write exactly one of \
    result and error.";

static SCHEMA: Table = [
    advice("Tool schemas from zod without type: 'object', results without content.", BY_REVISION),
    advice("Results returned as plain dicts, capabilities that are not declared.", BY_REVISION),
    advice("Enums in upper case, null lists instead of empty ones.", BY_REVISION),
    advice("PascalCase members, null lists instead of empty ones.", BY_REVISION),
    advice("nil slices that become null, structures of another revision.", BY_REVISION),
    advice("Enums tagged otherwise than by `type`, snake_case members.", BY_REVISION),
    advice("snake_case members, symbols for numbers.", BY_REVISION),
    advice("Empty arrays where an object is expected: [] instead of {}.", BY_REVISION),
];

const BY_REVISION: &str = "Answer in the shape of the revision that was negotiated, and declare in \
    initialize what is used; the pointer in the report names the member.";

static CORRELATION: Table = [
    advice("A handler that answers twice, parseInt on ids, replies to notifications.", ONE_REPLY),
    advice("int(id) or str(id), a task that answers after a timeout did.", ONE_REPLY),
    advice("Ids as long or String by type, a retry that answers again.", ONE_REPLY),
    advice(
        "Ids boxed as another type, an exception handler that answers a second time.",
        ONE_REPLY,
    ),
    advice("interface{} ids that become float64, two goroutines that answer.", ONE_REPLY),
    advice("An id type that is i64 alone, a catch-all that answers notifications.", ONE_REPLY),
    advice("to_s or to_i on ids, rescue that answers again.", ONE_REPLY),
    advice("(int) or (string) on ids, a shutdown function that answers again.", ONE_REPLY),
];

const ONE_REPLY: &str =
    "Keep the id as raw JSON, answer each request once, and notifications never.";

static CRASH: Table = [
    advice(
        "An unhandled rejection ends the process; await on something that never comes.",
        "Catch in each handler and answer with an error; see stderr for the trace.",
    ),
    advice(
        "An exception outside of a handler, a missing module, a blocking call in the event loop, \
         input() that takes the client's line.",
        "Catch in each handler, run blocking work in a thread, and never read stdin elsewhere.",
    ),
    advice(
        "An exception in main, a missing class, a deadlock on the reader's thread.",
        "Answer from another thread than the reader's, and log the exception to stderr.",
    ),
    advice(
        "An unhandled exception in startup, a missing runtime version, .Result on the reader's \
         context.",
        "Await instead of blocking, and log to stderr before the host stops.",
    ),
    advice(
        "log.Fatal or a panic in a handler, a channel that nobody reads.",
        "Recover in each handler, return errors, and use contexts with deadlines.",
    ),
    advice(
        "unwrap in a handler, a blocking call in async code, stdin held by a lock.",
        "Return errors, use spawn_blocking, and lock stdin in one place.",
    ),
    advice(
        "An exception in the read loop, a gem that is missing, gets elsewhere.",
        "rescue in each handler, and read $stdin in one place.",
    ),
    advice(
        "A fatal error, max_execution_time, a missing extension.",
        "set_time_limit(0), catch Throwable in each handler.",
    ),
];

static SHUTDOWN: Table = [
    advice(
        "Timers, sockets and watchers that keep the loop alive, children that are left.",
        END_AT_EOF,
    ),
    advice("Threads that are no daemons, multiprocessing workers, a blocked executor.", END_AT_EOF),
    advice("Pools whose threads are no daemons, a connection pool.", END_AT_EOF),
    advice("Hosted services that ignore the stopping token.", END_AT_EOF),
    advice(
        "Goroutines are no reason, but signal.Notify without a handler, and exec'd children.",
        END_AT_EOF,
    ),
    advice("A runtime that waits for blocking tasks, children that are not killed.", END_AT_EOF),
    advice("trap('TERM') without exit, threads that are joined.", END_AT_EOF),
    advice("A loop on feof that never sees it, children of proc_open.", END_AT_EOF),
];

const END_AT_EOF: &str = "End when stdin ends: close what is open, end the children, leave with \
    status 0, and let SIGTERM do the same.";
