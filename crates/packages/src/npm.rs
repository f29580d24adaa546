//! npm.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::InstallError;
use crate::installed::{Component, Found};
use crate::spec::{Source, Spec};
use crate::tool::{Ended, Tools};

/// Packages that write to stdout for a server, or decide over what it writes.
const SDKS: &[&str] = &[
    "@modelcontextprotocol/sdk",
    "@modelcontextprotocol/server",
    "fastmcp",
    "mcp-framework",
    "dotenv",
];

/// Codes of npm that mean that the registry did not answer.
const UNREACHABLE: &[&str] = &[
    "ENOTFOUND",
    "ECONNREFUSED",
    "ECONNRESET",
    "ETIMEDOUT",
    "EAI_AGAIN",
    "ERR_SOCKET_TIMEOUT",
    "E500",
    "E502",
    "E503",
    "E504",
];

/// Codes of npm that mean that there is no such package or version.
const NOT_FOUND: &[&str] = &["E404", "ETARGET", "E403", "E401"];

pub(crate) async fn install(spec: &Spec, tools: &mut Tools<'_>) -> Result<Found, InstallError> {
    let prefix = tools.directory.to_owned();
    let wanted = match &spec.source {
        Source::Registry { name, version: Some(version) } => format!("{name}@{version}"),
        Source::Registry { name, version: None } => name.clone(),
        Source::Local(path) if path.is_dir() => pack(path, tools).await?.display().to_string(),
        Source::Local(path) => path.display().to_string(),
    };
    let options =
        ["install", "--no-audit", "--no-fund", "--engine-strict", "--no-save", "--prefix"];
    let prefix_argument = prefix.display().to_string();
    let words = options.iter().copied().chain([prefix_argument.as_str(), "--", wanted.as_str()]);
    let ended = tools.run("npm", "npm", words).await?;
    if !ended.status.success() {
        return Err(failure(&ended));
    }
    let lock: Lock = read(&prefix.join("node_modules/.package-lock.json"))?;
    let name = match &spec.source {
        Source::Registry { name, .. } => name.clone(),
        Source::Local(_) => local_name(&lock, &wanted)?,
    };
    let runtime = tools.run("node", "node", ["--version"]).await?;
    found(&prefix, &name, &lock, &runtime)
}

/// Makes of a directory the file that would be published.
async fn pack(directory: &Path, tools: &mut Tools<'_>) -> Result<PathBuf, InstallError> {
    let into = tools.directory.join("packed");
    std::fs::create_dir(&into).map_err(io_error)?;
    let (from, to) = (directory.display().to_string(), into.display().to_string());
    let words = ["pack", "--pack-destination", to.as_str(), "--", from.as_str()];
    let ended = tools.run("npm", "npm", words).await?;
    if !ended.status.success() {
        return Err(InstallError::Failed { client: "npm pack", detail: ended.tail() });
    }
    let mut files = std::fs::read_dir(&into).map_err(io_error)?;
    match files.next() {
        Some(file) => Ok(file.map_err(io_error)?.path()),
        None => Err(InstallError::Failed { client: "npm pack", detail: ended.tail() }),
    }
}

fn failure(ended: &Ended) -> InstallError {
    let code = ended.line_with(&["npm error code", "npm ERR! code"]).unwrap_or_default();
    let code = code.rsplit(' ').next().unwrap_or_default().to_owned();
    let detail = || {
        let says =
            ["npm error 404 ", "notarget No", "Required:", "network ", "FetchError", "reason:"];
        format!("{code}: {}", ended.line_with(&says).unwrap_or_else(|| ended.tail()))
    };
    match code.as_str() {
        "EBADENGINE" => InstallError::WrongRuntime { detail: detail() },
        code if NOT_FOUND.contains(&code) => InstallError::NotFound { detail: detail() },
        code if UNREACHABLE.contains(&code) => InstallError::Unreachable { detail: detail() },
        _ => InstallError::Failed { client: "npm", detail: ended.tail() },
    }
}

/// What npm writes of what it installed.
#[derive(Deserialize)]
struct Lock {
    packages: BTreeMap<String, Locked>,
}

#[derive(Deserialize)]
struct Locked {
    version: Option<String>,
    integrity: Option<String>,
    resolved: Option<String>,
}

#[derive(Deserialize)]
struct Manifest {
    /// One command, which has the package's name, or an object of several.
    bin: Option<serde_json::Value>,
}

/// The name of the package that came from a file: only its `resolved` names that file.
fn local_name(lock: &Lock, wanted: &str) -> Result<String, InstallError> {
    let file = Path::new(wanted).file_name().and_then(|name| name.to_str()).unwrap_or(wanted);
    let is_it = |locked: &Locked| {
        locked
            .resolved
            .as_deref()
            .is_some_and(|from| from.starts_with("file:") && from.ends_with(file))
    };
    let path = lock.packages.iter().find(|(_, locked)| is_it(locked)).map(|(path, _)| path);
    path.and_then(|path| path.strip_prefix("node_modules/")).map(str::to_owned).ok_or_else(|| {
        let detail = "it did not say what it installed".to_owned();
        InstallError::Failed { client: "npm", detail }
    })
}

fn found(prefix: &Path, name: &str, lock: &Lock, runtime: &Ended) -> Result<Found, InstallError> {
    let version = |name: &str| {
        let locked = lock.packages.get(&format!("node_modules/{name}"))?;
        Some(Component { name: name.to_owned(), version: locked.version.clone()? })
    };
    let manifest: Manifest = read(&prefix.join("node_modules").join(name).join("package.json"))?;
    let names: Vec<String> = match manifest.bin {
        Some(serde_json::Value::String(_)) => {
            vec![name.rsplit('/').next().unwrap_or(name).to_owned()]
        }
        Some(serde_json::Value::Object(bins)) => bins.into_iter().map(|(name, _)| name).collect(),
        _ => Vec::new(),
    };
    let commands = names
        .into_iter()
        .map(|name| (name.clone(), prefix.join("node_modules/.bin").join(name)))
        .collect();
    let integrity = lock.packages.get(&format!("node_modules/{name}"));
    Ok(Found {
        package: version(name)
            .unwrap_or(Component { name: name.to_owned(), version: "unknown".to_owned() }),
        integrity: integrity.and_then(|locked| locked.integrity.clone()),
        runtime: format!("node {}", runtime.stdout.trim()),
        sdks: SDKS.iter().filter_map(|sdk| version(sdk)).collect(),
        commands,
    })
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, InstallError> {
    let bytes = std::fs::read(path).map_err(io_error)?;
    serde_json::from_slice(&bytes).map_err(|error| io_error(error.into()))
}

fn io_error(source: std::io::Error) -> InstallError {
    InstallError::Io { action: "read what npm installed", source }
}
