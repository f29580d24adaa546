//! The formats, and how a file is recognised.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::dialect::Dialect;

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// `claude_desktop_config.json` of Claude Desktop.
    ClaudeDesktop,
    /// `.mcp.json` of Claude Code, which Copilot and others read too.
    ClaudeCode,
    /// `.vscode/mcp.json` of VS Code.
    VsCode,
    /// `.cursor/mcp.json` of Cursor.
    Cursor,
    /// `mcp_config.json` of Windsurf.
    Windsurf,
    /// `settings.json` of Zed.
    Zed,
    /// `config.toml` of Codex.
    Codex,
    /// `opencode.json` of opencode.
    Opencode,
    /// `settings.json` of Gemini CLI.
    Gemini,
    /// `mcp.json` of MCP Inspector.
    Inspector,
    /// `manifest.json` of an MCPB bundle.
    Mcpb,
    /// `server.json` of the MCP registry.
    Registry,
}

/// A name that is no format's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFormat;

impl Format {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::ClaudeDesktop,
        Self::ClaudeCode,
        Self::VsCode,
        Self::Cursor,
        Self::Windsurf,
        Self::Zed,
        Self::Codex,
        Self::Opencode,
        Self::Gemini,
        Self::Inspector,
        Self::Mcpb,
        Self::Registry,
    ];

    /// The name used on the command line and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "claude-desktop",
            Self::ClaudeCode => "claude-code",
            Self::VsCode => "vscode",
            Self::Cursor => "cursor",
            Self::Windsurf => "windsurf",
            Self::Zed => "zed",
            Self::Codex => "codex",
            Self::Opencode => "opencode",
            Self::Gemini => "gemini",
            Self::Inspector => "inspector",
            Self::Mcpb => "mcpb",
            Self::Registry => "registry",
        }
    }

    /// How its references are spelled.
    #[must_use]
    pub fn dialect(self) -> Dialect {
        match self {
            Self::ClaudeDesktop | Self::Zed | Self::Codex | Self::Inspector => Dialect::NONE,
            Self::ClaudeCode => Dialect::CLAUDE_CODE,
            Self::VsCode => Dialect::VS_CODE,
            Self::Cursor => Dialect::CURSOR,
            Self::Windsurf => Dialect::WINDSURF,
            Self::Opencode => Dialect::OPENCODE,
            Self::Gemini => Dialect::GEMINI,
            Self::Mcpb => Dialect::MCPB,
            Self::Registry => Dialect::REGISTRY,
        }
    }

    /// The format of a file of this path, and, where several clients use one name, of these
    /// members at its top. None if no client's file looks like it.
    #[must_use]
    pub fn guess(path: &Path, members: &[&str]) -> Option<Self> {
        let has = |name: &str| members.contains(&name);
        let file = path.file_name()?.to_str()?;
        let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        match (folder, file) {
            (_, "claude_desktop_config.json") => Some(Self::ClaudeDesktop),
            (_, ".mcp.json" | ".claude.json" | "mcp-config.json") => Some(Self::ClaudeCode),
            (Some(".vscode"), "mcp.json") => Some(Self::VsCode),
            (Some(".cursor"), "mcp.json") => Some(Self::Cursor),
            (_, "mcp_config.json") => Some(Self::Windsurf),
            (_, "opencode.json" | "opencode.jsonc") => Some(Self::Opencode),
            (_, "manifest.json") => Some(Self::Mcpb),
            (_, "server.json") => Some(Self::Registry),
            _ if file.ends_with(".toml") => Some(Self::Codex),
            _ if has("servers") => Some(Self::VsCode),
            _ if has("context_servers") => Some(Self::Zed),
            (Some(".gemini"), "settings.json") | (_, "settings.json") if has("mcpServers") => {
                Some(Self::Gemini)
            }
            (_, "mcp.json") if has("mcpServers") => Some(Self::Inspector),
            _ if has("mcpServers") => Some(Self::ClaudeCode),
            _ if has("manifest_version") => Some(Self::Mcpb),
            _ if has("packages") => Some(Self::Registry),
            _ if has("mcp") => Some(Self::Opencode),
            _ => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or(UnknownFormat)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("claude_desktop_config.json", &["mcpServers"], Some(Format::ClaudeDesktop))]
    #[case("x/.mcp.json", &["mcpServers"], Some(Format::ClaudeCode))]
    #[case(".vscode/mcp.json", &["servers"], Some(Format::VsCode))]
    #[case(".cursor/mcp.json", &["mcpServers"], Some(Format::Cursor))]
    #[case("mcp.json", &["servers"], Some(Format::VsCode))]
    #[case("mcp.json", &["mcpServers"], Some(Format::Inspector))]
    #[case("mcp_config.json", &["mcpServers"], Some(Format::Windsurf))]
    #[case(".zed/settings.json", &["theme", "context_servers"], Some(Format::Zed))]
    #[case(".gemini/settings.json", &["mcpServers"], Some(Format::Gemini))]
    #[case("config.toml", &["mcp_servers"], Some(Format::Codex))]
    #[case("opencode.jsonc", &["mcp"], Some(Format::Opencode))]
    #[case("manifest.json", &[], Some(Format::Mcpb))]
    #[case("server.json", &[], Some(Format::Registry))]
    #[case("other.json", &["mcpServers"], Some(Format::ClaudeCode))]
    #[case("other.json", &["name"], None)]
    fn a_file_is_known_by_its_name_and_its_members(
        #[case] path: &str,
        #[case] members: &[&str],
        #[case] format: Option<Format>,
    ) {
        assert_eq!(Format::guess(Path::new(path), members), format);
    }

    #[test]
    fn names_lead_back_to_their_format() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert_eq!("x".parse::<Format>(), Err(UnknownFormat));
    }
}
