//! The Rust registry: `cargo install` into a root of its own.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::error::InstallError;
use crate::installed::{Component, Found};
use crate::spec::{Source, Spec};
use crate::tool::{Ended, Tools};

pub(crate) async fn install(spec: &Spec, tools: &mut Tools<'_>) -> Result<Found, InstallError> {
    let root = tools.directory.join("root");
    let target = tools.directory.join("target");
    let (root_word, target_word) = (root.display().to_string(), target.display().to_string());
    let mut words: Vec<String> =
        ["install", "--locked", "--root", &root_word, "--target-dir", &target_word]
            .map(str::to_owned)
            .into();
    match &spec.source {
        Source::Registry { name, version } => {
            if let Some(version) = version {
                words.extend(["--version".to_owned(), format!("={version}")]);
            }
            words.extend(["--".to_owned(), name.clone()]);
        }
        Source::Local(path) => words.extend(["--path".to_owned(), path.display().to_string()]),
    }
    let mut ended = tools.run("cargo", "cargo", &words).await?;
    // A package that ships no lock file, or a stale one, is still what users install.
    if !ended.status.success() && ended.line_with(&["--locked"]).is_some() {
        words.retain(|word| word != "--locked");
        ended = tools.run("cargo", "cargo", &words).await?;
    }
    if !ended.status.success() {
        return Err(failure(&ended));
    }
    let runtime = tools.run("rustc", "rustc", ["--version"]).await?;
    let bytes = std::fs::read(root.join(".crates2.json")).map_err(io_error)?;
    let told: Told = serde_json::from_slice(&bytes).map_err(|error| io_error(error.into()))?;
    let (id, crate_) = told.installs.into_iter().next().ok_or_else(|| InstallError::Failed {
        client: "cargo",
        detail: "it did not say what it installed".to_owned(),
    })?;
    // `name version (source)`
    let mut parts = id.split(' ').map(str::to_owned);
    let package = Component {
        name: parts.next().unwrap_or_default(),
        version: parts.next().unwrap_or_default(),
    };
    let commands =
        crate_.bins.into_iter().map(|name| (name.clone(), root.join("bin").join(name))).collect();
    Ok(Found {
        package,
        integrity: None,
        runtime: runtime.stdout.trim().to_owned(),
        sdks: Vec::new(),
        commands,
    })
}

/// What cargo writes of what it installed.
#[derive(Deserialize)]
struct Told {
    installs: BTreeMap<String, Crate>,
}

#[derive(Deserialize)]
struct Crate {
    bins: Vec<String>,
}

fn failure(ended: &Ended) -> InstallError {
    let said = |texts: &[&str]| ended.line_with(texts);
    if let Some(detail) = said(&["requires rustc", "cannot be built because it requires rustc"]) {
        return InstallError::WrongRuntime { detail };
    }
    if let Some(detail) = said(&["could not find `", "no matching package"]) {
        return InstallError::NotFound { detail };
    }
    let silent = [
        "spurious network error",
        "Couldn't resolve host",
        "Could not resolve host",
        "Connection refused",
        "failed to download",
        "Timeout was reached",
    ];
    if let Some(detail) = said(&silent) {
        return InstallError::Unreachable { detail };
    }
    if let Some(detail) = said(&["there is nothing to install"]) {
        return InstallError::NoCommand { package: detail };
    }
    InstallError::Failed { client: "cargo", detail: ended.tail() }
}

fn io_error(source: std::io::Error) -> InstallError {
    InstallError::Io { action: "read what cargo installed", source }
}
