//! The detector's command line, with the server put in.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// The server's command and arguments: as arguments of their own where the word stands alone, as
/// one line for a shell where it is part of a longer argument.
pub(crate) const SERVER: &str = "{server}";
/// The same as one line for a shell, wherever it stands.
pub(crate) const LINE: &str = "{server:line}";
/// The path of a file with an `mcpServers` object of one server.
pub(crate) const CONFIG: &str = "{config}";
/// The case's id.
pub(crate) const CASE: &str = "{case}";

/// What stands for the placeholders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values<'a> {
    pub(crate) server: &'a [OsString],
    pub(crate) config: &'a Path,
    pub(crate) case: &'a str,
}

/// Whether a command line says where the server goes.
pub(crate) fn names_the_server(command: &[OsString]) -> bool {
    let has = |argument: &OsString, word: &str| find(argument.as_bytes(), word).is_some();
    let words = [SERVER, LINE, CONFIG];
    command.iter().any(|argument| words.iter().any(|word| has(argument, word)))
}

/// The command line for one case.
pub(crate) fn fill(command: &[OsString], values: Values<'_>) -> Vec<OsString> {
    let mut filled = Vec::new();
    for argument in command {
        if argument == SERVER {
            filled.extend(values.server.iter().cloned());
            continue;
        }
        let line = line(values.server);
        let argument = replace(argument, LINE, &line);
        let argument = replace(&argument, SERVER, &line);
        let argument = replace(&argument, CONFIG, values.config.as_os_str());
        filled.push(replace(&argument, CASE, OsStr::new(values.case)));
    }
    filled
}

/// One line that a shell takes apart again into these words.
fn line(words: &[OsString]) -> OsString {
    let mut line = Vec::new();
    for word in words {
        if !line.is_empty() {
            line.push(b' ');
        }
        line.push(b'\'');
        for byte in word.as_bytes() {
            match byte {
                b'\'' => line.extend_from_slice(b"'\\''"),
                byte => line.push(*byte),
            }
        }
        line.push(b'\'');
    }
    OsString::from_vec(line)
}

fn replace(argument: &OsStr, word: &str, value: &OsStr) -> OsString {
    let mut rest = argument.as_bytes();
    let mut replaced = Vec::with_capacity(rest.len());
    while let Some(at) = find(rest, word) {
        replaced.extend_from_slice(&rest[..at]);
        replaced.extend_from_slice(value.as_bytes());
        rest = &rest[at + word.len()..];
    }
    replaced.extend_from_slice(rest);
    OsString::from_vec(replaced)
}

fn find(bytes: &[u8], word: &str) -> Option<usize> {
    memchr::memmem::find(bytes, word.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use super::{Values, fill, names_the_server};

    fn words(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn the_server_stands_alone_or_as_one_line() {
        let server = words(&["/a b/probe", "play", "it's"]);
        let values = Values { server: &server, config: Path::new("/t/c.json"), case: "x" };
        let filled = fill(
            &words(&["tool", "{server}", "--run={server}", "-c", "{config}", "{case}!"]),
            values,
        );
        let wanted = words(&[
            "tool",
            "/a b/probe",
            "play",
            "it's",
            r"--run='/a b/probe' 'play' 'it'\''s'",
            "-c",
            "/t/c.json",
            "x!",
        ]);
        assert_eq!(filled, wanted);
    }

    #[test]
    fn a_command_without_a_server_is_noticed() {
        assert!(names_the_server(&words(&["tool", "--config={config}"])));
        assert!(!names_the_server(&words(&["tool", "{case}"])));
    }
}
