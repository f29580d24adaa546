//! What is to be installed, as a person writes it.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::InstallError;

/// What is to be installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Whose package it is.
    pub ecosystem: Ecosystem,
    /// Where it comes from.
    pub source: Source,
}

/// An ecosystem with a registry and a client of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ecosystem {
    /// npm, for Node.
    Npm,
    /// PyPI, for Python.
    Pypi,
    /// The Rust registry.
    Cargo,
}

/// Where a package comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The registry.
    Registry {
        /// The name there.
        name: String,
        /// The version or tag. None is whatever the client takes.
        version: Option<String>,
    },
    /// A file that would be published, or a directory of which one is made.
    Local(PathBuf),
}

impl Ecosystem {
    /// The word before the colon.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pypi => "pypi",
            Self::Cargo => "cargo",
        }
    }
}

impl Spec {
    /// Reads `npm:NAME[@VERSION]`, `pypi:NAME[@VERSION]`, `cargo:NAME[@VERSION]`, or the path of a
    /// local artefact: `.tgz`, wheel, sdist, or a directory with a manifest.
    ///
    /// A name is a name of the registry and nothing else: no address, no option of the client.
    ///
    /// # Errors
    ///
    /// If it is none of these, or the file is not there.
    pub fn parse(text: &str) -> Result<Self, InstallError> {
        let wrong = |why: &'static str| InstallError::BadSpec { spec: text.to_owned(), why };
        let ecosystems = [Ecosystem::Npm, Ecosystem::Pypi, Ecosystem::Cargo];
        for ecosystem in ecosystems {
            let prefix = format!("{}:", ecosystem.name());
            let Some(rest) = text.strip_prefix(&prefix) else { continue };
            // The first character of a name with a scope is an @ too.
            let at = rest.char_indices().skip(1).find(|(_, character)| *character == '@');
            let (name, version) = match at {
                Some((at, _)) => (&rest[..at], Some(&rest[at + 1..])),
                None => (rest, None),
            };
            if !is_name(ecosystem, name) {
                return Err(wrong("that is no name of a package"));
            }
            if version.is_some_and(|version| !is_version(version)) {
                return Err(wrong("that is no version"));
            }
            let source =
                Source::Registry { name: name.to_owned(), version: version.map(str::to_owned) };
            return Ok(Self { ecosystem, source });
        }
        let path = Path::new(text);
        let path = path.canonicalize().map_err(|_| {
            wrong("it is neither npm:NAME, pypi:NAME, cargo:NAME nor a file that is there")
        })?;
        let ecosystem = of_artefact(&path).ok_or_else(|| {
            wrong("a local artefact is a .tgz, a .whl, a .tar.gz, or a directory with package.json, pyproject.toml or Cargo.toml")
        })?;
        Ok(Self { ecosystem, source: Source::Local(path) })
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Source::Registry { name, version: Some(version) } => {
                write!(f, "{}:{name}@{version}", self.ecosystem.name())
            }
            Source::Registry { name, version: None } => {
                write!(f, "{}:{name}", self.ecosystem.name())
            }
            Source::Local(path) => write!(f, "{}", path.display()),
        }
    }
}

fn is_name(ecosystem: Ecosystem, name: &str) -> bool {
    let is_word = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_alphanumeric())
            && word.chars().all(|part| part.is_ascii_alphanumeric() || "-._~".contains(part))
    };
    match ecosystem {
        Ecosystem::Npm => match name.strip_prefix('@').and_then(|rest| rest.split_once('/')) {
            Some((scope, name)) => is_word(scope) && is_word(name),
            None => is_word(name),
        },
        Ecosystem::Pypi => match name.strip_suffix(']').and_then(|rest| rest.split_once('[')) {
            Some((name, extras)) => is_word(name) && extras.split(',').all(is_word),
            None => is_word(name),
        },
        Ecosystem::Cargo => is_word(name),
    }
}

fn is_version(version: &str) -> bool {
    version.starts_with(|first: char| first.is_ascii_alphanumeric())
        && version.chars().all(|part| part.is_ascii_alphanumeric() || ".+-_!".contains(part))
}

fn of_artefact(path: &Path) -> Option<Ecosystem> {
    let name = path.file_name()?.to_str()?;
    if path.is_dir() {
        let manifests = [
            ("package.json", Ecosystem::Npm),
            ("pyproject.toml", Ecosystem::Pypi),
            ("setup.py", Ecosystem::Pypi),
            ("Cargo.toml", Ecosystem::Cargo),
        ];
        let found = manifests.into_iter().find(|(manifest, _)| path.join(manifest).is_file());
        return found.map(|(_, ecosystem)| ecosystem);
    }
    match name {
        _ if name.ends_with(".tgz") => Some(Ecosystem::Npm),
        _ if name.ends_with(".whl") || name.ends_with(".tar.gz") => Some(Ecosystem::Pypi),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("npm:a", Ecosystem::Npm, "a", None)]
    #[case("npm:@s/a", Ecosystem::Npm, "@s/a", None)]
    #[case("npm:@s/a@1.2.3-beta.1", Ecosystem::Npm, "@s/a", Some("1.2.3-beta.1"))]
    #[case("npm:a@latest", Ecosystem::Npm, "a", Some("latest"))]
    #[case("pypi:a-b[cli,x]@2025.1", Ecosystem::Pypi, "a-b[cli,x]", Some("2025.1"))]
    #[case("cargo:a_b@1.0.0", Ecosystem::Cargo, "a_b", Some("1.0.0"))]
    fn a_package_of_a_registry_is_a_name_and_a_version(
        #[case] text: &str,
        #[case] ecosystem: Ecosystem,
        #[case] name: &str,
        #[case] version: Option<&str>,
    ) {
        let spec = Spec::parse(text).unwrap();
        let version = version.map(str::to_owned);
        assert_eq!(spec.ecosystem, ecosystem);
        assert_eq!(spec.source, Source::Registry { name: name.to_owned(), version });
        assert_eq!(spec.to_string(), text);
    }

    #[rstest]
    #[case::nothing("npm:")]
    #[case::option("npm:--global")]
    #[case::address("npm:git+https://example.com/x")]
    #[case::path("npm:../x")]
    #[case::half_a_scope("npm:@s")]
    #[case::no_version("npm:a@")]
    #[case::range("pypi:a@>=1")]
    #[case::second_option("pypi:a --index-url=x")]
    #[case::unknown("gem:a")]
    #[case::no_such_file("./no-such-file.tgz")]
    fn anything_else_is_refused(#[case] text: &str) {
        assert!(matches!(Spec::parse(text), Err(InstallError::BadSpec { .. })), "{text}");
    }

    #[test]
    fn a_local_artefact_is_known_by_its_name_or_its_manifest() {
        let directory = tempfile::TempDir::new().unwrap();
        let ecosystem = |name: &str, manifest: Option<&str>| {
            let path = directory.path().join(name);
            match manifest {
                Some(manifest) => {
                    std::fs::create_dir(&path).unwrap();
                    std::fs::write(path.join(manifest), "").unwrap();
                }
                None => std::fs::write(&path, "").unwrap(),
            }
            Spec::parse(path.to_str().unwrap()).map(|spec| spec.ecosystem).ok()
        };
        assert_eq!(ecosystem("a-1.0.0.tgz", None), Some(Ecosystem::Npm));
        assert_eq!(ecosystem("a-1.0-py3-none-any.whl", None), Some(Ecosystem::Pypi));
        assert_eq!(ecosystem("a-1.0.tar.gz", None), Some(Ecosystem::Pypi));
        assert_eq!(ecosystem("n", Some("package.json")), Some(Ecosystem::Npm));
        assert_eq!(ecosystem("p", Some("pyproject.toml")), Some(Ecosystem::Pypi));
        assert_eq!(ecosystem("c", Some("Cargo.toml")), Some(Ecosystem::Cargo));
        assert_eq!(ecosystem("x", Some("README.md")), None);
        assert_eq!(ecosystem("x.zip", None), None);
    }
}
