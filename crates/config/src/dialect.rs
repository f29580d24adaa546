//! How each client spells a reference to something outside its file, and what it does with one
//! that leads nowhere: a table. [`crate::expand`] is the engine that reads it.

/// The spelling of references in one client's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// How a reference begins and ends.
    pub openings: &'static [Opening],
    /// What can stand in one. The first pattern that fits counts.
    pub references: &'static [Reference],
    /// What the client puts in the place of a variable that is not set.
    pub unset: Unset,
}

/// How a reference begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// `${…}`, up to the first `}`.
    DollarBrace,
    /// `{…}`, up to the first `}`.
    Brace,
    /// `$NAME`: letters, digits and `_`.
    DollarName,
}

/// What can stand in a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The text that is meant.
    pub pattern: Pattern,
    /// What it leads to.
    pub meaning: Meaning,
}

/// The text of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Exactly this.
    Exactly(&'static str),
    /// This, and then an argument.
    Prefix(&'static str),
    /// Whatever it is.
    Any,
}

/// What a reference leads to. The argument is what follows the prefix, or all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The environment variable of that name.
    Environment,
    /// The environment variable of the name before `:-`; what follows that, if it is not set.
    EnvironmentOrDefault,
    /// The content of the file of that name, without blanks round it.
    FileContent,
    /// The user's home directory.
    Home,
    /// This folder in the home directory.
    HomeFolder(&'static str),
    /// The folder that the client has open.
    Workspace,
    /// The last part of its path.
    WorkspaceName,
    /// What separates the parts of a path.
    Separator,
    /// The directory into which the bundle is unpacked.
    Bundle,
    /// A value that the user is asked for.
    Input,
}

/// What a client puts in the place of a variable that is not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unset {
    /// The reference itself, as it is written.
    Literal,
    /// Nothing.
    Empty,
}

const fn exactly(text: &'static str, meaning: Meaning) -> Reference {
    Reference { pattern: Pattern::Exactly(text), meaning }
}

const fn prefix(text: &'static str, meaning: Meaning) -> Reference {
    Reference { pattern: Pattern::Prefix(text), meaning }
}

const fn any(meaning: Meaning) -> Reference {
    Reference { pattern: Pattern::Any, meaning }
}

impl Dialect {
    /// Nothing is a reference: Claude Desktop, Zed, Codex, MCP Inspector.
    pub const NONE: Self = Self { openings: &[], references: &[], unset: Unset::Literal };

    /// Claude Code and those that read its project file.
    pub const CLAUDE_CODE: Self = Self {
        openings: &[Opening::DollarBrace],
        references: &[any(Meaning::EnvironmentOrDefault)],
        unset: Unset::Literal,
    };

    /// VS Code.
    pub const VS_CODE: Self = Self {
        openings: &[Opening::DollarBrace],
        references: &[
            prefix("env:", Meaning::Environment),
            prefix("input:", Meaning::Input),
            exactly("userHome", Meaning::Home),
            exactly("workspaceFolder", Meaning::Workspace),
            exactly("cwd", Meaning::Workspace),
            exactly("workspaceFolderBasename", Meaning::WorkspaceName),
            exactly("pathSeparator", Meaning::Separator),
            exactly("/", Meaning::Separator),
        ],
        unset: Unset::Empty,
    };

    /// Cursor.
    pub const CURSOR: Self = Self {
        openings: &[Opening::DollarBrace],
        references: &[
            prefix("env:", Meaning::Environment),
            exactly("userHome", Meaning::Home),
            exactly("workspaceFolder", Meaning::Workspace),
            exactly("workspaceFolderBasename", Meaning::WorkspaceName),
            exactly("pathSeparator", Meaning::Separator),
            exactly("/", Meaning::Separator),
        ],
        unset: Unset::Literal,
    };

    /// Windsurf.
    pub const WINDSURF: Self = Self {
        openings: &[Opening::DollarBrace],
        references: &[prefix("env:", Meaning::Environment), prefix("file:", Meaning::FileContent)],
        unset: Unset::Literal,
    };

    /// opencode.
    pub const OPENCODE: Self = Self {
        openings: &[Opening::Brace],
        references: &[prefix("env:", Meaning::Environment), prefix("file:", Meaning::FileContent)],
        unset: Unset::Empty,
    };

    /// Gemini CLI and its family.
    pub const GEMINI: Self = Self {
        openings: &[Opening::DollarBrace, Opening::DollarName],
        references: &[any(Meaning::Environment)],
        unset: Unset::Literal,
    };

    /// MCPB manifests.
    pub const MCPB: Self = Self {
        openings: &[Opening::DollarBrace],
        references: &[
            exactly("__dirname", Meaning::Bundle),
            exactly("HOME", Meaning::Home),
            exactly("DESKTOP", Meaning::HomeFolder("Desktop")),
            exactly("DOCUMENTS", Meaning::HomeFolder("Documents")),
            exactly("DOWNLOADS", Meaning::HomeFolder("Downloads")),
            exactly("pathSeparator", Meaning::Separator),
            exactly("/", Meaning::Separator),
            prefix("user_config.", Meaning::Input),
        ],
        unset: Unset::Literal,
    };

    /// Entries of the MCP registry.
    pub const REGISTRY: Self = Self {
        openings: &[Opening::Brace],
        references: &[any(Meaning::Input)],
        unset: Unset::Literal,
    };

    /// What a reference of this text leads to, and its argument. None if the client knows no such
    /// reference, and leaves it as it is.
    pub(crate) fn meaning<'a>(&self, text: &'a str) -> Option<(Meaning, &'a str)> {
        self.references.iter().find_map(|reference| match reference.pattern {
            Pattern::Exactly(exactly) => (text == exactly).then_some((reference.meaning, text)),
            Pattern::Prefix(prefix) => {
                text.strip_prefix(prefix).map(|argument| (reference.meaning, argument))
            }
            Pattern::Any => (!text.is_empty()).then_some((reference.meaning, text)),
        })
    }
}
