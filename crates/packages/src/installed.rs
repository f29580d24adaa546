//! What was installed, and what is known of it.

use std::fs::File;
use std::future::Future;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::error::InstallError;
use crate::spec::{Ecosystem, Source, Spec};
use crate::tool::Tools;
use crate::{cargo, npm, pypi};

/// A package in a prefix of its own. Both are gone when this goes out of scope.
#[derive(Debug)]
pub struct Installed {
    /// The command that users are told to launch: an absolute path.
    pub entry: PathBuf,
    /// The entry's name.
    pub bin: String,
    /// The package, in the version that was installed.
    pub package: Component,
    /// Whose package it is.
    pub ecosystem: Ecosystem,
    /// A hash of what was installed, as the registry gives it or, for a local file, as `sha256:…`.
    /// None if the client does not say.
    pub integrity: Option<String>,
    /// The version of the runtime, in its own words.
    pub runtime: String,
    /// The versions of what decides over stdout: SDKs of MCP and their like.
    pub sdks: Vec<Component>,
    prefix: TempDir,
}

/// A package and its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What an ecosystem's client installed.
pub(crate) struct Found {
    pub(crate) package: Component,
    pub(crate) integrity: Option<String>,
    pub(crate) runtime: String,
    pub(crate) sdks: Vec<Component>,
    /// Name and file of each command.
    pub(crate) commands: Vec<(String, PathBuf)>,
}

impl Installed {
    /// The prefix.
    #[must_use]
    pub fn prefix(&self) -> &Path {
        self.prefix.path()
    }
}

/// Installs a package into a temporary prefix, with the ecosystem's own client. `bin` is the
/// command wanted; None is the only one, or the one with the package's name. Each run of the
/// client is given `deadline`; when `stop` completes, the client is killed.
///
/// # Errors
///
/// See [`InstallError`]. Nothing is left behind.
pub fn install(
    spec: &Spec,
    bin: Option<&str>,
    deadline: Duration,
    stop: impl Future<Output = ()>,
) -> Result<Installed, InstallError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| InstallError::Io { action: "set up an event loop", source })?;
    let prefix = TempDir::with_prefix("mcp-stdio-probe-")
        .map_err(|source| InstallError::Io { action: "make a temporary directory", source })?;
    let found = runtime.block_on(async {
        let mut stop = pin!(stop);
        let mut tools = Tools { directory: prefix.path(), deadline, stop: stop.as_mut() };
        match spec.ecosystem {
            Ecosystem::Npm => npm::install(spec, &mut tools).await,
            Ecosystem::Pypi => pypi::install(spec, &mut tools).await,
            Ecosystem::Cargo => cargo::install(spec, &mut tools).await,
        }
    })?;
    let (bin, entry) = chosen(&found, bin)?;
    let integrity = match &spec.source {
        Source::Local(path) if path.is_file() => Some(
            hash(path).map_err(|source| InstallError::Io { action: "read the package", source })?,
        ),
        _ => found.integrity,
    };
    Ok(Installed {
        entry,
        bin,
        package: found.package,
        ecosystem: spec.ecosystem,
        integrity,
        runtime: found.runtime,
        sdks: found.sdks,
        prefix,
    })
}

/// The command wanted; or the only one; or the one that has the package's name, without its scope.
fn chosen(found: &Found, bin: Option<&str>) -> Result<(String, PathBuf), InstallError> {
    let names = || found.commands.iter().map(|(name, _)| name.clone()).collect();
    let of = |wanted: &str| found.commands.iter().find(|(name, _)| name == wanted).cloned();
    match (bin, found.commands.as_slice()) {
        (_, []) => Err(InstallError::NoCommand { package: found.package.name.clone() }),
        (Some(bin), _) => of(bin)
            .ok_or_else(|| InstallError::NoSuchCommand { name: bin.to_owned(), names: names() }),
        (None, [only]) => Ok(only.clone()),
        (None, _) => {
            let name = &found.package.name;
            of(name.rsplit('/').next().unwrap_or(name))
                .ok_or_else(|| InstallError::SeveralCommands { names: names() })
        }
    }
}

fn hash(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => hasher.update(&buffer[..read]),
        }
    }
    let digest: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("sha256:{digest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, commands: &[&str]) -> Found {
        Found {
            package: Component { name: name.to_owned(), version: "1.0.0".to_owned() },
            integrity: None,
            runtime: String::new(),
            sdks: Vec::new(),
            commands: commands
                .iter()
                .map(|name| ((*name).to_owned(), PathBuf::from(name)))
                .collect(),
        }
    }

    #[test]
    fn the_command_is_the_only_one_or_the_one_named_or_that_of_the_package() {
        let name = |found: &Found, bin| chosen(found, bin).map(|(name, _)| name);
        assert_eq!(name(&found("a", &["x"]), None).unwrap(), "x");
        assert_eq!(name(&found("@s/a", &["x", "a"]), None).unwrap(), "a");
        assert_eq!(name(&found("a", &["x", "y"]), Some("y")).unwrap(), "y");
        assert!(matches!(name(&found("a", &[]), None), Err(InstallError::NoCommand { .. })));
        assert!(matches!(
            name(&found("a", &["x", "y"]), None),
            Err(InstallError::SeveralCommands { names }) if names == ["x", "y"]
        ));
        assert!(matches!(
            name(&found("a", &["x"]), Some("y")),
            Err(InstallError::NoSuchCommand { .. })
        ));
    }
}
