//! `new-fixture`: a server with one mistake, and the case of its recording.

use std::str::FromStr;

use clap::Args;
use corpus::{CaseFile, Family, Origin, ScriptStep, Send, Take};
use model::{Level, RuleId};

use super::{case_json, create, create_all, print_owed, refuse_name};
use crate::Complaints;
use crate::check::CONTROL_PREFIX;
use crate::workspace::Workspace;

/// Makes a fixture server and the case of its recording.
#[derive(Args, Clone, Debug)]
pub struct NewFixture {
    /// What the mistake is, in kebab-case; `ok-…` for a server that makes none.
    pub name: String,
    /// The rule that it breaks; `valid-stdout` for a server that makes no mistake.
    #[arg(long, value_name = "RULE|valid-stdout")]
    pub expect: Expected,
}

/// What a fixture is to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A rule.
    Rule(RuleId),
    /// That something is no mistake.
    ValidStdout,
}

impl FromStr for Expected {
    type Err = model::UnknownRule;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "valid-stdout" => Ok(Self::ValidStdout),
            rule => rule.parse().map(Self::Rule),
        }
    }
}

impl NewFixture {
    /// Writes the server and the case. Complaints are reasons for which nothing was written.
    #[must_use]
    pub fn run(&self, workspace: &Workspace) -> Complaints {
        let name = self.name.as_str();
        let mut complaints = refuse_name(workspace, name);
        if name.starts_with(CONTROL_PREFIX) != (self.expect == Expected::ValidStdout) {
            complaints.push(format!("{name}: `ok-…` and valid-stdout belong together"));
        }
        if !complaints.is_empty() {
            return complaints;
        }
        let source = workspace.fixtures().join(format!("{name}.rs"));
        if let Err(error) = create(&source, self.source().as_bytes()) {
            return vec![format!("{}: {error}", source.display())];
        }
        let recording = workspace.corpus().join(Family::Recordings.directory()).join(name);
        // regen fills the second one: it records what the server writes.
        let files = [("case.json", case_json(&self.case())), ("stdout.raw", Vec::new())];
        let complaints =
            create_all(&recording, &files.each_ref().map(|(name, bytes)| (*name, &bytes[..])));
        if complaints.is_empty() {
            println!("{}\n{}", workspace.shown(&source), workspace.shown(&recording));
            print_owed(
                workspace,
                &[name, &workspace.shown(&source)],
                &["cargo xtask regen", "cargo test --package fixture-servers"],
            );
        }
        complaints
    }

    /// A server that compiles, and whose mistake is to be written.
    fn source(&self) -> String {
        let (summary, place) = match self.expect {
            Expected::Rule(rule) => (
                format!("//! TODO: what it does (`{rule}`); `--sane` does not."),
                format!("// TODO: the one mistake, here, so that `--sane` removes it: {rule}."),
            ),
            Expected::ValidStdout => (
                "//! TODO: what it does, which is no mistake.".to_owned(),
                "// TODO: what looks like a mistake and is none.".to_owned(),
            ),
        };
        format!(
            r#"{summary}

use fixture_servers::{{Method, Server}};

fn main() {{
    Server::new(env!("CARGO_BIN_NAME"))
        {place}
        .defect(|server| server.before_reply(Method::ToolsList, |out| out.line("TODO")))
        .serve();
}}
"#
        )
    }

    fn case(&self) -> CaseFile {
        CaseFile {
            script: Some(self.script()),
            ..CaseFile::begun(self.name.clone(), Origin::Fixture)
        }
    }

    /// The ordinary session: to its end, or, for what fails the run, to the step at which the
    /// skeleton makes its mistake.
    fn script(&self) -> Vec<ScriptStep> {
        let send = |step: &str| ScriptStep::Send(Send::Step(step.to_owned()));
        let mut script = vec![
            send("initialize"),
            ScriptStep::Stdout(Take::Frames(1)),
            send("initialized"),
            send("tools/list"),
        ];
        match self.expect {
            Expected::Rule(rule) if rule.rule().level == Level::Must => {}
            Expected::Rule(_) | Expected::ValidStdout => {
                script.extend([ScriptStep::Stdout(Take::Frames(1)), send("unknown-method")]);
            }
        }
        script.extend([
            ScriptStep::Stdout(Take::Rest),
            ScriptStep::CloseStdin,
            ScriptStep::StdoutEof,
            ScriptStep::Exit(0),
        ]);
        script
    }
}
