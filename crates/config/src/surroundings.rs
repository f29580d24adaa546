//! What a configuration is expanded against: the environment, the folders, the given inputs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The prefix of the variables that give a value to an input: `MCP_STDIO_PROBE_INPUT_` and the
/// input's id in capitals, with `_` for whatever is no letter or digit.
const INPUT_PREFIX: &str = "MCP_STDIO_PROBE_INPUT_";

/// What a configuration is expanded against. Tests make their own; a command fills it from the
/// process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The environment. A variable that is not UTF-8 is left out: no client could put it into a
    /// string.
    pub environment: BTreeMap<String, String>,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// The folder that the client has open.
    pub workspace: PathBuf,
    /// Values given for inputs, in order. One id may be given several times where the format
    /// allows several values.
    pub inputs: Vec<(String, String)>,
    /// The names of variables that the user sets for every server, so that nothing in the file
    /// needs to.
    pub set: BTreeSet<String>,
}

impl Surroundings {
    /// The values given for an input: by [`Surroundings::inputs`], or by the environment.
    #[must_use]
    pub fn given(&self, id: &str) -> Vec<String> {
        let given: Vec<String> = self
            .inputs
            .iter()
            .filter(|(name, _)| name == id)
            .map(|(_, value)| value.clone())
            .collect();
        if !given.is_empty() {
            return given;
        }
        let name: String = id
            .chars()
            .map(|character| match character.is_ascii_alphanumeric() {
                true => character.to_ascii_uppercase(),
                false => '_',
            })
            .collect();
        self.environment.get(&format!("{INPUT_PREFIX}{name}")).cloned().into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_given_by_name_or_by_the_environment() {
        let mut surroundings = Surroundings::default();
        assert!(surroundings.given("api-key").is_empty());
        surroundings
            .environment
            .insert("MCP_STDIO_PROBE_INPUT_API_KEY".to_owned(), "from-environment".to_owned());
        assert_eq!(surroundings.given("api-key"), ["from-environment"]);
        surroundings.inputs =
            ["a", "b"].map(|value| ("api-key".to_owned(), value.to_owned())).into();
        assert_eq!(surroundings.given("api-key"), ["a", "b"]);
    }
}
