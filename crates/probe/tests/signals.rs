//! Signals to the command, and what it inherits from whoever starts it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use rstest::rstest;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, Mode, mkfifoat};
use rustix::process::{Pid, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// Answers the handshake, then tells on the pipe that it is up.
const UP: &str = r#"
read line
echo '{"jsonrpc":"2.0","id":31,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}'
read line; read line
echo up >"$TOLD"
"#;
const UNKNOWN: &str = r#"echo '{"jsonrpc":"2.0","id":71,"error":{"code":-32601,"message":"no"}}'"#;

/// A run of the command whose server can tell the test something.
struct Told {
    directory: TempDir,
    pipe: BufReader<File>,
}

impl Told {
    fn new() -> Self {
        let directory = TempDir::new().expect("a directory can be made");
        let path = directory.path().join("told");
        for path in [&path, &directory.path().join("told.go")] {
            mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR).expect("a pipe can be made");
        }
        // Open for both, so that it neither waits for the server nor ends between its lines.
        let pipe = File::options().read(true).write(true).open(path).expect("the pipe is there");
        Self { directory, pipe: BufReader::new(pipe) }
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("told")
    }

    /// The next line that the server tells.
    fn hear(&mut self) -> String {
        if self.pipe.buffer().is_empty() {
            let mut fds = [PollFd::new(self.pipe.get_ref(), PollFlags::IN)];
            let patience = Timespec { tv_sec: 60, tv_nsec: 0 };
            assert_eq!(poll(&mut fds, Some(&patience)), Ok(1), "the server tells nothing");
        }
        let mut line = String::new();
        self.pipe.read_line(&mut line).expect("the server writes text");
        line.trim_end().to_owned()
    }

    /// The arguments of a run of this script.
    fn arguments(&self, script: &str) -> Vec<String> {
        let told = format!("TOLD={}", self.path().display());
        let run = ["run", "--format", "json", "--shutdown-timeout", "60", "--reply-timeout", "60"];
        let run = run.into_iter().map(str::to_owned);
        let server = ["--env", &told, "--", "sh", "-c", script].map(str::to_owned);
        run.chain(server).collect()
    }

    /// Starts the command, after this shell text.
    fn start(&self, before: &str, script: &str) -> Child {
        // Whoever runs the tests may have had the signal ignored, which no shell can undo.
        let mut shell = program("env");
        shell.args(["--default-signal=HUP", "sh", "-c"]);
        shell.arg(format!("{before}\nexec \"$0\" \"$@\""));
        shell.arg(env!("CARGO_BIN_EXE_mcp-stdio-probe")).args(self.arguments(script));
        start(&mut shell)
    }
}

#[expect(clippy::disallowed_methods, reason = "the command is what is tested")]
fn program(name: &str) -> Command {
    Command::new(name)
}

fn start(command: &mut Command) -> Child {
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the command starts")
}

fn send(child: &Child, signal: Signal) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("it has a number");
    let signal = rustix::process::Signal::from_named_raw(signal as i32).expect("it is a signal");
    kill_process(pid, signal).expect("it has not been reaped");
}

/// The report, the code and the signal by which the command ended.
fn end(child: Child) -> (Value, Option<i32>, Option<i32>) {
    let output = child.wait_with_output().expect("the command ends");
    let stdout = String::from_utf8(output.stdout).expect("a report is UTF-8");
    let stderr = String::from_utf8(output.stderr).expect("messages are UTF-8");
    let report = serde_json::from_str(&stdout)
        .unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}{:?}", output.status));
    (report, output.status.code(), output.status.signal())
}

#[rstest]
#[case(Signal::SIGINT)]
#[case(Signal::SIGTERM)]
#[case(Signal::SIGHUP)]
fn the_first_signal_takes_the_short_way_down_and_is_the_status(#[case] signal: Signal) {
    let mut told = Told::new();
    let child = told.start("", &format!("{UP} exec sleep 600"));
    assert_eq!(told.hear(), "up");
    send(&child, signal);
    let (report, code, by) = end(child);
    assert_eq!((code, by), (None, Some(signal as i32)));
    assert_eq!(report["reason"], "interrupted");
    assert_eq!(report["child_reaped"], true);
    assert_eq!(report["cleanup"]["process"], "escalated");
}

#[test]
fn the_second_signal_kills_at_once() {
    let mut told = Told::new();
    // A shell that waits for a child in the foreground may lose the signal to it.
    let wait = "while :; do sleep 600 & wait; done";
    let script = format!("trap 'echo deaf >\"$TOLD\"' TERM; {UP} {wait}");
    let child = told.start("", &script);
    assert_eq!(told.hear(), "up");
    send(&child, Signal::SIGTERM);
    assert_eq!(told.hear(), "deaf");
    send(&child, Signal::SIGINT);
    let (report, code, by) = end(child);
    assert_eq!((code, by), (None, Some(Signal::SIGTERM as i32)));
    let steps = report["cleanup"]["steps"].as_array().expect("a list");
    assert!(steps.iter().any(|step| step["name"] == "kill"), "{steps:?}");
    let last = steps.last().and_then(|step| step["time_ms"].as_u64()).expect("a time");
    assert!(u128::from(last) < Duration::from_secs(30).as_millis(), "{steps:?}");
}

#[test]
fn a_signal_while_the_report_is_written_costs_nothing_of_it() {
    let mut told = Told::new();
    let script = format!("{UP} {UNKNOWN}; read line; echo bye >\"$TOLD\"");
    let (read, write) = std::io::pipe().expect("a pipe can be made");
    rustix::pipe::fcntl_setpipe_size(&write, 4096).expect("it can be made small");
    (&write).write_all(&[b' '; 4096]).expect("it has room");
    let mut command = program(env!("CARGO_BIN_EXE_mcp-stdio-probe"));
    command.args(told.arguments(&script)).stdin(Stdio::null()).stdout(write);
    let mut child = command.spawn().expect("the command starts");
    // The command has the only other end of the pipe.
    drop(command);
    assert_eq!(told.hear(), "up");
    assert_eq!(told.hear(), "bye");
    send(&child, Signal::SIGTERM);
    let mut text = String::new();
    BufReader::new(read).read_to_string(&mut text).expect("a report is UTF-8");
    let report: Value = serde_json::from_str(&text).expect("the report is whole");
    assert_eq!(report["schema_version"], 1);
    let status = child.wait().expect("the command ends");
    assert_eq!(status.signal(), Some(Signal::SIGTERM as i32));
}

#[test]
fn a_command_that_was_told_to_outlive_its_terminal_does() {
    let mut told = Told::new();
    let child =
        told.start("trap '' HUP", &format!("{UP} read line <\"$TOLD.go\"; {UNKNOWN}; read line"));
    assert_eq!(told.hear(), "up");
    send(&child, Signal::SIGHUP);
    fs::write(told.path().with_extension("go"), "go on\n").expect("the server reads it");
    let (report, code, _) = end(child);
    assert_eq!((code, &report["verdict"]), (Some(0), &"valid-stdout".into()));
}

#[test]
fn a_signal_that_was_blocked_is_let_in() {
    let mut told = Told::new();
    let mut command = program(env!("CARGO_BIN_EXE_mcp-stdio-probe"));
    command.args(told.arguments(&format!("{UP} exec sleep 600")));
    let mut blocked = SigSet::empty();
    blocked.add(Signal::SIGTERM);
    // A child inherits what the thread that starts it has blocked.
    let before = blocked.thread_swap_mask(SigmaskHow::SIG_BLOCK).expect("a mask can be set");
    let child = start(&mut command);
    before.thread_set_mask().expect("a mask can be set");
    assert_eq!(told.hear(), "up");
    send(&child, Signal::SIGTERM);
    assert_eq!(end(child).2, Some(Signal::SIGTERM as i32));
}

/// What a server says on stderr of its signals, descriptors and terminal.
const LOOK: &str = r#"
while read -r name value rest; do
  case $name in SigBlk:|SigIgn:) echo "$name $value" >&2;; esac
done </proc/$$/status
for fd in /proc/$$/fd/*; do if [ -e "$fd" ]; then echo "fd ${fd##*/}" >&2; fi; done
if (: </dev/tty) 2>/dev/null; then echo "a terminal" >&2; fi
"#;

#[test]
fn a_server_inherits_nothing_from_whoever_starts_the_command() {
    let mut told = Told::new();
    let ignored = "trap '' CHLD TERM INT HUP QUIT PIPE USR1 TSTP; exec 7</dev/null 9>/dev/null";
    let script = format!("{LOOK} {UP} {UNKNOWN}; read line; exit 7");
    let child = told.start(ignored, &script);
    assert_eq!(told.hear(), "up");
    let (report, code, _) = end(child);
    assert_eq!(code, Some(0), "{report}");
    // An ignored SIGCHLD would have cost us this.
    assert_eq!(report["exit_status"]["code"], 7, "{report}");
    let stderr = report["stderr"]["excerpt"].as_str().expect("a text");
    // Two signals are the system library's own; whatever it starts ignores them.
    let stderr = stderr.replace("0000000180000000", "0000000000000000");
    let lines: Vec<&str> = stderr.split("\\n").flat_map(str::lines).collect();
    assert_eq!(
        lines,
        ["SigBlk: 0000000000000000", "SigIgn: 0000000000000000", "fd 0", "fd 1", "fd 2"],
        "{report}"
    );
}

#[test]
fn too_few_descriptors_are_a_launch_that_failed_and_no_panic() {
    for limit in 4..12 {
        let told = Told::new();
        let child = told.start(&format!("ulimit -n {limit}"), "read line");
        let output = child.wait_with_output().expect("the command ends");
        let stderr = String::from_utf8(output.stderr).expect("messages are UTF-8");
        assert!(!stderr.contains("panicked"), "{limit}: {stderr}");
        let code = output.status.code();
        // The server itself says nothing, which is a violation once it can be launched.
        assert!(matches!(code, Some(1..=3)), "{limit}: {:?} {stderr}", output.status);
    }
}
