//! What becomes of processes that a server leaves behind, and of all of them when the probe is
//! killed.

use std::fs;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use drive::{ContainmentSpec, LaunchSpec, Run, Session};
use inspect::{Inspector, RuleSet};
use model::{Cleanliness, ContainmentLevel, ExitStatus, LadderStepName, LaunchFailure, Outcome};
use rstest::rstest;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

const COMMAND: &str = env!("CARGO_BIN_EXE_mcp-stdio-probe");
/// What the census looks for in the environment of every process.
const MARK: &str = "CONTAINMENT_TEST";
/// Answers the handshake, then reads to the end.
const SERVER: &str = r#"
read line
echo '{"jsonrpc":"2.0","id":31,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}'
read line; read line
echo '{"jsonrpc":"2.0","id":71,"error":{"code":-32601,"message":"no"}}'
"#;

fn mark() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The processes that bear the mark and have not ended.
fn alive(mark: &str) -> Vec<Pid> {
    let wanted = format!("{MARK}={mark}").into_bytes();
    let processes = fs::read_dir("/proc").expect("processes can be listed");
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid: &i32| {
            fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| {
                environment.split(|byte| *byte == 0).any(|it| it == wanted)
            })
        })
        .filter_map(Pid::from_raw)
        .collect()
}

fn session(script: &str, mark: &str) -> Session {
    let mut launch = LaunchSpec::new("/bin/sh").args(["-c", script]);
    launch.set.push((MARK.into(), mark.into()));
    let mut session = Session::new(launch);
    session.containment = ContainmentSpec::Supervised(COMMAND.into());
    session.budgets.leak_window = Duration::from_millis(200);
    session.budgets.shutdown = Duration::from_millis(500);
    session
}

fn play(session: &Session) -> Run {
    let detector = Box::new(Inspector::new(RuleSet::default()));
    drive::run_blocking(session, detector, &mut (), std::future::pending())
}

fn supervised(script: &str) -> Run {
    let mark = mark();
    let run = play(&session(script, &mark));
    assert_eq!(alive(&mark), [], "processes are left");
    assert_eq!(run.telemetry.cleanup.containment.level, ContainmentLevel::Supervisor);
    run
}

#[rstest]
#[case::of_its_own_session("setsid sleep 600 </dev/null >/dev/null 2>&1 &", 1)]
#[case::forked_twice("(setsid sleep 600 </dev/null >/dev/null 2>&1 &)", 1)]
#[case::of_its_own_session_and_holding_stdout("(setsid sleep 600 &)", 1)]
#[case::of_the_group("sleep 600 </dev/null >/dev/null 2>&1 &", 1)]
#[case::a_whole_tree(
    "(setsid sh -c 'sleep 600 & setsid sleep 600 & sleep 600; :' >/dev/null 2>&1 &)",
    4
)]
#[case::many("for i in $(seq 200); do sleep 600 >/dev/null 2>&1 & done", 200)]
fn what_outlives_the_server_is_seen_and_killed_wherever_it_went(
    #[case] leave: &str,
    #[case] strays: u32,
) {
    let run = supervised(&format!("{leave}\n{SERVER} read line; exit 0"));
    let cleanup = run.telemetry.cleanup;
    assert_eq!(cleanup.process, Cleanliness::Leaked);
    assert_eq!((cleanup.strays, cleanup.strays_killed), (strays, strays));
    assert_eq!(cleanup.steps.last().map(|step| step.name), Some(LadderStepName::KillStrays));
    assert_eq!(run.telemetry.exit_status, Some(ExitStatus::SUCCESS));
}

#[test]
fn a_helper_that_ends_in_time_is_no_stray() {
    let mark = mark();
    let mut session =
        session(&format!("{SERVER} (setsid sleep 0.2 >/dev/null 2>&1 &)\nread line"), &mark);
    session.budgets.leak_window = Duration::from_secs(30);
    let run = play(&session);
    assert_eq!(run.telemetry.cleanup.process, Cleanliness::Clean);
    assert_eq!(run.telemetry.cleanup.strays, 0);
    assert!(run.telemetry.elapsed < session.budgets.leak_window);
}

#[rstest]
#[case("exit 7", ExitStatus::Code(7))]
#[case("kill -9 $$", ExitStatus::Signal(9))]
fn a_supervised_server_ends_as_any_other(#[case] end: &str, #[case] status: ExitStatus) {
    let run = supervised(&format!("{SERVER} read line; {end}"));
    assert_eq!(run.telemetry.exit_status, Some(status));
    assert_eq!(run.telemetry.cleanup.process, Cleanliness::Clean);
    let usage = run.telemetry.cleanup.usage.expect("a supervisor knows it");
    assert!(usage.max_rss_bytes > 64 * 1024, "{usage:?}");
}

#[test]
fn the_ladder_of_a_supervised_server_is_the_usual_one() {
    let run = supervised(&format!("trap '' TERM; {SERVER} while :; do sleep 600; done"));
    let steps: Vec<_> = run.telemetry.cleanup.steps.iter().map(|step| step.name).collect();
    assert_eq!(
        steps,
        [
            LadderStepName::CloseStdin,
            LadderStepName::Terminate,
            LadderStepName::Kill,
            LadderStepName::Reap
        ]
    );
    let signals: Vec<_> =
        run.telemetry.cleanup.signals.iter().map(|sent| sent.signal.name()).collect();
    assert_eq!(signals, ["SIGTERM", "SIGCONT", "SIGKILL"]);
    assert_eq!(run.telemetry.cleanup.process, Cleanliness::Escalated);
}

#[rstest]
#[case("/no/such/program", LaunchFailure::ProgramNotFound)]
#[case("/etc/passwd", LaunchFailure::PermissionDenied)]
fn a_launch_fails_as_it_does_without_a_supervisor(
    #[case] program: &str,
    #[case] failure: LaunchFailure,
) {
    let mut session = session("", &mark());
    session.launch = LaunchSpec::new(program);
    let error = play(&session).telemetry.launch_error.expect("it fails");
    assert_eq!(error.kind(), failure);
}

#[test]
fn a_missing_interpreter_is_told_through_a_supervisor() {
    use std::os::unix::fs::PermissionsExt;

    let directory = tempfile::TempDir::new().expect("a directory can be made");
    let script = directory.path().join("server");
    fs::write(&script, "#!/no/such/interpreter\n").expect("the directory is ours");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("the file is ours");
    let mut session = session("", &mark());
    session.launch = LaunchSpec::new(script);
    let error = play(&session).telemetry.launch_error.expect("it fails");
    assert_eq!(error.kind(), LaunchFailure::InterpreterNotFound);
}

#[test]
fn without_a_supervisor_the_group_must_do_and_the_telemetry_says_so() {
    let mark = mark();
    let mut session = session(&format!("{SERVER} read line"), &mark);
    session.containment = ContainmentSpec::Supervised("/no/such/supervisor".into());
    let run = play(&session);
    assert_eq!(run.verdict.outcome, Outcome::ValidStdout);
    let containment = run.telemetry.cleanup.containment;
    assert_eq!(containment.level, ContainmentLevel::Group);
    assert_eq!(containment.declined.len(), 1);
    assert_eq!(containment.declined[0].0, ContainmentLevel::Supervisor);

    // This one runs, and says nothing that a supervisor would.
    session.containment = ContainmentSpec::Supervised("/bin/true".into());
    let run = play(&session);
    assert_eq!(run.verdict.outcome, Outcome::ValidStdout);
    assert_eq!(run.telemetry.cleanup.containment.level, ContainmentLevel::Group);
}

#[test]
fn a_namespace_is_had_or_declined_and_ends_with_everything_in_it() {
    let mark = mark();
    let script = format!("echo \"number $$\" >&2; {SERVER} (setsid sleep 600 &)\nread line");
    let mut session = session(&script, &mark);
    session.containment = ContainmentSpec::Isolated(COMMAND.into());
    let run = play(&session);
    assert_eq!(alive(&mark), [], "processes are left");
    assert_eq!(run.verdict.outcome, Outcome::ValidStdout);
    let cleanup = run.telemetry.cleanup;
    assert_eq!(cleanup.process, Cleanliness::Leaked);
    assert_eq!((cleanup.strays, cleanup.strays_killed), (1, 1));
    let stderr = run.transcript.stderr().bytes();
    match cleanup.containment.level {
        // The supervisor is number 1 there.
        ContainmentLevel::Namespace => assert!(stderr.starts_with(b"number 2\n")),
        level => {
            assert_eq!(level, ContainmentLevel::Supervisor);
            assert_eq!(cleanup.containment.declined[0].0, ContainmentLevel::Namespace);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the command is what is killed")]
fn command() -> Command {
    Command::new(COMMAND)
}

#[expect(clippy::disallowed_methods, reason = "the end of everything is timed")]
fn now() -> Instant {
    Instant::now()
}

/// What launchers do, as stand-ins, around a server that does nothing wrong.
#[rstest]
#[case::swallows_signals(
    "trap '' TERM; sh -c \"$SERVER read line; while :; do sleep 600; done\"; exit 0",
    Cleanliness::Escalated,
    0
)]
#[case::keeps_stdin_open(
    "{ cat; sleep 600; } | sh -c \"$SERVER read line\"",
    Cleanliness::Escalated,
    0
)]
#[case::ends_before_its_child(
    "sh -c \"$SERVER while :; do sleep 600; done\" <&0 & exit 0",
    Cleanliness::Leaked,
    2
)]
#[case::hands_over("exec sh -c \"$SERVER read line\"", Cleanliness::Clean, 0)]
fn what_a_launcher_does_to_processes_is_told(
    #[case] launcher: &str,
    #[case] process: Cleanliness,
    #[case] strays: u32,
) {
    let mark = mark();
    let mut session = session(launcher, &mark);
    session.launch.set.push(("SERVER".into(), SERVER.into()));
    let run = play(&session);
    assert_eq!(alive(&mark), [], "processes are left");
    let cleanup = run.telemetry.cleanup;
    assert_eq!((cleanup.process, cleanup.strays), (process, strays), "{:?}", cleanup.steps);
}

fn compared(options: &[&str]) -> (Option<i32>, serde_json::Value) {
    let output = command().args(["run", "--format", "json"]).args(options).output();
    let output = output.expect("the command runs");
    let report = serde_json::from_slice(&output.stdout).expect("stdout is one report");
    (output.status.code(), report)
}

#[test]
fn noise_is_the_launchers_if_the_server_alone_is_clean() {
    let launcher = format!("echo '> server@1.0.0 start'; exec {COMMAND} __demo-server clean");
    let alone = format!("{COMMAND} __demo-server clean");
    let (status, report) = compared(&["--compare-command", &alone, "--", "sh", "-c", &launcher]);
    assert_eq!(status, Some(1));
    let hint = report["first_violation"]["hint"].as_str().expect("a text");
    assert!(hint.starts_with("the launcher"), "{hint}");
    assert_eq!(report["sessions"][1]["verdict"], "valid-stdout");

    let launcher = format!("exec {COMMAND} __demo-server banner");
    let alone = format!("{COMMAND} __demo-server banner");
    let (status, report) = compared(&["--compare-command", &alone, "--", "sh", "-c", &launcher]);
    assert_eq!(status, Some(1));
    let hint = report["first_violation"]["hint"].as_str().expect("a text");
    assert!(hint.starts_with("the server itself"), "{hint}");
}

/// Waits until a process has ended.
fn await_end(pid: Pid, patience: Duration) {
    if let Ok(pidfd) = pidfd_open(pid, PidfdFlags::empty()) {
        let mut fds = [PollFd::new(&pidfd, PollFlags::IN)];
        let patience = Timespec::try_from(patience).expect("it is short");
        assert_eq!(poll(&mut fds, Some(&patience)), Ok(1), "it goes on");
    }
}

#[rstest]
#[case::supervised(&[])]
#[case::isolated(&["--isolate"])]
fn when_the_probe_is_killed_nothing_is_left(#[case] options: &[&str]) {
    let mark = mark();
    let directory = tempfile::TempDir::new().expect("a directory can be made");
    let told = directory.path().join("told");
    rustix::fs::mkfifoat(rustix::fs::CWD, &told, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR)
        .expect("a pipe can be made");
    let pipe = fs::File::options().read(true).write(true).open(&told).expect("the pipe is there");
    let script = format!(
        "trap '' TERM HUP INT; (setsid sh -c 'trap \"\" TERM HUP; sleep 600; sleep 600' \
         </dev/null >/dev/null 2>&1 &)\necho up >{}; while :; do sleep 600; done",
        told.display()
    );
    let mut probe = command()
        .arg("run")
        .args(options)
        .args(["--env", &format!("{MARK}={mark}"), "--", "sh", "-c", &script])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let mut fds = [PollFd::new(&pipe, PollFlags::IN)];
    let patience = Timespec { tv_sec: 60, tv_nsec: 0 };
    assert_eq!(poll(&mut fds, Some(&patience)), Ok(1), "the server does not come up");
    let left = alive(&mark);
    assert!(left.len() >= 2, "{left:?}");
    let began = now();
    let pid = i32::try_from(probe.id()).ok().and_then(Pid::from_raw).expect("it has a number");
    kill_process(pid, Signal::KILL).expect("it is there");
    // One that was about to be started when the others were listed is found in the next round.
    let mut left = left;
    while !left.is_empty() {
        for pid in left {
            await_end(pid, Duration::from_secs(20));
        }
        left = alive(&mark);
    }
    println!("everything was dead after {:?}", began.elapsed());
    probe.wait().expect("it is ours");
}

#[test]
fn when_the_supervisor_is_killed_the_server_is_too_and_nothing_is_claimed() {
    let mark = mark();
    let script = format!("{SERVER} kill -9 $PPID; while :; do sleep 600; done");
    let run = play(&session(&script, &mark));
    let cleanup = run.telemetry.cleanup;
    assert_eq!(cleanup.process, Cleanliness::Unknown);
    assert_eq!(run.telemetry.exit_status, None);
    // Its sleep was in nobody's hands any more.
    for pid in alive(&mark) {
        kill_process(pid, Signal::KILL).expect("it is there");
    }
}
