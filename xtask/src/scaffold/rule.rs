//! `new-rule`: a variant and a row of the catalogue, whose words are still to be written.

use std::fs;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use model::Layer;

use crate::Complaints;
use crate::names::is_kebab_case;
use crate::workspace::Workspace;

const IDS: &str = "crates/model/src/rule.rs";

/// Adds a rule to the catalogue.
#[derive(Args, Clone, Debug)]
pub struct NewRule {
    /// The permanent id, in kebab-case.
    pub id: String,
    /// The layer, 1 to 5.
    #[arg(long, value_name = "N")]
    pub layer: LayerNumber,
    /// What a finding does to the verdict.
    #[arg(long, default_value = "must")]
    pub level: RuleLevel,
}

/// A layer, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerNumber(pub Layer);

impl FromStr for LayerNumber {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let layer = Layer::ALL.into_iter().find(|layer| layer.number().to_string() == text);
        layer.map(Self).ok_or("a layer has a number from 1 to 5")
    }
}

/// The level that a rule begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RuleLevel {
    /// It fails the run.
    Must,
    /// It is reported.
    Advice,
}

impl NewRule {
    /// Writes the variant and the row. Complaints are reasons for which nothing was written.
    #[must_use]
    pub fn run(&self, workspace: &Workspace) -> Complaints {
        match self.edits(workspace) {
            Ok(edits) => {
                for (file, text) in &edits {
                    if let Err(error) = fs::write(workspace.path(file), text) {
                        return vec![format!("{file}: {error}")];
                    }
                    println!("{file}: {} added", self.id);
                }
                self.print_owed();
                Complaints::new()
            }
            Err(complaint) => vec![complaint],
        }
    }

    /// The files to change and their new text.
    fn edits(&self, workspace: &Workspace) -> Result<[(String, String); 2], String> {
        if !is_kebab_case(&self.id) {
            return Err(format!("{}: not kebab-case, such as `empty-frame`", self.id));
        }
        let read = |file: &str| {
            fs::read_to_string(workspace.path(file)).map_err(|error| format!("{file}: {error}"))
        };
        let rows_file = format!("crates/model/src/catalogue/{}.rs", self.module());
        let (ids, rows) = (read(IDS)?, read(&rows_file)?);
        if ids.contains(&format!("= \"{}\",", self.id)) {
            return Err(format!("{}: there is such a rule; ids are never reused", self.id));
        }
        let end = rows.find("\n];\n").ok_or_else(|| format!("{rows_file}: no end of RULES"))?;
        let last = rows[..end]
            .rfind("RuleId::")
            .map(|at| &rows[at + "RuleId::".len()..end])
            .and_then(|rest| rest.split(|c: char| !c.is_alphanumeric()).next())
            .ok_or_else(|| format!("{rows_file}: no rule to stand behind"))?;
        let after = ids
            .find(&format!("    {last} = \""))
            .and_then(|at| ids[at..].find('\n').map(|line| at + line + 1))
            .ok_or_else(|| format!("{IDS}: {last} is not listed"))?;
        let variant = format!("    {} = \"{}\",\n", self.variant(), self.id);
        let ids = [&ids[..after], &variant, &ids[after..]].concat();
        let rows = [&rows[..end], &self.row(), &rows[end..]].concat();
        Ok([(IDS.to_owned(), ids), (rows_file, rows)])
    }

    fn module(&self) -> &'static str {
        match self.layer.0 {
            Layer::Framing => "framing",
            Layer::Json => "json",
            Layer::JsonRpc => "jsonrpc",
            Layer::Mcp => "mcp",
            Layer::Lifecycle => "lifecycle",
        }
    }

    fn variant(&self) -> String {
        let capital = |word: &str| {
            let (first, rest) = word.split_at(1);
            first.to_ascii_uppercase() + rest
        };
        self.id.split('-').map(capital).collect()
    }

    /// The row, whose levels are spelled out: not every layer has a helper for each.
    fn row(&self) -> String {
        let level = match self.level {
            RuleLevel::Must => "",
            RuleLevel::Advice => "\n        level: Level::Advice,",
        };
        let variant = self.variant();
        format!(
            r#"
    Rule {{{level}
        summary: "TODO: one sentence: what was seen",
        explanation: "TODO: what it is, and how it happens in real servers",
        clients: "TODO: what client SDKs do with it",
        mend: "TODO: what the server's author can do",
        ..must(
            RuleId::{variant},
            SpecRef {{ section: "TODO: document and section", quote: "TODO: the sentence" }},
        )
    }},"#
        )
    }

    fn print_owed(&self) {
        println!(
            "owed: the words of its row; the judgement, in crates/inspect; a fixture \
             (`cargo xtask new-fixture NAME --expect {}`); a second case \
             (`cargo xtask new-incident`, or corpus/synthetic)",
            self.id
        );
        println!("then: cargo xtask check");
    }
}

#[cfg(test)]
mod tests {
    use model::Layer;

    use super::{LayerNumber, NewRule, RuleLevel};

    #[test]
    fn a_variant_is_the_id_in_camel_case() {
        let layer = LayerNumber(Layer::Json);
        let rule = NewRule { id: "utf-16-text".to_owned(), layer, level: RuleLevel::Must };
        assert_eq!(rule.variant(), "Utf16Text");
    }
}
