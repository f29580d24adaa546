//! Asking a detector every selected case, several at a time.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use report::{Cap, Untrusted};
use serde_json::json;
use tempfile::TempDir;

use super::grade::{Ended, Grade, Reach, Reason, Seen, Truth, grade};
use super::placeholder::{Values, fill};
use super::profile::{Input, Profile};
use super::selection::{Asked, Selection, Shows};
use super::supervise::Became;

/// What is shown of a detector's last line.
const LAST_LINE: Cap = Cap { columns: 160, bytes: 640 };

/// A detector and the cases that it is asked.
#[derive(Debug)]
pub(crate) struct Examination<'a> {
    /// This program.
    pub(crate) program: PathBuf,
    pub(crate) profile: &'a Profile,
    /// The detector's command, with placeholders.
    pub(crate) command: Vec<OsString>,
    pub(crate) selection: &'a Selection,
    /// For one case.
    pub(crate) timeout: Duration,
    /// How many are asked at the same time.
    pub(crate) jobs: usize,
}

/// The answer to one case.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) id: String,
    pub(crate) rule: String,
    pub(crate) grade: Grade,
    pub(crate) reach: Reach,
    pub(crate) became: Became,
    /// The last line that it wrote, safe to print.
    pub(crate) last_line: String,
}

/// Why a detector could not be examined.
#[derive(Debug)]
pub(crate) enum NotExamined {
    /// It cannot be started.
    NotStarted(String),
    /// This machine has no room for it.
    Io(io::Error),
}

impl fmt::Display for NotExamined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(reason) => write!(f, "the detector cannot be started: {reason}"),
            Self::Io(source) => write!(f, "the detector cannot be examined: {source}"),
        }
    }
}

impl std::error::Error for NotExamined {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NotStarted(_) => None,
            Self::Io(source) => Some(source),
        }
    }
}

impl From<io::Error> for NotExamined {
    fn from(source: io::Error) -> Self {
        Self::Io(source)
    }
}

/// Asks every case. The answers are in the order of the selection.
pub(crate) fn examine(examination: &Examination<'_>) -> Result<Vec<Answer>, NotExamined> {
    let directory = TempDir::new()?;
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..examination.jobs {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(asked) = examination.selection.asked.get(index) else { break };
                    let answer = ask(examination, asked, directory.path());
                    if answer.is_err() {
                        // It would be the same with every other case.
                        next.store(usize::MAX / 2, Ordering::Relaxed);
                    }
                    let mut answers =
                        answers.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    answers.push((index, answer));
                }
            });
        }
    });
    let mut answers = answers.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

fn ask(
    examination: &Examination<'_>,
    asked: &Asked,
    directory: &Path,
) -> Result<Answer, NotExamined> {
    let id = &asked.case.file.id;
    let file = |kind: &str| directory.join(format!("{id}.{kind}"));
    let trace = file("trace");
    let server: Vec<OsString> = vec![
        examination.program.clone().into(),
        "play".into(),
        "--stay".into(),
        "--trace".into(),
        trace.clone().into(),
        id.into(),
    ];
    let config = file("json");
    fs::write(&config, servers(&server))?;
    let stdin = match examination.profile.input {
        Input::Server => None,
        Input::Stdin => {
            let path = file("raw");
            fs::write(&path, &asked.case.stdout)?;
            Some(path)
        }
    };
    let values = Values { server: &server, config: &config, case: id };
    let command = fill(&examination.command, values);
    let became = run(examination, &command, stdin.as_deref())?;
    if let Some(reason) = became.not_started {
        return Err(NotExamined::NotStarted(reason));
    }
    let reach = match examination.profile.input {
        Input::Server => reach(&fs::read_to_string(&trace).unwrap_or_default(), asked.shows),
        Input::Stdin => Reach::Fault,
    };
    for path in [Some(&trace), Some(&config), stdin.as_ref()].into_iter().flatten() {
        // The directory goes with what is left in it.
        _ = fs::remove_file(path);
    }
    let output = format!("{}\n{}", became.stdout, became.stderr);
    let seen = Seen {
        ended: match (became.hung, became.code, became.signal) {
            (true, _, _) => Ended::TimeUp,
            (false, Some(code), _) => Ended::Code(code),
            (false, None, signal) => Ended::Signal(signal.unwrap_or_default()),
        },
        reach,
        reason: match asked.truth == Truth::Fault && examination.profile.names(&asked.rule, &output)
        {
            true => Reason::Named,
            false => Reason::NotNamed,
        },
        outcome: became.stdout.lines().rev().find_map(|line| line.strip_prefix("outcome: ")),
    };
    let last = |text: &str| text.lines().rev().find(|line| !line.trim().is_empty()).map(safe);
    Ok(Answer {
        id: id.clone(),
        rule: asked.rule.clone(),
        grade: grade(asked.truth, examination.profile.says, &seen),
        reach,
        last_line: last(&became.stderr).or_else(|| last(&became.stdout)).unwrap_or_default(),
        became,
    })
}

fn safe(line: &str) -> String {
    Untrusted::new(line.as_bytes()).text(LAST_LINE).as_str().to_owned()
}

fn servers(server: &[OsString]) -> String {
    let words: Vec<_> = server.iter().map(|word| word.to_string_lossy()).collect();
    let (command, arguments) = words.split_first().map_or((None, &[][..]), |(c, a)| (Some(c), a));
    json!({"mcpServers": {"server": {"command": command, "args": arguments}}}).to_string()
}

/// Runs the detector through a parent of its own. See [`super::supervise`].
fn run(
    examination: &Examination<'_>,
    command: &[OsString],
    stdin: Option<&Path>,
) -> io::Result<Became> {
    #[expect(clippy::disallowed_methods, reason = "this very program is started again")]
    let mut parent = Command::new(&examination.program);
    parent.arg("__detector").arg("--timeout-ms").arg(examination.timeout.as_millis().to_string());
    if let Some(path) = stdin {
        parent.arg("--stdin").arg(path);
    }
    parent.arg("--").args(command).envs(&examination.profile.env);
    // Its stdin stays open as long as we live.
    let mut child = parent.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let lifeline = child.stdin.take();
    let output = child.wait_with_output()?;
    drop(lifeline);
    serde_json::from_slice(&output.stdout).map_err(io::Error::other)
}

/// How far the server came, by its own notes. A detector may launch it more than once.
fn reach(trace: &str, shows: Shows) -> Reach {
    if trace.is_empty() {
        return Reach::NoServer;
    }
    let mut whole = false;
    for note in trace.lines() {
        match (note, written(note)) {
            ("began", _) => whole = true,
            ("skipped", _) => whole = false,
            ("ended", _) if whole && shows == Shows::AtTheEnd => return Reach::Fault,
            // What the client did not ask for was not written, though what follows may be.
            (_, Some(range)) if holds(&range, shows) => return Reach::Fault,
            _ => {}
        }
    }
    Reach::Short
}

fn holds(range: &Range<usize>, shows: Shows) -> bool {
    matches!(shows, Shows::Bytes(end) if range.start < end && end <= range.end)
}

/// The bytes of the case that a note says were written.
fn written(note: &str) -> Option<Range<usize>> {
    let (start, end) = note.strip_prefix("stdout ")?.split_once(' ')?;
    Some(start.parse().ok()?..end.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::{Reach, Shows, reach};

    #[test]
    fn a_fault_is_reached_when_its_byte_was_written_or_the_end_was_come_to() {
        let bytes = Shows::Bytes(100);
        assert_eq!(reach("", bytes), Reach::NoServer);
        assert_eq!(reach("began\nstdout 0 99\nended\n", bytes), Reach::Short);
        assert_eq!(reach("began\nstdout 0 99\nskipped\nstdout 99 100\n", bytes), Reach::Fault);
        assert_eq!(reach("began\nstdout 0 9\nbegan\nstdout 0 120\n", bytes), Reach::Fault);
        assert_eq!(reach("began\nstdout 0 9\nskipped\nstdout 110 120\n", bytes), Reach::Short);
        assert_eq!(reach("began\nstdout 0 9\nended\n", Shows::AtTheEnd), Reach::Fault);
        assert_eq!(reach("began\nskipped\nended\n", Shows::AtTheEnd), Reach::Short);
        assert_eq!(reach("began\nstdout 0 9\n", Shows::AtTheEnd), Reach::Short);
    }
}
