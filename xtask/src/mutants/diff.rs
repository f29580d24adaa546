//! The mutants of a change: since which revision, on which lines, and in which order.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::command::{Failure, output, program, succeed};

/// Where no base is asked for and nothing is new, so many commits count as the change.
const LATEST: usize = 20;

/// The revision before a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// A commit, by its hash.
    Commit(String),
    /// The commit before the latest ones, by its hash: nothing is new.
    Latest(String),
    /// The history is no longer than that: everything counts as the change.
    Nothing,
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Commit(hash) | Self::Latest(hash) => f.write_str(hash.get(..12).unwrap_or(hash)),
            Self::Nothing => f.write_str("the beginning"),
        }
    }
}

impl Base {
    /// The base that is asked for; else where HEAD left `origin/main`; else, if HEAD is there, the
    /// commit before the latest ones. None if the history was cut off before that. A complaint if
    /// the one asked for does not exist.
    pub(super) fn find(
        repository: &Path,
        asked: Option<&str>,
    ) -> Result<Result<Option<Self>, String>, Failure> {
        let head = head(repository)?;
        if let Some(asked) = asked {
            let commit = format!("{asked}^{{commit}}");
            return Ok(match line(repository, ["rev-parse", "--verify", "--quiet", &commit])? {
                Some(hash) => Ok(Some(Self::Commit(hash))),
                None if is_shallow(repository)? => Ok(None),
                None => Err(format!("git knows no commit {asked}")),
            });
        }
        match line(repository, ["merge-base", "HEAD", "origin/main"])? {
            Some(hash) if hash != head => return Ok(Ok(Some(Self::Commit(hash)))),
            _ => {}
        }
        let count = format!("--max-count={}", LATEST + 1);
        let latest = succeed(git(repository).args(["rev-list", "--first-parent", &count, "HEAD"]))?;
        let latest = String::from_utf8(latest.stdout).unwrap_or_default();
        Ok(Ok(match latest.lines().nth(LATEST) {
            Some(hash) => Some(Self::Latest(hash.to_owned())),
            None if is_shallow(repository)? => None,
            None => Some(Self::Nothing),
        }))
    }
}

fn git(repository: &Path) -> Command {
    let mut git = program("git");
    git.arg("-C").arg(repository);
    git
}

/// The line that git answers; None if it answers by an error.
fn line<I: AsRef<OsStr>>(
    repository: &Path,
    arguments: impl IntoIterator<Item = I>,
) -> Result<Option<String>, Failure> {
    let output = output(git(repository).args(arguments))?;
    let text = String::from_utf8(output.stdout).unwrap_or_default();
    Ok(output.status.success().then(|| text.trim().to_owned()))
}

fn is_shallow(repository: &Path) -> Result<bool, Failure> {
    Ok(line(repository, ["rev-parse", "--is-shallow-repository"])?.as_deref() == Some("true"))
}

/// The hash of HEAD.
pub(super) fn head(repository: &Path) -> Result<String, Failure> {
    let output = succeed(git(repository).args(["rev-parse", "HEAD"]))?;
    Ok(String::from_utf8(output.stdout).unwrap_or_default().trim().to_owned())
}

/// HEAD's files in a directory of their own, in which they may be changed.
pub(super) fn export(repository: &Path, directory: &Path) -> Result<PathBuf, Failure> {
    let (tree, archive) = (directory.join("tree"), directory.join("tree.tar"));
    let failure = |source| Failure::Start { program: tree.display().to_string(), source };
    if tree.exists() {
        fs::remove_dir_all(&tree).map_err(failure)?;
    }
    fs::create_dir_all(&tree).map_err(failure)?;
    succeed(
        git(repository).args(["archive", "--format=tar", "--output"]).arg(&archive).arg("HEAD"),
    )?;
    succeed(program("tar").arg("-xf").arg(&archive).arg("-C").arg(&tree))?;
    Ok(tree)
}

/// The change as a file.
pub(super) fn patch(repository: &Path, base: &Base, directory: &Path) -> Result<PathBuf, Failure> {
    let from = match base {
        Base::Commit(hash) | Base::Latest(hash) => hash.clone(),
        Base::Nothing => {
            let empty = succeed(git(repository).args(["hash-object", "-t", "tree", "--stdin"]))?;
            String::from_utf8(empty.stdout).unwrap_or_default().trim().to_owned()
        }
    };
    let path = directory.join("change.patch");
    let mut diff = git(repository);
    diff.args(["diff", "--no-color", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/"]);
    diff.arg(format!("--output={}", path.display())).args([&from, "HEAD", "--", "*.rs"]);
    succeed(&mut diff)?;
    Ok(path)
}

/// A mutant that the tool lists.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) name: String,
}

/// The mutants that a command of the tool lists.
pub(super) fn list(command: &mut Command) -> Result<Vec<Listed>, Failure> {
    let output = succeed(command.args(["--list", "--json"]))?;
    // Of a change without a line of the packages the tool says nothing, not even an empty list.
    if output.stdout.is_empty() {
        return Ok(Vec::new());
    }
    let program = command.get_program().display().to_string();
    serde_json::from_slice(&output.stdout)
        .map_err(|error| Failure::Status { program, tail: format!("its list: {error}") })
}

/// Mutants that are run together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Batch {
    /// What the tool calls them: this shard of so many.
    pub(super) shard: String,
    /// Their names; never none.
    pub(super) names: Vec<String>,
}

/// Cuts a list into batches of at most `size`, as the tool deals it out to its shards in turn.
pub(super) fn batches(listed: Vec<Listed>, size: usize) -> Vec<Batch> {
    let count = listed.len().div_ceil(size);
    let mut batches: Vec<Batch> = (0..count)
        .map(|shard| Batch { shard: format!("{shard}/{count}"), names: Vec::new() })
        .collect();
    for (place, mutant) in listed.into_iter().enumerate() {
        batches[place % count].names.push(mutant.name);
    }
    batches
}

/// Puts things in an order that only the commit and their names decide, so that a sample can be had
/// again, and another commit has another.
pub(super) fn in_order_of<T>(commit: &str, things: &mut [T], name: impl Fn(&T) -> &str) {
    things.sort_by_cached_key(|thing| fnv_1a(&[commit, name(thing)]));
}

/// FNV-1a: a standard library's hash may change with its version, and with it the sample.
fn fnv_1a(texts: &[&str]) -> u64 {
    texts.iter().flat_map(|text| text.bytes()).fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tempfile::TempDir;

    use super::{Base, LATEST, Listed, batches, export, fnv_1a, git, head, in_order_of, patch};
    use crate::command::succeed;

    fn run(repository: &Path, arguments: &[&str]) {
        let mut git = git(repository);
        git.args(["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]);
        succeed(git.args(arguments)).unwrap();
    }

    fn commit(repository: &Path, text: &str) -> String {
        std::fs::write(repository.join("lib.rs"), text).unwrap();
        run(repository, &["add", "."]);
        run(repository, &["commit", "--quiet", "--message", text]);
        head(repository).unwrap()
    }

    fn repository() -> TempDir {
        let directory = tempfile::tempdir().unwrap();
        run(directory.path(), &["init", "--quiet", "--initial-branch=main"]);
        directory
    }

    #[test]
    fn the_base_is_where_the_change_begins() {
        let origin = repository();
        let first = commit(origin.path(), "1");
        let clone = tempfile::tempdir().unwrap();
        let path = origin.path().display().to_string();
        run(clone.path(), &["clone", "--quiet", &path, "."]);
        let base = |asked| Base::find(clone.path(), asked).unwrap();
        // Nothing is new, and the history is short.
        assert_eq!(base(None), Ok(Some(Base::Nothing)));
        assert_eq!(base(Some("HEAD")), Ok(Some(Base::Commit(first.clone()))));
        assert!(base(Some("no-such-branch")).is_err());
        commit(clone.path(), "2");
        commit(clone.path(), "3");
        assert_eq!(base(None), Ok(Some(Base::Commit(first))));
    }

    #[test]
    fn where_nothing_is_new_the_latest_commits_are_the_change() {
        let repository = repository();
        let hashes: Vec<String> =
            (0..=LATEST).map(|number| commit(repository.path(), &number.to_string())).collect();
        let base = Base::find(repository.path(), None).unwrap().unwrap().unwrap();
        assert_eq!(base, Base::Latest(hashes[0].clone()));
        assert_eq!(base.to_string(), hashes[0][..12]);
    }

    #[test]
    fn a_shallow_clone_does_not_show_what_changed() {
        let origin = repository();
        let first = commit(origin.path(), "1");
        commit(origin.path(), "2");
        let clone = tempfile::tempdir().unwrap();
        let url = format!("file://{}", origin.path().display());
        run(clone.path(), &["clone", "--quiet", "--depth=1", &url, "."]);
        assert_eq!(Base::find(clone.path(), Some(&first)).unwrap(), Ok(None));
        assert_eq!(Base::find(clone.path(), None).unwrap(), Ok(None));
    }

    #[test]
    fn from_the_beginning_everything_is_the_change() {
        let repository = repository();
        commit(repository.path(), "2");
        let out = tempfile::tempdir().unwrap();
        let patch = patch(repository.path(), &Base::Nothing, out.path()).unwrap();
        assert!(std::fs::read_to_string(patch).unwrap().contains("+2"));
    }

    #[test]
    fn the_tree_and_the_change_are_those_of_head() {
        let repository = repository();
        let first = commit(repository.path(), "1");
        commit(repository.path(), "2");
        // What is not committed is no part of it.
        std::fs::write(repository.path().join("lib.rs"), "3").unwrap();
        let out = tempfile::tempdir().unwrap();
        for _ in 0..2 {
            let tree = export(repository.path(), out.path()).unwrap();
            assert_eq!(std::fs::read_to_string(tree.join("lib.rs")).unwrap(), "2");
            std::fs::write(tree.join("left-over.rs"), "").unwrap();
        }
        let patch = patch(repository.path(), &Base::Commit(first), out.path()).unwrap();
        let text = std::fs::read_to_string(patch).unwrap();
        assert!(text.contains("+++ b/lib.rs") && text.contains("-1") && text.contains("+2"));
    }

    #[test]
    fn a_list_is_dealt_out_in_turn() {
        let listed =
            |count: usize| (0..count).map(|number| Listed { name: number.to_string() }).collect();
        let dealt = |count| -> Vec<(String, String)> {
            let batches = batches(listed(count), 3).into_iter();
            batches.map(|batch| (batch.shard, batch.names.join(" "))).collect()
        };
        let owned = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(shard, names)| ((*shard).to_owned(), (*names).to_owned())).collect()
        };
        assert_eq!(dealt(0), owned(&[]));
        assert_eq!(dealt(3), owned(&[("0/1", "0 1 2")]));
        assert_eq!(dealt(7), owned(&[("0/3", "0 3 6"), ("1/3", "1 4"), ("2/3", "2 5")]));
    }

    #[test]
    fn the_order_is_that_of_the_commit() {
        let names: Vec<String> = (0..50).map(|number| number.to_string()).collect();
        let ordered = |commit: &str, mut names: Vec<String>| {
            in_order_of(commit, &mut names, |name| name);
            names
        };
        let mut reversed = names.clone();
        reversed.reverse();
        assert_eq!(ordered("abc", reversed), ordered("abc", names.clone()));
        assert_ne!(ordered("abd", names.clone()), ordered("abc", names));
        assert_eq!(fnv_1a(&["foo", "bar"]), 0x8594_4171_F739_67E8);
    }
}
