//! What a row changes of the plain session, and which rows share state.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use drive::{Cwd, LaunchSpec, Scenario, Session};
use tempfile::TempDir;

use super::rows::{Change, Row, Tolerance};

/// A session, ready to run.
pub(crate) struct Arranged {
    pub(crate) row: Row,
    pub(crate) session: Session,
}

/// Sessions that share state, and so run one after another.
pub(crate) struct Group {
    sessions: Vec<(usize, Arranged)>,
    /// Kept until the last of them has ended.
    directories: Vec<TempDir>,
}

impl Group {
    /// The sessions with their places in the profile, and what must outlive them.
    pub(crate) fn into_sessions(self) -> (Vec<(usize, Arranged)>, Vec<TempDir>) {
        (self.sessions, self.directories)
    }
}

/// A server that needs longer to know a revision of the other era is of this one.
const LONGEST_STARTUP: Duration = Duration::from_secs(10);

/// What launchers keep below HOME and would fetch again: a variable, and where it points.
const CACHES: &[(&str, &str)] = &[
    ("npm_config_cache", ".npm"),
    ("UV_CACHE_DIR", ".cache/uv"),
    ("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python"),
    ("UV_TOOL_DIR", ".local/share/uv/tools"),
    ("PIP_CACHE_DIR", ".cache/pip"),
    ("DENO_DIR", ".cache/deno"),
    ("BUN_INSTALL", ".bun"),
    ("CARGO_HOME", ".cargo"),
    ("RUSTUP_HOME", ".rustup"),
    ("GOMODCACHE", "go/pkg/mod"),
    ("GOCACHE", ".cache/go-build"),
];

pub(super) fn groups(rows: Vec<Row>, plain: &Session) -> io::Result<Vec<Group>> {
    let mut groups: Vec<Group> = Vec::new();
    for (place, row) in rows.into_iter().enumerate() {
        let mut session = plain.clone();
        if let Some(name) = row.scenario {
            session.plan.scenario =
                Scenario::built_in(name).expect("a test looks for each of them");
        }
        if row.tolerance == Tolerance::MayFail {
            session.budgets.startup = session.budgets.startup.min(LONGEST_STARTUP);
        }
        let mut directory = None;
        match &row.change {
            Change::Nothing => {}
            Change::Environment(variables) => session.launch.set.extend(variables.iter().cloned()),
            Change::Protocol(version) => session.plan.protocol = *version,
            Change::FreshHome => {
                let home = TempDir::new()?;
                set_home(&mut session.launch, home.path());
                directory = Some(home);
            }
            Change::SameHome => {
                let group = groups.last_mut().expect("a session with a fresh HOME comes before");
                let home = group.directories[0].path().to_owned();
                set_home(&mut session.launch, &home);
                group.sessions.push((place, Arranged { row, session }));
                continue;
            }
            Change::ForeignDirectory | Change::DirectoryWithEnvFile => {
                let foreign = TempDir::new()?;
                if row.change == Change::DirectoryWithEnvFile {
                    fs::write(foreign.path().join(".env"), "MCP_STDIO_PROBE=1\n")?;
                }
                make_absolute(&mut session.launch);
                session.launch.cwd = Cwd::Dir(foreign.path().to_owned());
                directory = Some(foreign);
            }
        }
        let directories = directory.into_iter().collect();
        groups.push(Group { sessions: vec![(place, Arranged { row, session })], directories });
    }
    Ok(groups)
}

fn set_home(launch: &mut LaunchSpec, home: &Path) {
    let given = |name: &str| {
        let set = launch.set.iter().rev().find(|(of, _)| of == name);
        set.map(|(_, value)| value.clone()).or_else(|| std::env::var_os(name))
    };
    let mut variables: Vec<(OsString, OsString)> = vec![("HOME".into(), home.into())];
    if let Some(real) = given("HOME") {
        for (name, below) in CACHES {
            let cache = given(name).map_or_else(|| Path::new(&real).join(below), PathBuf::from);
            if cache.is_dir() {
                variables.push((name.into(), cache.into()));
            }
        }
    }
    launch.set.extend(variables);
}

/// Makes what names a file from the present working directory name it from everywhere.
fn make_absolute(launch: &mut LaunchSpec) {
    let directory = match &launch.cwd {
        Cwd::Current => PathBuf::new(),
        Cwd::Dir(directory) => directory.clone(),
    };
    let whole = |name: &OsStr| -> Option<OsString> {
        let path = directory.join(name);
        let relative = !Path::new(name).is_absolute() && path.exists();
        relative.then(|| std::path::absolute(path).ok()).flatten().map(Into::into)
    };
    let is_path = launch.program.as_encoded_bytes().contains(&b'/');
    if let Some(program) = whole(&launch.program).filter(|_| is_path) {
        launch.program = program;
    }
    for argument in &mut launch.args {
        if let Some(absolute) = whole(argument).filter(|_| !argument.is_empty()) {
            *argument = absolute;
        }
    }
}

#[cfg(test)]
mod tests {
    use drive::Plan;

    use super::super::rows::{Wishes, rows};
    use super::*;

    fn plain(launch: LaunchSpec) -> Session {
        Session::new(launch)
    }

    #[test]
    fn sessions_with_one_home_are_one_group_and_all_others_stand_alone() {
        let rows = rows(&Plan::default(), &Wishes::default());
        let count = rows.len();
        let groups = groups(rows, &plain(LaunchSpec::new("server"))).unwrap();
        assert_eq!(groups.len(), count - 1);
        let shared: Vec<_> = groups.iter().filter(|group| group.sessions.len() > 1).collect();
        let [home] = shared[..] else { panic!("{} groups share state", shared.len()) };
        let homes: Vec<_> = home
            .sessions
            .iter()
            .map(|(_, arranged)| {
                let set = &arranged.session.launch.set;
                set.iter().find(|(name, _)| name == "HOME").unwrap().1.clone()
            })
            .collect();
        assert_eq!(homes[0], homes[1]);
        assert!(Path::new(&homes[0]).is_dir());
    }

    #[test]
    fn what_names_a_file_is_made_absolute_and_nothing_else() {
        let directory = TempDir::new().unwrap();
        fs::write(directory.path().join("server.py"), "").unwrap();
        let mut launch = LaunchSpec::new("python3").args(["server.py", "--port", "", "/tmp"]);
        launch.cwd = Cwd::Dir(directory.path().to_owned());
        make_absolute(&mut launch);
        let script = directory.path().join("server.py").into_os_string();
        assert_eq!(launch.program, "python3");
        assert_eq!(launch.args, [script, "--port".into(), "".into(), "/tmp".into()]);
    }
}
