//! The environment of a server: which variables it gets, and where each came from.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use super::EnvPolicy;

/// The names that the client SDKs pass on, on every Unix.
const CLIENT_DEFAULT: [&str; 6] = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

/// A variable that a server was given. Its value is not recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: OsString,
    /// Where its value came from.
    pub origin: Origin,
}

/// Where the value of a variable came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// It was set for this launch.
    Set,
    /// Our own environment.
    Inherited,
}

/// The environment of one launch, in the order of names.
pub(crate) struct Environment(BTreeMap<OsString, (OsString, Origin)>);

impl Environment {
    /// Chooses from `inherited` by `policy` what is not in `unset`, then applies `set`.
    pub(crate) fn new(
        policy: EnvPolicy,
        set: &[(OsString, OsString)],
        unset: &[OsString],
        inherited: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        let mut variables: BTreeMap<_, _> = inherited
            .into_iter()
            .filter(|(name, value)| passes(policy, name, value) && !unset.contains(name))
            .map(|(name, value)| (name, (value, Origin::Inherited)))
            .collect();
        for (name, value) in set {
            variables.insert(name.clone(), (value.clone(), Origin::Set));
        }
        Self(variables)
    }

    /// The value of PATH, if there is one.
    pub(crate) fn path(&self) -> Option<&OsStr> {
        self.0.get(OsStr::new("PATH")).map(|(value, _)| value.as_os_str())
    }

    /// Names and values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, (value, _))| (name.as_os_str(), value.as_os_str()))
    }

    /// What is recorded of it.
    pub(crate) fn variables(&self) -> Vec<Variable> {
        self.0
            .iter()
            .map(|(name, (_, origin))| Variable { name: name.clone(), origin: *origin })
            .collect()
    }
}

fn passes(policy: EnvPolicy, name: &OsStr, value: &OsStr) -> bool {
    match policy {
        EnvPolicy::ClientDefault => {
            CLIENT_DEFAULT.iter().any(|allowed| name == *allowed)
                && !value.as_bytes().starts_with(b"()")
        }
        EnvPolicy::Minimal => name == "PATH",
        EnvPolicy::Inherit => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours() -> Vec<(OsString, OsString)> {
        [("PATH", "/bin"), ("HOME", "/home/u"), ("SHELL", "() { :; }"), ("GITHUB_TOKEN", "secret")]
            .map(|(name, value)| (name.into(), value.into()))
            .into()
    }

    fn names(environment: &Environment) -> Vec<(String, Origin)> {
        environment
            .variables()
            .into_iter()
            .map(|variable| (variable.name.into_string().unwrap(), variable.origin))
            .collect()
    }

    #[test]
    fn the_default_is_the_list_of_the_client_sdks() {
        let environment = Environment::new(EnvPolicy::ClientDefault, &[], &[], ours());
        assert_eq!(
            names(&environment),
            [("HOME".to_owned(), Origin::Inherited), ("PATH".to_owned(), Origin::Inherited)]
        );
    }

    #[test]
    fn minimal_is_path_alone_and_inherit_is_all() {
        assert_eq!(names(&Environment::new(EnvPolicy::Minimal, &[], &[], ours())).len(), 1);
        assert_eq!(names(&Environment::new(EnvPolicy::Inherit, &[], &[], ours())).len(), 4);
    }

    #[test]
    fn what_is_taken_away_is_not_inherited_and_can_still_be_set() {
        let unset = ["HOME", "PATH"].map(OsString::from);
        let set = [("PATH".into(), "/a".into())];
        let environment = Environment::new(EnvPolicy::Inherit, &set, &unset, ours());
        assert!(names(&environment).iter().all(|(name, _)| name != "HOME"));
        assert_eq!(environment.path(), Some(OsStr::new("/a")));
    }

    #[test]
    fn what_is_set_replaces_what_is_inherited_and_the_last_one_counts() {
        let set = [("PATH", "/a"), ("TOKEN", "x"), ("PATH", "/b")]
            .map(|(name, value)| (name.into(), value.into()));
        let environment = Environment::new(EnvPolicy::Minimal, &set, &[], ours());
        assert_eq!(environment.path(), Some(OsStr::new("/b")));
        assert_eq!(
            names(&environment),
            [("PATH".to_owned(), Origin::Set), ("TOKEN".to_owned(), Origin::Set)]
        );
    }
}
