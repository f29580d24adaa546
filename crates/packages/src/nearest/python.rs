//! Packages of Python: a project's `pyproject.toml`, and what an installer wrote down.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Nearest, read};
use crate::spec::Ecosystem;

/// How many entries of a directory of installed packages are looked at.
const INSTALLED: usize = 4096;

/// What a `pyproject.toml` says.
pub(super) fn of_project(directory: &Path) -> Option<Nearest> {
    let manifest = directory.join("pyproject.toml");
    let file: toml::Table = read(&manifest)?.parse().ok()?;
    let poetry = || file.get("tool")?.get("poetry");
    let project = file.get("project").or_else(poetry)?.as_table()?;
    let text = |key: &str| Some(project.get(key)?.as_str()?.to_owned());
    Some(Nearest {
        ecosystem: Ecosystem::Pypi,
        name: text("name")?,
        version: text("version"),
        manifest,
    })
}

/// Whether a directory is where packages are installed.
pub(super) fn is_site(directory: &Path) -> bool {
    directory.file_name().is_some_and(|name| name == "site-packages" || name == "dist-packages")
}

/// The directories of a virtual environment in which packages are installed.
pub(super) fn sites(environment: &Path) -> Vec<PathBuf> {
    let lib = fs::read_dir(environment.join("lib")).into_iter().flatten().flatten();
    let versions = lib.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"python"));
    versions.map(|entry| entry.path().join("site-packages")).filter(|path| path.is_dir()).collect()
}

/// The package that installed a command in `bin`.
pub(super) fn of_command(command: &Path) -> Option<Nearest> {
    let bin = command.parent()?;
    bin.file_name().is_some_and(|name| name == "bin").then_some(())?;
    let name = command.file_name()?.to_str()?;
    let record = format!("../../../bin/{name},");
    sites(bin.parent()?).iter().find_map(|site| installed(site, &[&record]))
}

/// The package that installed a module in a directory of packages.
pub(super) fn of_site(site: &Path, module: &Path) -> Option<Nearest> {
    is_site(site).then_some(())?;
    let top = module.strip_prefix(site).ok()?.iter().next()?.to_str()?;
    installed(site, &[&format!("{top}/"), &format!("{top},")])
}

/// The package of which a line of the record begins so.
fn installed(site: &Path, beginnings: &[&str]) -> Option<Nearest> {
    let entries = fs::read_dir(site).ok()?.flatten().take(INSTALLED);
    let mut infos: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "dist-info"))
        .collect();
    infos.sort();
    infos.into_iter().find_map(|info| {
        let record = read(&info.join("RECORD"))?;
        let owns = |line: &str| beginnings.iter().any(|beginning| line.starts_with(beginning));
        record.lines().any(owns).then_some(())?;
        metadata(info.join("METADATA"))
    })
}

/// The headers of a package's metadata, up to the first empty line.
fn metadata(manifest: PathBuf) -> Option<Nearest> {
    let text = read(&manifest)?;
    let header = |name: &str| {
        let lines = text.lines().take_while(|line| !line.is_empty());
        let values = lines.filter_map(|line| line.split_once(": "));
        values.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    };
    Some(Nearest {
        ecosystem: Ecosystem::Pypi,
        name: header("Name")?.to_owned(),
        version: header("Version").map(str::to_owned),
        manifest,
    })
}
