//! The explanation of a rule: what it protects, how it comes about in each language and what
//! mends it there, and what each client SDK does.

mod cause;
mod clients;
mod languages;
#[cfg(test)]
mod tests;

use model::{Level, RuleId};

use crate::human::wrap;
use crate::rules::cases;
use crate::style::Style;
use cause::Cause;

/// The words between a name and what is said of it.
const NAME_COLUMNS: usize = 8;

/// All that is known of one rule, wrapped at the width. It ends with exactly one newline.
#[must_use]
pub fn explain(id: RuleId, style: &Style) -> String {
    let rule = id.rule();
    let width = style.columns();
    let mut out = format!("{}: {}\n", rule.id, rule.summary);
    let level = match cases(rule) {
        None => rule.level.name().to_owned(),
        Some(cases) => format!("{}; {cases}", rule.level.name()),
    };
    let effect = match rule.level {
        Level::Must => "A must finding fails the run.",
        Level::Advice => "Advice fails the run only with --deny.",
        Level::Legal => "It is not reported.",
    };
    let layer =
        format!("Layer {} ({}). Level: {level}. {effect}", rule.layer.number(), rule.layer.name());
    paragraph(&mut out, &layer, width);
    paragraph(&mut out, rule.explanation, width);
    out.push_str("\nThe specification:\n");
    lines(&mut out, rule.spec.section, "  ", width);
    lines(&mut out, &format!("\"{}\"", rule.spec.quote), "  ", width);
    out.push_str("\nWhat clients do:\n");
    lines(&mut out, rule.clients, "  ", width);
    if let Some(row) = clients::row(id) {
        lines(&mut out, &format!("Tried with {}:", row.fault), "  ", width);
        for (client, reaction) in clients::CLIENTS.iter().zip(row.reactions) {
            lines(&mut out, &format!("- {client}: {reaction}"), "    ", width);
        }
    }
    out.push_str("\nWhat to do:\n");
    lines(&mut out, rule.mend, "  ", width);
    let cause = Cause::of(id);
    let heading = format!("How it comes about, and what mends it ({}):", cause.summary());
    paragraph(&mut out, &heading, width);
    for (language, advice) in languages::of(cause) {
        hanging(&mut out, language, advice.how, width);
        hanging(&mut out, "", advice.mend, width);
    }
    out
}

fn paragraph(out: &mut String, text: &str, width: usize) {
    out.push('\n');
    lines(out, text, "", width);
}

fn lines(out: &mut String, text: &str, indent: &str, width: usize) {
    for line in wrap(text, width - indent.len()) {
        out.push_str(&format!("{indent}{line}\n"));
    }
}

/// A name in a column of its own, then text.
fn hanging(out: &mut String, name: &str, text: &str, width: usize) {
    for (index, line) in wrap(text, width - NAME_COLUMNS - 2).iter().enumerate() {
        let name = if index == 0 { name } else { "" };
        out.push_str(format!("  {name:NAME_COLUMNS$}{line}").trim_end());
        out.push('\n');
    }
}
