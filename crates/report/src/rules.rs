//! The rule catalogue as text: the list of rules, and the explanation of one.

use model::{Aspect, Level, LevelCase, MessageKind, ProtocolVersion, Rule, RuleId};

use crate::human::wrap;
use crate::style::Style;

/// The list of all rules, one a line, by layer. It ends with exactly one newline.
#[must_use]
pub fn rules() -> String {
    let id_width = RuleId::ALL.iter().map(|id| id.name().len()).max().unwrap_or(0);
    let mut out = format!("{:id_width$}  layer  level   what was seen\n", "rule");
    for rule in model::catalogue().rules() {
        let cases = match cases(rule) {
            None => String::new(),
            Some(cases) => format!(" ({cases})"),
        };
        out.push_str(&format!(
            "{:id_width$}  {:<5}  {:<6}  {}{cases}\n",
            rule.id,
            rule.layer.number(),
            rule.level.name(),
            rule.summary,
        ));
    }
    out
}

/// All that the catalogue says of one rule, wrapped at the width. It ends with exactly one
/// newline.
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
    out.push_str("\nWhat to do:\n");
    lines(&mut out, rule.mend, "  ", width);
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

/// Where the level differs: `legal for errors from 2025-11-25, advice for errors`. The first
/// case that applies counts.
fn cases(rule: &Rule) -> Option<String> {
    let cases: Vec<String> = rule.levels.iter().map(case).collect();
    (!cases.is_empty()).then(|| cases.join(", else "))
}

fn case(case: &LevelCase) -> String {
    let mut out = case.level.name().to_owned();
    if let Some(aspect) = case.aspect {
        out.push_str(" for ");
        out.push_str(match aspect {
            Aspect::IntegralFloat => "an integer written as a float",
            Aspect::MalformedBatch => "a batch that is empty or mixed",
        });
    }
    if !case.kinds.is_empty() {
        let kinds: Vec<&str> = case.kinds.iter().map(|kind| plural(*kind)).collect();
        out.push_str(" for ");
        out.push_str(&kinds.join(" and "));
    }
    if let Some((first, last)) = case.versions {
        let newest = ProtocolVersion::ALL[ProtocolVersion::ALL.len() - 1];
        out.push_str(&match (first, last) {
            (first, last) if first == last => format!(" in {first}"),
            (first, last) if last == newest => format!(" from {first}"),
            (first, last) => format!(" from {first} to {last}"),
        });
    }
    out
}

fn plural(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Request => "requests",
        MessageKind::Notification => "notifications",
        MessageKind::Result => "results",
        MessageKind::Error => "errors",
    }
}
