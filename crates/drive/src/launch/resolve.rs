//! Finding the program's file, and what the kernel meant when it would not run it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::io::Errno;

use super::error::LaunchError;

/// What the C library searches when there is no PATH.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// As much of a file as the kernel reads to find a `#!` line.
const SHEBANG_BYTES: u64 = 256;

/// Finds the file that `execvp` would execute in `directory` with this PATH.
///
/// # Errors
///
/// `ProgramNotFound`, `PermissionDenied` or `IsDirectory`.
pub(super) fn resolve(
    program: &OsStr,
    path: Option<&OsStr>,
    directory: &Path,
) -> Result<PathBuf, LaunchError> {
    let candidates: Vec<PathBuf> = if program.as_bytes().contains(&b'/') {
        vec![absolute(directory, Path::new(program))]
    } else if program.is_empty() {
        Vec::new()
    } else {
        // An empty entry of PATH means the working directory, and so does joining it.
        path.unwrap_or(OsStr::new(DEFAULT_PATH))
            .as_bytes()
            .split(|byte| *byte == b':')
            .map(|entry| absolute(directory, &Path::new(OsStr::from_bytes(entry)).join(program)))
            .collect()
    };
    let mut denied = None;
    for candidate in &candidates {
        match executable(candidate) {
            Ok(()) => return Ok(candidate.clone()),
            Err(Obstacle::Absent) => {}
            Err(Obstacle::Directory) => {
                denied.get_or_insert(LaunchError::IsDirectory { path: candidate.clone() });
            }
            Err(Obstacle::Denied) => {
                // A file that may not be executed says more than a directory of that name.
                if !matches!(denied, Some(LaunchError::PermissionDenied { .. })) {
                    denied = Some(LaunchError::PermissionDenied { path: candidate.clone() });
                }
            }
        }
    }
    Err(denied.unwrap_or_else(|| LaunchError::ProgramNotFound {
        program: program.to_owned(),
        tried: candidates,
    }))
}

/// Says why the kernel refused `file`, which was executable when it was looked for.
pub(super) fn refusal(file: &Path, error: io::Error, bytes: usize) -> LaunchError {
    let file = file.to_owned();
    match Errno::from_io_error(&error) {
        Some(Errno::NOENT | Errno::NOTDIR) => {
            if file.exists() {
                let interpreter = shebang(&file);
                LaunchError::InterpreterNotFound { file, interpreter }
            } else {
                LaunchError::ProgramNotFound {
                    program: file.clone().into_os_string(),
                    tried: vec![file],
                }
            }
        }
        Some(Errno::ACCESS | Errno::PERM) => LaunchError::PermissionDenied {
            // The file itself was found executable, so its interpreter is the likelier culprit.
            path: shebang(&file).map_or(file, PathBuf::from),
        },
        Some(Errno::NOEXEC) => LaunchError::NotExecutable { file },
        Some(Errno::TOOBIG) => LaunchError::ArgumentsTooLong { bytes },
        _ => LaunchError::System { action: "start a process", source: error },
    }
}

fn absolute(directory: &Path, path: &Path) -> PathBuf {
    // Collecting the components drops every `.`, and leaves `..` alone: it may follow a link.
    directory.join(path).components().collect()
}

enum Obstacle {
    Absent,
    Directory,
    Denied,
}

fn executable(file: &Path) -> Result<(), Obstacle> {
    let metadata = file.metadata().map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => Obstacle::Denied,
        _ => Obstacle::Absent,
    })?;
    if metadata.is_dir() {
        return Err(Obstacle::Directory);
    }
    if !metadata.is_file() {
        return Err(Obstacle::Denied);
    }
    accessat(CWD, file, Access::EXEC_OK, AtFlags::EACCESS).map_err(|_| Obstacle::Denied)
}

/// The interpreter that the file's first line names, if it has such a line.
fn shebang(file: &Path) -> Option<OsString> {
    let mut head = Vec::new();
    File::open(file).ok()?.take(SHEBANG_BYTES).read_to_end(&mut head).ok()?;
    let line = head.strip_prefix(b"#!")?;
    let line = line.split(|byte| *byte == b'\n').next()?;
    let interpreter =
        line.split(|byte| matches!(byte, b' ' | b'\t')).find(|word| !word.is_empty())?;
    Some(OsString::from_vec(interpreter.to_vec()))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn put(directory: &Path, name: &str, mode: u32) -> PathBuf {
        let file = directory.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    #[test]
    fn a_name_is_looked_for_along_the_childs_path_from_the_childs_directory() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let first = put(root, "a/tool", 0o755);
        let second = put(root, "b/tool", 0o755);
        let find = |path: &str| resolve(OsStr::new("tool"), Some(OsStr::new(path)), root);
        assert_eq!(find("a:b").unwrap(), first);
        assert_eq!(find("none:./b:a").unwrap(), second);
        assert!(matches!(
            find("").unwrap_err(),
            LaunchError::ProgramNotFound { tried, .. } if tried == [root.join("tool")]
        ));
        let here = put(root, "tool", 0o755);
        assert_eq!(find("none:").unwrap(), here);
    }

    #[test]
    fn a_path_is_not_looked_for() {
        let root = tempfile::tempdir().unwrap();
        let file = put(root.path(), "bin/tool", 0o755);
        let find = |program: &str| resolve(OsStr::new(program), None, root.path());
        assert_eq!(find("./bin/tool").unwrap(), file);
        assert_eq!(find(file.to_str().unwrap()).unwrap(), file);
        assert!(matches!(find("bin/").unwrap_err(), LaunchError::IsDirectory { .. }));
        assert!(matches!(
            find("").unwrap_err(),
            LaunchError::ProgramNotFound { tried, .. } if tried.is_empty()
        ));
    }

    #[test]
    fn a_file_that_may_not_be_executed_is_passed_over_and_named_only_if_no_other_is_found() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let plain = put(root, "a/tool", 0o644);
        fs::create_dir_all(root.join("dir/tool")).unwrap();
        let find = |path: &str| resolve(OsStr::new("tool"), Some(OsStr::new(path)), root);
        assert!(matches!(
            find("dir:a").unwrap_err(),
            LaunchError::PermissionDenied { path } if path == plain
        ));
        let good = put(root, "b/tool", 0o755);
        assert_eq!(find("dir:a:b").unwrap(), good);
    }

    #[test]
    fn the_interpreter_is_the_first_word_of_the_first_line() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("script");
        let read = |text: &[u8]| {
            fs::write(&file, text).unwrap();
            shebang(&file)
        };
        assert_eq!(read(b"#! /bin/x -y\nz"), Some("/bin/x".into()));
        assert_eq!(read(b"#!/bin/sh\r\n"), Some("/bin/sh\r".into()));
        assert_eq!(read(b"#!\n"), None);
        assert_eq!(read(b"echo"), None);
    }
}
