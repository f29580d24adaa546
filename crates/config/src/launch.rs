//! From an entry of a file to the command that its client would launch.

use std::fs;
use std::path::{Path, PathBuf};

use crate::dialect::{Dialect, Meaning};
use crate::discover;
use crate::entry::{
    Argument, Arity, Entry, File, Input, Need, Secrecy, Setting, Source, Template, Term, Timeouts,
};
use crate::env_file;
use crate::error::{ConfigError, Place, Problem};
use crate::expand::{Value, expand};
use crate::format::Format;
use crate::surroundings::Surroundings;
use crate::tree::Text;

/// What to do with a reference that leads nowhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// It is an error.
    #[default]
    Strict,
    /// Do as the client does, and warn.
    Client,
}

/// What a client would launch. Nothing in it is a reference any more.
#[derive(Clone, PartialEq, Eq)]
pub struct Launch {
    /// The program.
    pub program: String,
    /// The arguments after it.
    pub args: Vec<String>,
    /// The variables that are set for it, in the order in which they are applied: of two with one
    /// name the later one counts.
    pub env: Vec<Variable>,
    /// Variables that it must not get, even if the client passes them on.
    pub unset: Vec<String>,
    /// Its working directory.
    pub cwd: PathBuf,
    /// How long the client waits, where the file says so.
    pub timeouts: Timeouts,
    /// Values that no report may show.
    pub secrets: Vec<Secret>,
    /// Variables of the environment whose values stand in the command, in a variable or in the
    /// working directory. Whether they are secret, their names must tell.
    pub borrowed: Vec<Secret>,
    /// What a person should know.
    pub warnings: Vec<Warning>,
}

/// A variable that is set for a server.
#[derive(Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Where its name is written, in the configuration or in the env file.
    pub place: Place,
}

/// Where a variable comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The configuration sets it.
    File,
    /// The env file that the configuration names sets it.
    EnvFile,
    /// The configuration names it, and the environment sets it.
    Environment,
}

/// A value, and the name that is shown instead.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

/// What a person should know of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where in the file.
    pub place: Place,
    /// What. It holds no value of a variable.
    pub text: String,
}

impl File {
    /// What the client would launch for an entry of this file.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it: in [`Strictness::Strict`] every reference that leads
    /// nowhere; in both, a required value that was not given, an env file that cannot be read,
    /// and a server that cannot be launched from a file.
    pub fn launch(
        &self,
        entry: &Entry,
        surroundings: &Surroundings,
        strictness: Strictness,
    ) -> Result<Launch, Vec<ConfigError>> {
        let error = |place, problem| ConfigError { file: self.path.clone(), place, problem };
        let template = entry
            .template
            .as_ref()
            .map_err(|problem| vec![error(Some(entry.place), problem.clone())])?;
        let workspace = discover::workspace(&self.path, &surroundings.workspace);
        let mut scope = Scope {
            file: self,
            template,
            surroundings,
            dialect: self.format.dialect(),
            workspace,
            faults: Vec::new(),
            unresolved: Vec::new(),
            secrets: Vec::new(),
            borrowed: Vec::new(),
        };
        let mut launch = scope.launch();
        for (place, reference, reason) in std::mem::take(&mut scope.unresolved) {
            match strictness {
                Strictness::Strict => {
                    scope.faults.push((place, Problem::Unresolved { reference, reason }));
                }
                Strictness::Client => {
                    let text = Problem::Unresolved { reference, reason }.to_string();
                    launch.warnings.push(Warning { place, text });
                }
            }
        }
        if scope.faults.is_empty() {
            launch.secrets = scope.secrets;
            launch.borrowed = scope.borrowed;
            return Ok(launch);
        }
        scope.faults.sort_by_key(|(place, _)| *place);
        scope.faults.dedup();
        Err(scope.faults.into_iter().map(|(place, problem)| error(Some(place), problem)).collect())
    }
}

/// What one launch is worked out in.
struct Scope<'a> {
    file: &'a File,
    template: &'a Template,
    surroundings: &'a Surroundings,
    dialect: Dialect,
    workspace: PathBuf,
    faults: Vec<(Place, Problem)>,
    unresolved: Vec<(Place, String, String)>,
    secrets: Vec<Secret>,
    borrowed: Vec<Secret>,
}

impl Scope<'_> {
    fn launch(&mut self) -> Launch {
        let template = self.template;
        // A bundle is not launched while a value that it requires is missing, used or not.
        for input in &template.inputs {
            if input.need == Need::Required && self.values(input).is_empty() {
                self.faults.push((input.place, Problem::InputMissing { id: input.id.clone() }));
            }
        }
        let program = self.one(&template.program).unwrap_or_default();
        let args = template.args.iter().flat_map(|argument| self.argument(argument)).collect();
        let mut env = self.env_file();
        for name in &template.forwarded {
            if let Some(value) = self.surroundings.environment.get(&name.value) {
                env.push(Variable {
                    name: name.value.clone(),
                    value: value.clone(),
                    origin: Origin::Environment,
                    place: name.place,
                });
            }
        }
        let mut unset = Vec::new();
        for (name, setting) in &template.env {
            match setting {
                Setting::Removed => unset.push(name.value.clone()),
                Setting::Value(term) => {
                    // What the user sets for every server needs no value from the file.
                    let replaced = self.surroundings.set.contains(&name.value);
                    if let Some(value) = (!replaced).then(|| self.one(term)).flatten() {
                        env.push(Variable {
                            name: name.value.clone(),
                            value,
                            origin: Origin::File,
                            place: name.place,
                        });
                    }
                }
            }
        }
        let cwd = template.cwd.as_ref().and_then(|term| self.one(term));
        let cwd = cwd.map_or_else(|| self.workspace.clone(), |cwd| self.workspace.join(cwd));
        Launch {
            program,
            args,
            env,
            unset,
            cwd,
            timeouts: template.timeouts,
            secrets: Vec::new(),
            borrowed: Vec::new(),
            warnings: Vec::new(),
        }
    }

    fn env_file(&mut self) -> Vec<Variable> {
        let Some(term) = &self.template.env_file else { return Vec::new() };
        let Some(name) = self.one(term) else { return Vec::new() };
        let path = self.workspace.join(&name);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                let why = format!("the env file {name} cannot be read: {error}");
                self.faults.push((term.text.place, Problem::Unreadable(why)));
                return Vec::new();
            }
        };
        match env_file::parse(&text) {
            Ok(variables) => variables
                .into_iter()
                .map(|(name, value)| Variable {
                    name: name.value,
                    value,
                    origin: Origin::EnvFile,
                    place: name.place,
                })
                .collect(),
            Err((place, problem)) => {
                let why = format!("the env file {name}, line {}: {problem}", place.line);
                self.faults.push((term.text.place, Problem::Syntax(why)));
                Vec::new()
            }
        }
    }

    fn argument(&mut self, argument: &Argument) -> Vec<String> {
        let values = self.many(&argument.value);
        let flag = argument.flag.as_ref().map(|flag| flag.value.clone());
        values.into_iter().flat_map(|value| flag.clone().into_iter().chain([value])).collect()
    }

    fn one(&mut self, term: &Term) -> Option<String> {
        self.many(term).into_iter().next()
    }

    /// The texts that a term becomes: one, but for an input with several values or none.
    fn many(&mut self, term: &Term) -> Vec<String> {
        let values = match &term.source {
            Source::Asked(input) => self.asked(input),
            Source::Written => match self.spread(term) {
                Some(values) => values,
                None => vec![self.expanded(term)],
            },
        };
        if term.secrecy == Secrecy::Secret {
            let name = match &term.source {
                Source::Asked(input) => input.id.clone(),
                Source::Written => "secret".to_owned(),
            };
            let secret = |value: &String| Secret { name: name.clone(), value: value.clone() };
            self.secrets.extend(values.iter().map(secret));
        }
        values
    }

    fn asked(&mut self, input: &Input) -> Vec<String> {
        let values = self.values(input);
        if values.is_empty() && input.need == Need::Required {
            self.faults.push((input.place, Problem::InputMissing { id: input.id.clone() }));
        }
        values
    }

    /// A bundle's input with several values becomes several arguments, but only where the
    /// argument is nothing else.
    fn spread(&mut self, term: &Term) -> Option<Vec<String>> {
        let id = term.text.value.strip_prefix("${user_config.")?.strip_suffix('}')?;
        let input = self.input(term, id)?;
        (self.file.format == Format::Mcpb && input.arity == Arity::Several)
            .then(|| self.values(&input))
            .filter(|values| !values.is_empty())
    }

    fn input(&self, term: &Term, id: &str) -> Option<Input> {
        term.inputs.iter().chain(&self.template.inputs).find(|input| input.id == id).cloned()
    }

    /// What was given for an input, or its default.
    fn values(&mut self, input: &Input) -> Vec<String> {
        let mut values = self.surroundings.given(&input.id);
        if values.is_empty() {
            let defaults = input.default.clone().unwrap_or_default();
            // The default of a bundle may name the folders of the user.
            values = match self.file.format {
                Format::Mcpb => defaults.iter().map(|text| self.folders(text)).collect(),
                _ => defaults,
            };
        } else if input.arity == Arity::One {
            // Given twice, the last one counts, as for any option.
            values.drain(..values.len() - 1);
        }
        if !input.choices.is_empty() && values.iter().any(|value| !input.choices.contains(value)) {
            let problem =
                Problem::NotAChoice { id: input.id.clone(), choices: input.choices.clone() };
            self.faults.push((input.place, problem));
        }
        if input.secrecy == Secrecy::Secret {
            let secret = |value: &String| Secret { name: input.id.clone(), value: value.clone() };
            self.secrets.extend(values.iter().map(secret));
        }
        values
    }

    fn folders(&mut self, text: &str) -> String {
        let dialect = self.dialect;
        expand(&dialect, text, |meaning, argument| match meaning {
            Meaning::Input => Value::Unknown(String::new()),
            _ => self.resolve(None, meaning, argument),
        })
        .text
    }

    fn expanded(&mut self, term: &Term) -> String {
        let dialect = self.dialect;
        let expanded = expand(&dialect, &term.text.value, |meaning, argument| {
            self.resolve(Some(term), meaning, argument)
        });
        let place = term.text.place;
        self.unresolved.extend(
            expanded.unresolved.into_iter().map(|(reference, reason)| (place, reference, reason)),
        );
        expanded.text
    }

    fn resolve(&mut self, term: Option<&Term>, meaning: Meaning, argument: &str) -> Value {
        match meaning {
            Meaning::Environment | Meaning::EnvironmentOrDefault => self.variable(argument),
            Meaning::Input => match term {
                Some(term) => self.input_value(term, argument),
                None => Value::Unknown(String::new()),
            },
            Meaning::FileContent => self.content(argument),
            Meaning::Home => self.home(None),
            Meaning::HomeFolder(name) => self.home(Some(name)),
            Meaning::Workspace => known(&self.workspace),
            Meaning::WorkspaceName => {
                known(Path::new(self.workspace.file_name().unwrap_or_default()))
            }
            Meaning::Separator => Value::Known(std::path::MAIN_SEPARATOR_STR.to_owned()),
            Meaning::Bundle => match &self.template.bundle {
                Some(bundle) => known(bundle),
                None => Value::Unknown("there is no bundle".to_owned()),
            },
        }
    }

    fn variable(&mut self, name: &str) -> Value {
        match self.surroundings.environment.get(name) {
            Some(value) => {
                self.borrowed.push(Secret { name: name.to_owned(), value: value.clone() });
                Value::Known(value.clone())
            }
            None => Value::Unknown(format!("the environment has no variable {name}")),
        }
    }

    fn input_value(&mut self, term: &Term, id: &str) -> Value {
        let Some(input) = self.input(term, id) else {
            return match self.file.format {
                // Braces are common in plain text; only what the entry declares is a variable.
                Format::Registry => Value::Known(format!("{{{id}}}")),
                _ => Value::Unknown(format!("the file declares no input {id}")),
            };
        };
        let mut values = self.asked(&input);
        match (values.len(), input.arity) {
            (0, _) => Value::Unknown(format!("give a value with --input {id}=VALUE")),
            (_, Arity::Several) => Value::Unknown(
                "it may have several values, so it must be an argument of its own".to_owned(),
            ),
            (_, Arity::One) => Value::Known(values.swap_remove(0)),
        }
    }

    fn content(&mut self, name: &str) -> Value {
        let path = match (name.strip_prefix("~/"), &self.surroundings.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.file.path.parent().unwrap_or(Path::new("")).join(name),
        };
        match fs::read_to_string(path) {
            Ok(text) => {
                let value = text.trim().to_owned();
                self.secrets.push(Secret { name: name.to_owned(), value: value.clone() });
                Value::Known(value)
            }
            Err(error) => Value::Unknown(format!("the file cannot be read: {error}")),
        }
    }

    fn home(&self, folder: Option<&str>) -> Value {
        match &self.surroundings.home {
            Some(home) => known(&folder.map_or_else(|| home.clone(), |folder| home.join(folder))),
            None => Value::Unknown("there is no home directory".to_owned()),
        }
    }
}

fn known(path: &Path) -> Value {
    match path.to_str() {
        Some(path) => Value::Known(path.to_owned()),
        None => Value::Unknown("the path is not UTF-8".to_owned()),
    }
}

/// The texts of a file that are fixed, as arguments.
pub(crate) fn fixed(texts: impl IntoIterator<Item = Text>) -> Vec<Argument> {
    texts.into_iter().map(Argument::from).collect()
}
