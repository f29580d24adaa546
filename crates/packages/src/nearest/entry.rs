//! The file or directory that a command really runs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Programs that run what their first argument names.
const RUNTIMES: [&str; 9] =
    ["node", "nodejs", "bun", "deno", "tsx", "ts-node", "python", "pythonw", "pypy"];

/// Words of runtimes that stand before what is run.
const VERBS: [&str; 2] = ["run", "start"];

/// What is left out of a path to a script of node.
const ENDINGS: [&str; 3] = ["js", "mjs", "cjs"];

/// What a command runs, without symbolic links. None if it is not there.
pub(super) fn of(program: &Path, arguments: &[OsString], directory: &Path) -> Option<PathBuf> {
    if !is_runtime(program) {
        return directory.join(program).canonicalize().ok();
    }
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_str().unwrap_or_default();
        if text == "-m" {
            return module(rest.next()?.to_str()?, program, directory);
        }
        // Code on the command line is no file's.
        if matches!(text, "-c" | "-e" | "--eval" | "-p" | "--print") {
            return None;
        }
        if text.starts_with('-') || VERBS.contains(&text) {
            continue;
        }
        let path = directory.join(argument);
        let written = ENDINGS.iter().map(|ending| path.with_extension(ending));
        let found = std::iter::once(path.clone()).chain(written).find(|path| path.exists());
        // It may be the value of an option before it.
        if let Some(found) = found {
            return found.canonicalize().ok();
        }
    }
    None
}

fn is_runtime(program: &Path) -> bool {
    let name = program.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    // `python3.13` is one too.
    let name = name.trim_end_matches(|character: char| {
        character.is_ascii_digit() || matches!(character, '.' | '-')
    });
    RUNTIMES.contains(&name)
}

/// A module of Python: in the working directory, or in the virtual environment of the program.
fn module(name: &str, program: &Path, directory: &Path) -> Option<PathBuf> {
    let inside: PathBuf = name.split('.').collect();
    let sites = super::python::sites(program.parent()?.parent()?);
    let places = std::iter::once(directory.to_owned()).chain(sites);
    let files = places.map(|place| place.join(&inside)).flat_map(|path| {
        let file = path.with_extension("py");
        [path.join("__main__.py"), path, file]
    });
    files.filter(|path| path.exists()).find_map(|path| path.canonicalize().ok())
}
