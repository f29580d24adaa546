//! What is known of a detector, as data: how it is called, and how its answers are read.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use model::RuleId;
use regex_lite::Regex;
use serde::Deserialize;

/// A profile as it stands in its file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// The version of the format: 1.
    pub(crate) schema: u32,
    /// Its name: that of the file.
    pub(crate) name: String,
    /// One sentence: what it is.
    pub(crate) about: String,
    /// The command that installs it.
    #[serde(default)]
    pub(crate) install: Option<String>,
    /// Its command line, with placeholders.
    pub(crate) command: Vec<String>,
    /// Variables that it is given on top of ours.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// Seconds for one case.
    #[serde(default)]
    pub(crate) timeout: Option<f64>,
    /// What a case is to it.
    #[serde(default)]
    pub(crate) input: Input,
    /// How it answers.
    #[serde(default)]
    pub(crate) says: Says,
    /// By rule, or `*` for all of them: a pattern that its output has where it names the fault.
    #[serde(default)]
    pub(crate) reasons: BTreeMap<String, Pattern>,
}

/// What a case is to a detector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Input {
    /// A server to launch.
    #[default]
    Server,
    /// Bytes on its standard input.
    Stdin,
}

/// How a detector answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Says {
    /// Exit status 0 is valid, every other is not.
    #[default]
    ExitStatus,
    /// Its last line is `outcome: WORD`, what became of a client's session.
    Outcome,
}

/// A regular expression.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Pattern(Regex);

impl Pattern {
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Regex::new(&text).map(Self).map_err(|error| format!("`{text}`: {error}"))
    }
}

/// Why a profile cannot be had.
#[derive(Debug)]
pub(crate) enum ProfileError {
    /// None has this name, and no file is there.
    Unknown(String),
    /// A file cannot be read.
    Io { path: PathBuf, source: io::Error },
    /// A file is no profile.
    Format { name: String, source: serde_json::Error },
    /// A pattern is for a rule that is none.
    NoRule { name: String, rule: String },
    /// It is of a later format.
    Schema { name: String, schema: u32 },
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => {
                write!(f, "no profile is named {name}; `judge --list-profiles` lists them")
            }
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Format { name, source } => write!(f, "profile {name}: {source}"),
            Self::NoRule { name, rule } => write!(f, "profile {name}: no rule is named {rule}"),
            Self::Schema { name, schema } => {
                write!(f, "profile {name}: format {schema} is not known; this is 1")
            }
        }
    }
}

impl std::error::Error for ProfileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Format { source, .. } => Some(source),
            Self::Unknown(_) | Self::NoRule { .. } | Self::Schema { .. } => None,
        }
    }
}

include!(concat!(env!("OUT_DIR"), "/profiles.rs"));

/// The profiles that come with the command, by name.
pub(crate) fn shipped() -> Result<Vec<Profile>, ProfileError> {
    PROFILES.iter().map(|(name, text)| parse(name, text)).collect()
}

impl Profile {
    /// Of a detector of which nothing is known but its command line.
    pub(crate) fn of_command(command: Vec<String>) -> Self {
        Self {
            schema: 1,
            name: "command".to_owned(),
            about: "the command line".to_owned(),
            install: None,
            command,
            env: BTreeMap::new(),
            timeout: None,
            input: Input::Server,
            says: Says::ExitStatus,
            reasons: BTreeMap::new(),
        }
    }

    /// One of those that come with the command, or the one in a file.
    pub(crate) fn find(name: &str) -> Result<Self, ProfileError> {
        if let Some((name, text)) = PROFILES.iter().find(|(shipped, _)| *shipped == name) {
            return parse(name, text);
        }
        let path = Path::new(name);
        let text = fs::read_to_string(path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => ProfileError::Unknown(name.to_owned()),
            _ => ProfileError::Io { path: path.to_owned(), source },
        })?;
        parse(name, &text)
    }

    /// Whether the output names what this rule is about.
    pub(crate) fn names(&self, rule: &str, output: &str) -> bool {
        let patterns = [self.reasons.get(rule), self.reasons.get("*")];
        patterns.into_iter().flatten().any(|pattern| pattern.is_in(output))
    }
}

fn parse(name: &str, text: &str) -> Result<Profile, ProfileError> {
    let profile: Profile = serde_json::from_str(text)
        .map_err(|source| ProfileError::Format { name: name.to_owned(), source })?;
    if profile.schema != 1 {
        return Err(ProfileError::Schema { name: name.to_owned(), schema: profile.schema });
    }
    for rule in profile.reasons.keys().filter(|rule| *rule != "*") {
        if rule.parse::<RuleId>().is_err() {
            return Err(ProfileError::NoRule { name: name.to_owned(), rule: rule.clone() });
        }
    }
    Ok(profile)
}

#[cfg(test)]
mod tests {
    use super::{PROFILES, Profile, ProfileError, parse, shipped};

    #[test]
    fn every_profile_that_is_shipped_can_be_read_and_says_how_to_get_the_tool() {
        let profiles = shipped().unwrap_or_else(|error| panic!("{error}"));
        assert!(!profiles.is_empty());
        for (profile, (name, _)) in profiles.iter().zip(PROFILES) {
            assert_eq!(profile.name, *name);
            assert!(profile.install.is_some(), "{name}");
            assert!(profile.about.len() > 20, "{name}");
        }
    }

    #[test]
    fn what_is_no_profile_is_refused_with_its_place() {
        let refused = |text: &str| parse("x", text).expect_err("it is no profile").to_string();
        assert!(refused("{}").contains("missing field"));
        let with = |member: &str| {
            format!(r#"{{"schema":1,"name":"x","about":"x","command":["x"],{member}}}"#)
        };
        assert!(refused(&with(r#""commmand":1"#)).contains("line 1"));
        assert!(refused(&with(r#""reasons":{"no-such-rule":"x"}"#)).contains("no-such-rule"));
        assert!(refused(&with(r#""reasons":{"*":"("}"#)).contains('('));
        assert!(matches!(Profile::find("no-such-profile"), Err(ProfileError::Unknown(_))));
    }
}
