//! What became of mutants, as the tool lists it.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use crate::command::Failure;

/// Mutants by what became of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Results {
    /// A test failed.
    pub(super) caught: Vec<String>,
    /// No test failed.
    pub(super) missed: Vec<String>,
    /// The tests did not come to an end, which is a death too.
    pub(super) timeout: Vec<String>,
    /// They do not compile.
    pub(super) unviable: Vec<String>,
}

impl Results {
    pub(super) fn add(&mut self, other: Self) {
        self.caught.extend(other.caught);
        self.missed.extend(other.missed);
        self.timeout.extend(other.timeout);
        self.unviable.extend(other.unviable);
    }

    /// How many were tried, those that do not compile included.
    pub(super) fn run(&self) -> usize {
        [&self.caught, &self.missed, &self.timeout, &self.unviable].iter().map(|of| of.len()).sum()
    }

    /// A complaint for each that lives.
    pub(super) fn survivors(&self) -> Vec<String> {
        let lives = |name| {
            format!(
                "{name}: it lives; kill it with a case or a test, simplify the code, or exclude it \
                with a reason in .cargo/mutants.toml"
            )
        };
        self.missed.iter().map(lives).collect()
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (caught, missed) = (self.caught.len(), self.missed.len());
        let (timeout, unviable) = (self.timeout.len(), self.unviable.len());
        write!(f, "{caught} caught, {missed} missed, {timeout} timed out, {unviable} unviable")
    }
}

/// The results of the latest run with this output directory.
pub(super) fn read(output: &Path) -> Result<Results, Failure> {
    let directory = output.join("mutants.out");
    let list = |name: &str| lines(&directory.join(name));
    Ok(Results {
        caught: list("caught.txt")?,
        missed: list("missed.txt")?,
        timeout: list("timeout.txt")?,
        unviable: list("unviable.txt")?,
    })
}

/// The results of this output directory, those of earlier runs that were not repeated included.
pub(super) fn all(output: &Path) -> Result<Results, Failure> {
    let mut results = read(output)?;
    let latest: BTreeSet<String> = results
        .caught
        .iter()
        .chain(&results.missed)
        .chain(&results.timeout)
        .chain(&results.unviable)
        .cloned()
        .collect();
    let earlier = lines(&output.join("mutants.out/previously_caught.txt"))?;
    results.caught.extend(earlier.into_iter().filter(|name| !latest.contains(name)));
    Ok(results)
}

/// A list that is not there is empty.
fn lines(path: &Path) -> Result<Vec<String>, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(Failure::Start { program: path.display().to_string(), source }),
    }
}

#[cfg(test)]
mod tests {
    use super::{all, read};

    #[test]
    fn lists_are_read_and_what_lives_is_complained_of() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("mutants.out");
        std::fs::create_dir_all(&out).unwrap();
        for (name, text) in [
            ("caught.txt", "a\nb\n"),
            ("missed.txt", "c\n"),
            ("timeout.txt", "d\n"),
            ("previously_caught.txt", "a\ne\n"),
        ] {
            std::fs::write(out.join(name), text).unwrap();
        }
        let results = read(directory.path()).unwrap();
        assert_eq!(results.run(), 4);
        assert_eq!(results.to_string(), "2 caught, 1 missed, 1 timed out, 0 unviable");
        assert_eq!(results.survivors().len(), 1);
        assert!(results.survivors()[0].starts_with("c: it lives"));
        assert_eq!(all(directory.path()).unwrap().caught, ["a", "b", "e"]);
    }
}
