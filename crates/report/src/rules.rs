//! The rule catalogue as text: the list of rules, and where their levels differ.

use model::{Aspect, LevelCase, MessageKind, ProtocolVersion, Rule, RuleId};

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

/// Where the level differs: `legal for errors from 2025-11-25, advice for errors`. The first
/// case that applies counts.
pub(crate) fn cases(rule: &Rule) -> Option<String> {
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
            Aspect::UnknownRevision => "a revision that nobody knows",
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
