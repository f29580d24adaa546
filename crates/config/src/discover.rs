//! The configuration files that a project carries.

use std::path::{Path, PathBuf};

/// Where clients look in a project, in the order in which they are tried.
pub const PROJECT_FILES: &[&str] = &[
    ".mcp.json",
    ".vscode/mcp.json",
    ".cursor/mcp.json",
    ".gemini/settings.json",
    ".codex/config.toml",
    ".zed/settings.json",
    "opencode.json",
    "opencode.jsonc",
    "server.json",
    "manifest.json",
];

/// The files of [`PROJECT_FILES`] that are there. A file of a user is never among them.
#[must_use]
pub fn project_files(directory: &Path) -> Vec<PathBuf> {
    PROJECT_FILES.iter().map(|name| directory.join(name)).filter(|path| path.is_file()).collect()
}

/// The folder that a client has open when it reads this file: that of the project for a file of
/// one, and `otherwise` for a file of the user.
pub(crate) fn workspace(path: &Path, otherwise: &Path) -> PathBuf {
    const OF_A_CLIENT: [&str; 5] = [".vscode", ".cursor", ".gemini", ".codex", ".zed"];
    const OF_A_PROJECT: [&str; 4] = [".mcp.json", "opencode.json", "opencode.jsonc", "server.json"];
    let last = |path: &Path| path.file_name().and_then(|name| name.to_str().map(str::to_owned));
    let is_one =
        |names: &[&str], path: &Path| last(path).is_some_and(|name| names.contains(&name.as_str()));
    let directory = path.parent().unwrap_or(Path::new(""));
    let project = match (is_one(&OF_A_CLIENT, directory), is_one(&OF_A_PROJECT, path)) {
        (true, _) => directory.parent(),
        (false, true) => Some(directory),
        (false, false) => None,
    };
    match project.filter(|project| !project.as_os_str().is_empty()) {
        Some(project) => otherwise.join(project),
        None => otherwise.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("/p/.mcp.json", "/p")]
    #[case("/p/.vscode/mcp.json", "/p")]
    #[case(".vscode/mcp.json", "/here")]
    #[case(".mcp.json", "/here")]
    #[case("sub/.cursor/mcp.json", "/here/sub")]
    #[case("/home/u/claude_desktop_config.json", "/here")]
    fn a_project_file_opens_its_project(#[case] path: &str, #[case] folder: &str) {
        assert_eq!(workspace(Path::new(path), Path::new("/here")), Path::new(folder));
    }
}
