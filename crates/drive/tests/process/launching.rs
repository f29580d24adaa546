//! Each way in which a launch fails, and what a launched process is given.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use drive::{Cwd, EnvPolicy, LaunchError, LaunchSpec, NulIn, Run};
use model::{Inconclusive, LaunchFailure, Outcome, ReapState};

use crate::support::{marked, play, server, told};

fn launch(spec: LaunchSpec) -> Run {
    play(&marked(spec))
}

/// Demands that the launch fails in this way, and gives the error's text.
fn failure(spec: LaunchSpec, kind: LaunchFailure) -> (LaunchError, String) {
    let run = launch(spec);
    assert_eq!(told(&run), [format!("launch failed: {kind}")]);
    assert_eq!(run.verdict.outcome, Outcome::Inconclusive(Inconclusive::Launch(kind)));
    assert_eq!(run.telemetry.cleanup.child_reaped, ReapState::NeverLaunched);
    assert_eq!(run.telemetry.ending, None);
    let error = run.telemetry.launch_error.expect("a failed launch has an error");
    assert_eq!(error.kind(), kind);
    let text = error.to_string();
    assert!(!text.contains('\n'), "{text}");
    (error, text)
}

fn put(directory: &Path, name: &str, text: &str, mode: u32) -> PathBuf {
    let file = directory.join(name);
    fs::write(&file, text).expect("the directory is ours");
    fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("the file is ours");
    file
}

#[test]
fn a_program_that_is_nowhere_is_told_with_where_it_was_looked_for() {
    let mut spec = LaunchSpec::new("no-such-program");
    spec.set.push(("PATH".into(), "/no/such:/bin".into()));
    let (error, text) = failure(spec, LaunchFailure::ProgramNotFound);
    let LaunchError::ProgramNotFound { tried, .. } = error else {
        panic!("{error:?}");
    };
    assert_eq!(tried, ["/no/such/no-such-program", "/bin/no-such-program"].map(PathBuf::from));
    assert_eq!(
        text,
        "no program \"no-such-program\"; looked for \"/no/such/no-such-program\", \
         \"/bin/no-such-program\""
    );
    failure(LaunchSpec::new("/no/such/file"), LaunchFailure::ProgramNotFound);
    failure(LaunchSpec::new(""), LaunchFailure::ProgramNotFound);
}

#[test]
fn a_missing_directory_is_told_before_a_missing_program() {
    let mut spec = LaunchSpec::new("no-such-program");
    spec.cwd = Cwd::Dir("/no/such".into());
    let (_, text) = failure(spec.clone(), LaunchFailure::DirectoryNotFound);
    assert_eq!(text, "no working directory \"/no/such\"");
    spec.cwd = Cwd::Dir("/bin/sh".into());
    failure(spec, LaunchFailure::DirectoryNotFound);
}

#[test]
fn a_missing_interpreter_is_told_from_a_missing_program() {
    let directory = tempfile::tempdir().unwrap();
    let file = put(directory.path(), "script", "#!/no/such/interpreter -x\r\n", 0o755);
    let (error, _) = failure(LaunchSpec::new(&file), LaunchFailure::InterpreterNotFound);
    let LaunchError::InterpreterNotFound { interpreter, .. } = error else {
        panic!("{error:?}");
    };
    assert_eq!(interpreter, Some("/no/such/interpreter".into()));
    // The classic: a script that was saved with the line endings of another system.
    let file = put(directory.path(), "script", "#!/bin/sh\r\n", 0o755);
    let (_, text) = failure(LaunchSpec::new(&file), LaunchFailure::InterpreterNotFound);
    assert!(text.contains(r#""/bin/sh\r""#), "{text}");
}

#[test]
fn what_may_not_be_executed_is_denied() {
    let directory = tempfile::tempdir().unwrap();
    let plain = put(directory.path(), "plain", "#!/bin/sh\n", 0o644);
    let (error, _) = failure(LaunchSpec::new(&plain), LaunchFailure::PermissionDenied);
    assert!(matches!(error, LaunchError::PermissionDenied { path } if path == plain));
    let (error, _) = failure(LaunchSpec::new("/tmp"), LaunchFailure::PermissionDenied);
    assert!(matches!(error, LaunchError::IsDirectory { .. }));
    let script = format!("#!{}\n", plain.display());
    let script = put(directory.path(), "script", &script, 0o755);
    let (error, _) = failure(LaunchSpec::new(&script), LaunchFailure::PermissionDenied);
    assert!(matches!(error, LaunchError::PermissionDenied { path } if path == plain));
}

#[test]
fn a_file_of_no_known_format_is_not_executable() {
    let directory = tempfile::tempdir().unwrap();
    let file = put(directory.path(), "script", "echo hello\n", 0o755);
    failure(LaunchSpec::new(&file), LaunchFailure::NotExecutable);
}

#[test]
fn arguments_have_a_length_and_no_nul() {
    let long = "x".repeat(3 * 1024 * 1024);
    let (error, text) =
        failure(LaunchSpec::new("/bin/sh").args([&long]), LaunchFailure::ArgumentsTooLong);
    assert!(matches!(error, LaunchError::ArgumentsTooLong { bytes } if bytes > long.len()));
    assert!(text.len() < 200);
    let invalid = |spec| failure(spec, LaunchFailure::InvalidArgument).0;
    let nul = invalid(LaunchSpec::new("/bin/sh").args(["a", "b\0"]));
    assert!(matches!(nul, LaunchError::Nul(NulIn::Argument(2))));
    assert!(matches!(invalid(LaunchSpec::new("s\0")), LaunchError::Nul(NulIn::Program)));
    let mut spec = LaunchSpec::new("/bin/sh");
    spec.set.push(("A".into(), "\0".into()));
    assert!(matches!(invalid(spec), LaunchError::Nul(NulIn::Variable)));
    let mut spec = LaunchSpec::new("/bin/sh");
    spec.set.push(("A=B".into(), "c".into()));
    assert!(matches!(invalid(spec), LaunchError::VariableName { .. }));
    let mut spec = LaunchSpec::new("/bin/sh");
    spec.cwd = Cwd::Dir("a\0".into());
    assert!(matches!(invalid(spec), LaunchError::Nul(NulIn::Directory)));
}

#[test]
fn a_program_that_stays_open_for_writing_is_given_up() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("program");
    fs::copy("/bin/true", &file).unwrap();
    let writer = File::options().append(true).open(&file).unwrap();
    let (_, text) = failure(LaunchSpec::new(&file), LaunchFailure::System);
    assert!(text.starts_with("cannot start a process: "), "{text}");
    drop(writer);
    assert!(launch(LaunchSpec::new(&file)).telemetry.launch_error.is_none());
}

#[test]
fn the_program_is_found_along_the_childs_path_in_the_childs_directory() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path().canonicalize().unwrap();
    fs::create_dir(directory.join("bin")).unwrap();
    symlink("/bin/sh", directory.join("bin/server")).unwrap();
    let mut spec = LaunchSpec::new("server").args(["-c", "pwd >&2; echo $0 >&2; exit 7"]);
    spec.set.push(("PATH".into(), "bin:/bin".into()));
    spec.cwd = Cwd::Dir(directory.clone());
    let run = launch(spec);
    assert_eq!(run.telemetry.executable, Some(directory.join("bin/server")));
    assert_eq!(run.telemetry.directory, Some(directory.clone()));
    // It is called as a client would call it.
    let expected = format!("{}\nserver\n", directory.display());
    assert_eq!(run.telemetry.stderr.head, expected.as_bytes());
}

#[test]
fn a_server_is_given_no_variable_but_those_of_its_policy() {
    let seen = |policy| {
        let mut session = server("env >&2");
        session.launch.env = policy;
        session.launch.set.insert(0, ("GIVEN".into(), "1".into()));
        let run = play(&session);
        let mut names: Vec<_> = run
            .telemetry
            .environment
            .iter()
            .map(|variable| variable.name.to_str().unwrap().to_owned())
            .collect();
        let text = String::from_utf8(run.telemetry.stderr.head).unwrap();
        names.retain(|name| !text.contains(&format!("{name}=")));
        assert_eq!(names, [""; 0], "told, but not given");
        text
    };
    // Cargo sets this one for every test.
    assert!(!seen(EnvPolicy::ClientDefault).contains("CARGO_MANIFEST_DIR"));
    assert!(seen(EnvPolicy::Inherit).contains("CARGO_MANIFEST_DIR"));
    let minimal = seen(EnvPolicy::Minimal);
    assert!(minimal.contains("GIVEN=1") && !minimal.contains("HOME="));
}

/// What a process says of itself on stderr: its descriptors, its signals, its terminal, its ids.
const LOOK: &str = r#"
shown=
for fd in /proc/$$/fd/*; do
  # The shell has the directory itself open while it reads its names.
  if [ -e "$fd" ]; then shown="$shown ${fd##*/}"; fi
done
echo "fds$shown" >&2
while read -r name value rest; do
  case $name in SigBlk:|SigIgn:) echo "$name $value" >&2;; esac
done </proc/$$/status
(: </dev/tty) 2>/dev/null && echo "tty" >&2
read -r pid name state parent group session terminal rest </proc/$$/stat
test "$pid $pid" = "$group $session" && echo "leads, terminal $terminal" >&2
exit 0
"#;

#[test]
fn a_process_has_nothing_of_ours_but_what_it_was_given() {
    use nix::sys::signal::{SigSet, SigmaskHow, Signal};

    // Neither is closed by exec, as a harness around a test may have left it.
    let (_read, _write) = rustix::pipe::pipe().unwrap();
    let mut blocked = SigSet::empty();
    blocked.add(Signal::SIGTERM);
    blocked.add(Signal::SIGUSR1);
    blocked.thread_swap_mask(SigmaskHow::SIG_BLOCK).unwrap();
    for directory in [Cwd::Current, Cwd::Dir("/".into())] {
        let mut session = server(LOOK);
        session.launch.cwd = directory;
        let run = play(&session);
        let stderr = str::from_utf8(run.transcript.stderr().bytes()).unwrap();
        // The two signals that the system's library keeps to itself are ignored in whatever it
        // starts, and cannot be named by anybody.
        let stderr = stderr.replace("SigIgn: 0000000180000000", "SigIgn: 0000000000000000");
        assert_eq!(
            stderr,
            "fds 0 1 2\nSigBlk: 0000000000000000\nSigIgn: 0000000000000000\n\
             leads, terminal 0\n"
        );
    }
}
