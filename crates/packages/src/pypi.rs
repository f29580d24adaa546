//! PyPI: a virtual environment, and pip in it.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::error::InstallError;
use crate::installed::{Component, Found};
use crate::spec::{Source, Spec};
use crate::tool::{Ended, Tools};

/// Packages that write to stdout for a server, or decide over what it writes.
const SDKS: &[&str] = &["mcp", "fastmcp", "pydantic", "anyio"];

pub(crate) async fn install(spec: &Spec, tools: &mut Tools<'_>) -> Result<Found, InstallError> {
    let environment = tools.directory.join("venv");
    let made = environment.display().to_string();
    let ended = tools.run("python3", "python3", ["-m", "venv", made.as_str()]).await?;
    if !ended.status.success() {
        return Err(InstallError::Failed { client: "python3 -m venv", detail: ended.tail() });
    }
    let wanted = match &spec.source {
        Source::Registry { name, version: Some(version) } => format!("{name}=={version}"),
        Source::Registry { name, version: None } => name.clone(),
        Source::Local(path) => path.display().to_string(),
    };
    let report = tools.directory.join("report.json");
    let python = environment.join("bin/python");
    let told = report.display().to_string();
    // Without a retry pip does not tell a registry that is silent from one that has no such
    // package.
    let words = [
        "-m",
        "pip",
        "install",
        "--retries",
        "2",
        "--report",
        told.as_str(),
        "--",
        wanted.as_str(),
    ];
    let ended = tools.run("pip", &python, words).await?;
    if !ended.status.success() {
        return Err(failure(&ended));
    }
    let runtime = tools.run("python3", &python, ["--version"]).await?;
    found(&environment, &report, &runtime)
}

fn failure(ended: &Ended) -> InstallError {
    let said = |texts: &[&str]| ended.line_with(texts);
    if let Some(detail) = said(&["Requires-Python", "requires a different Python"]) {
        return InstallError::WrongRuntime { detail };
    }
    let silent = [
        "NewConnectionError",
        "ConnectTimeoutError",
        "ReadTimeoutError",
        "Retrying (Retry(",
        "ConnectionError",
    ];
    if let Some(detail) = said(&silent) {
        return InstallError::Unreachable { detail };
    }
    if let Some(detail) = said(&["No matching distribution", "Could not find a version"]) {
        return InstallError::NotFound { detail };
    }
    InstallError::Failed { client: "pip", detail: ended.tail() }
}

/// What pip says it installed.
#[derive(Deserialize)]
struct Report {
    install: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    metadata: Metadata,
    #[serde(default)]
    requested: Requested,
    download_info: DownloadInfo,
}

/// Whether it was asked for, or is needed by something that was.
#[derive(Default, Deserialize, PartialEq, Eq)]
#[serde(from = "bool")]
enum Requested {
    #[default]
    No,
    Yes,
}

impl From<bool> for Requested {
    fn from(requested: bool) -> Self {
        if requested { Self::Yes } else { Self::No }
    }
}

#[derive(Deserialize)]
struct Metadata {
    name: String,
    version: String,
}

#[derive(Deserialize)]
struct DownloadInfo {
    archive_info: Option<ArchiveInfo>,
}

#[derive(Deserialize)]
struct ArchiveInfo {
    hash: Option<String>,
}

fn found(environment: &Path, report: &Path, runtime: &Ended) -> Result<Found, InstallError> {
    let bytes = fs::read(report).map_err(io_error)?;
    let report: Report = serde_json::from_slice(&bytes).map_err(|error| io_error(error.into()))?;
    let component = |item: &Item| Component {
        name: item.metadata.name.clone(),
        version: item.metadata.version.clone(),
    };
    let package = report.install.iter().find(|item| item.requested == Requested::Yes);
    let package = package.ok_or_else(|| {
        let detail = "it did not say what it installed".to_owned();
        InstallError::Failed { client: "pip", detail }
    })?;
    let sdks = report.install.iter().filter(|item| {
        SDKS.contains(&normal(&item.metadata.name).as_str()) && item.requested == Requested::No
    });
    let hash = package.download_info.archive_info.as_ref().and_then(|info| info.hash.clone());
    Ok(Found {
        package: component(package),
        integrity: hash.map(|hash| hash.replacen('=', ":", 1)),
        runtime: runtime.stdout.trim().to_owned(),
        sdks: sdks.map(component).collect(),
        commands: commands(environment, &package.metadata.name)?
            .into_iter()
            .map(|name| (name.clone(), environment.join("bin").join(name)))
            .collect(),
    })
}

/// Names differ in capitals, `-`, `_` and `.` only by spelling (PEP 503).
fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

/// The console scripts of the package, from what pip laid beside it.
fn commands(environment: &Path, package: &str) -> Result<Vec<String>, InstallError> {
    let mut names = Vec::new();
    for library in fs::read_dir(environment.join("lib")).map_err(io_error)? {
        let packages = library.map_err(io_error)?.path().join("site-packages");
        let Ok(entries) = fs::read_dir(&packages) else { continue };
        for entry in entries {
            let entry = entry.map_err(io_error)?;
            let name = entry.file_name();
            let Some(stem) = name.to_str().and_then(|name| name.strip_suffix(".dist-info")) else {
                continue;
            };
            let of = stem.rsplit_once('-').map_or(stem, |(name, _)| name);
            if normal(of) != normal(package) {
                continue;
            }
            // A package without console scripts has no such file.
            let text = fs::read_to_string(entry.path().join("entry_points.txt"));
            names.extend(console_scripts(&text.unwrap_or_default()));
        }
    }
    Ok(names)
}

fn console_scripts(text: &str) -> Vec<String> {
    let mut section = "";
    let mut names = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name.trim();
        } else if section == "console_scripts"
            && let Some((name, _)) = line.split_once('=')
        {
            names.push(name.trim().to_owned());
        }
    }
    names
}

fn io_error(source: std::io::Error) -> InstallError {
    InstallError::Io { action: "read what pip installed", source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn console_scripts_are_those_of_their_section() {
        let text = "[console_scripts]\na = m:f\nb-c=m:g [x]\n\n[gui_scripts]\nd = m:h\n";
        assert_eq!(console_scripts(text), ["a", "b-c"]);
        assert!(console_scripts("").is_empty());
    }

    #[test]
    fn spellings_of_a_name_are_one_name() {
        assert_eq!(normal("MCP_Server.time"), normal("mcp-server-time"));
    }
}
