//! Where the launched server came from: a configuration file, or a package; and its versions.

use model::ExitStatus;
use serde::Serialize;

use super::{os_phrase, phrase, wire, word};
use crate::caps;
use crate::facts::{ConfigurationFact, PackageFact, SoftwareFact, VersionFact};
use crate::redact::{Edge, Edges, Redactor};
use crate::safe::{SafeText, Untrusted};

/// Where a server is written down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct ConfigurationEvidence {
    /// The file, as the user named it.
    pub file: SafeText,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The name of the format.
    pub format: &'static str,
    /// The server's name there.
    pub server: SafeText,
}

/// A package that was installed for the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct PackageEvidence {
    /// `npm`, `pypi` or `cargo`.
    pub ecosystem: &'static str,
    /// Its name.
    pub name: SafeText,
    /// The version that was installed.
    pub version: SafeText,
    /// A hash of what was installed; null if the ecosystem's client does not say.
    pub integrity: Option<SafeText>,
    /// The runtime and its version.
    pub runtime: SafeText,
    /// The name of the command that was launched.
    pub entry: SafeText,
    /// The SDKs that were installed with it.
    pub sdks: Vec<SdkEvidence>,
}

/// An SDK and its version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct SdkEvidence {
    /// Its name.
    pub name: SafeText,
    /// Its version.
    pub version: SafeText,
}

/// The package that the command belongs to, as the files beside its program say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct SoftwareEvidence {
    /// `npm`, `pypi` or `cargo`.
    pub ecosystem: &'static str,
    /// Its name.
    pub name: SafeText,
    /// Its version; null if the file does not say.
    pub version: Option<SafeText>,
    /// The file that says so.
    pub manifest: SafeText,
}

/// What a command printed that was asked for a version, before the server was launched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct VersionEvidence {
    /// The arguments of the command, program first.
    pub command: Vec<SafeText>,
    /// How it ended by itself; null if it was not launched, or had to be ended.
    #[serde(serialize_with = "wire::exit_status")]
    #[cfg_attr(feature = "json-schema", schemars(with = "Option<wire::ExitStatusShape>"))]
    pub exit_status: Option<ExitStatus>,
    /// The first lines that it printed, redacted and safe.
    pub output: Vec<SafeText>,
}

impl SoftwareEvidence {
    pub(super) fn new(fact: &SoftwareFact, redactor: &Redactor) -> Self {
        Self {
            ecosystem: fact.ecosystem,
            name: word(fact.name.as_bytes(), redactor),
            version: fact.version.as_ref().map(|version| word(version.as_bytes(), redactor)),
            manifest: os_phrase(fact.manifest.as_os_str(), redactor),
        }
    }
}

impl VersionEvidence {
    pub(super) fn new(fact: &VersionFact, redactor: &Redactor) -> Self {
        let edges = Edges { start: Edge::Whole, end: fact.cut };
        let output = redactor.redact(&fact.output, edges).bytes;
        let lines = output.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        Self {
            command: fact.command.iter().map(|argument| os_phrase(argument, redactor)).collect(),
            exit_status: fact.exit_status,
            output: lines
                .filter(|line| !line.is_empty())
                .take(caps::VERSION_LINES)
                .map(|line| Untrusted::new(line).text(caps::WORD))
                .collect(),
        }
    }
}

impl ConfigurationEvidence {
    pub(super) fn new(fact: &ConfigurationFact, redactor: &Redactor) -> Self {
        Self {
            file: os_phrase(fact.file.as_os_str(), redactor),
            line: fact.line,
            column: fact.column,
            format: fact.format,
            server: word(fact.server.as_bytes(), redactor),
        }
    }
}

impl PackageEvidence {
    pub(super) fn new(fact: &PackageFact, redactor: &Redactor) -> Self {
        let short = |text: &str| word(text.as_bytes(), redactor);
        Self {
            ecosystem: fact.ecosystem,
            name: short(&fact.name),
            version: short(&fact.version),
            integrity: fact.integrity.as_ref().map(|hash| phrase(hash.as_bytes(), redactor)),
            runtime: short(&fact.runtime),
            entry: short(&fact.entry),
            sdks: fact
                .sdks
                .iter()
                .map(|(name, version)| SdkEvidence { name: short(name), version: short(version) })
                .collect(),
        }
    }
}
