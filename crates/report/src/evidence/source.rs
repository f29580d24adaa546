//! Where the launched server came from: a configuration file, or a package.

use serde::Serialize;

use super::{os_phrase, phrase, word};
use crate::facts::{ConfigurationFact, PackageFact};
use crate::redact::Redactor;
use crate::safe::SafeText;

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
