//! The answers as a table, as Markdown, and as JSON.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::examine::Answer;
use super::grade::{Grade, Reach};
use super::selection::Selection;

/// How the answers are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SheetFormat {
    Table,
    Json,
    Md,
}

/// A detector's answers, graded.
#[derive(Debug)]
pub(crate) struct Sheet<'a> {
    pub(crate) detector: &'a str,
    pub(crate) selection: &'a Selection,
    pub(crate) answers: &'a [Answer],
}

/// The column of the cases after which a process was left.
const LEAKED: &str = "leaked";

impl Sheet<'_> {
    /// Whether every answer was right and nothing was left behind.
    pub(crate) fn is_right(&self) -> bool {
        self.answers.iter().all(is_right)
    }

    /// It ends with exactly one newline.
    pub(crate) fn render(&self, format: SheetFormat) -> String {
        match format {
            SheetFormat::Table => self.table(),
            SheetFormat::Md => self.markdown(),
            SheetFormat::Json => format!("{}\n", self.json()),
        }
    }

    fn table(&self) -> String {
        let rows = self.rows();
        let widths: Vec<usize> = (0..rows[0].len())
            .map(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0))
            .collect();
        let mut out = String::new();
        for row in &rows {
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                match column {
                    0 => out.push_str(&format!("{cell:width$}")),
                    _ => out.push_str(&format!("  {cell:>width$}")),
                }
            }
            out.push('\n');
        }
        let wrong: Vec<&Answer> = self.wrong().collect();
        if !wrong.is_empty() {
            out.push('\n');
        }
        let width = |of: &dyn Fn(&Answer) -> usize| wrong.iter().map(|a| of(a)).max().unwrap_or(0);
        let (words, ids) = (width(&|a| word(a).len()), width(&|a| a.id.len()));
        for answer in &wrong {
            let (word, id) = (word(answer), &answer.id);
            let line = format!("{word:words$}  {id:ids$}  {}", answer.last_line);
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out.push_str(&format!("\n{}\n", self.summary()));
        out
    }

    fn markdown(&self) -> String {
        let rows = self.rows();
        let mut out = String::new();
        for (index, row) in rows.iter().enumerate() {
            out.push_str(&format!("| {} |\n", row.join(" | ")));
            if index == 0 {
                let bar = row.iter().enumerate().map(|(column, _)| match column {
                    0 => "---",
                    _ => "--:",
                });
                out.push_str(&format!("| {} |\n", bar.collect::<Vec<_>>().join(" | ")));
            }
        }
        out.push('\n');
        for answer in self.wrong() {
            out.push_str(&format!("- {}: `{}` ({})\n", word(answer), answer.id, answer.rule));
        }
        out.push_str(&format!("\n{}\n", self.summary()));
        out
    }

    fn json(&self) -> Value {
        let answers: Vec<Value> = self.answers.iter().map(answer_json).collect();
        let left_out: BTreeMap<&str, usize> =
            self.selection.left_out.iter().map(|(why, count)| (why.reason(), *count)).collect();
        json!({
            "schema_version": 1,
            "detector": self.detector,
            "right": self.is_right(),
            "answers": answers,
            "left_out": left_out,
        })
    }

    /// The head, one row a rule, and the sums.
    fn rows(&self) -> Vec<Vec<String>> {
        let grades: BTreeSet<&Grade> = self.answers.iter().map(|answer| &answer.grade).collect();
        let mut head = vec!["rule".to_owned(), "cases".to_owned()];
        head.extend(grades.iter().map(|grade| grade.name().to_owned()));
        head.push(LEAKED.to_owned());
        let row = |name: &str, of: &dyn Fn(&Answer) -> bool| {
            let answers: Vec<&Answer> = self.answers.iter().filter(|answer| of(answer)).collect();
            let count = |is: &dyn Fn(&Answer) -> bool| {
                answers.iter().filter(|answer| is(answer)).count().to_string()
            };
            let mut row = vec![name.to_owned(), answers.len().to_string()];
            row.extend(grades.iter().map(|grade| count(&|answer| answer.grade == **grade)));
            row.push(count(&|answer| !answer.became.leaked.is_empty()));
            row
        };
        let mut rows = vec![head];
        let mut rules: Vec<&str> = self.answers.iter().map(|answer| &*answer.rule).collect();
        rules.dedup();
        rows.extend(rules.into_iter().map(|rule| row(rule, &|answer| answer.rule == rule)));
        rows.push(row("all", &|_| true));
        rows
    }

    fn wrong(&self) -> impl Iterator<Item = &Answer> {
        self.answers.iter().filter(|answer| !is_right(answer))
    }

    fn summary(&self) -> String {
        let wrong = self.wrong().count();
        let asked = self.answers.len();
        let mut summary =
            format!("{}: {asked} cases, {} right, {wrong} wrong", self.detector, asked - wrong);
        for (why, count) in &self.selection.left_out {
            summary.push_str(&format!("; {count} not asked ({})", why.reason()));
        }
        summary
    }
}

fn is_right(answer: &Answer) -> bool {
    answer.grade.is_right() && answer.became.leaked.is_empty()
}

/// The grade, and that a process was left behind.
fn word(answer: &Answer) -> String {
    match answer.became.leaked.len() {
        0 => answer.grade.name().to_owned(),
        count => format!("{}, leaked {count}", answer.grade.name()),
    }
}

fn answer_json(answer: &Answer) -> Value {
    json!({
        "case": answer.id,
        "rule": answer.rule,
        "grade": answer.grade.name(),
        "right": is_right(answer),
        "reach": match answer.reach {
            Reach::NoServer => "no server launched",
            Reach::Short => "short of the fault",
            Reach::Fault => "the fault",
        },
        "exit_status": answer.became.code,
        "signal": answer.became.signal,
        "elapsed_ms": answer.became.elapsed_ms,
        "leaked": answer.became.leaked,
        "last_line": answer.last_line,
    })
}
