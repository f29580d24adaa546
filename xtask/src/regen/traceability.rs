//! Which fixtures, recordings and other cases show which rule: made from a replay of every case,
//! by every revision that its oracle covers, and not from what the oracles say.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use corpus::{Case, Chunking, Family, expectation_for, replay, rule_set};
use model::{Layer, Outcome, ProtocolVersion, Rule, RuleId, Verdict, catalogue};

use super::DetectorFactory;
use crate::Complaints;
use crate::check::fixture_names;
use crate::workspace::Workspace;

const HEADER: &str = "# Which cases show which rule

Made by `cargo xtask regen` from a replay of every case, by every revision that its oracle covers;
do not edit. A case shows a rule if the rule is its violation, or advice beside the outcome. Each
fixture has a recording of its name.
";

/// A case, and the rules that its replay led to.
struct Traced<'a> {
    case: &'a Case,
    rules: BTreeSet<RuleId>,
}

pub(super) fn table(
    workspace: &Workspace,
    cases: &[Case],
    detector: DetectorFactory,
) -> Result<String, Complaints> {
    let fixtures = fixture_names(workspace)
        .map_err(|error| vec![format!("fixture-servers/src/bin: {error}")])?;
    let mut traced = Vec::new();
    let mut complaints = Complaints::new();
    for case in cases {
        match rules_of(case, detector) {
            Ok(rules) => traced.push(Traced { case, rules }),
            Err(complaint) => complaints.push(complaint),
        }
    }
    if !complaints.is_empty() {
        return Err(complaints);
    }
    let mut text = HEADER.to_owned();
    text.push_str(&counts(&traced));
    for layer in Layer::ALL {
        let rules: Vec<&Rule> = catalogue().rules().filter(|rule| rule.layer == layer).collect();
        if rules.is_empty() {
            continue;
        }
        write(&mut text, format_args!("\n## {} {}\n", layer.number(), layer.name()));
        for rule in rules {
            section(&mut text, rule, &traced, &fixtures);
        }
    }
    Ok(text)
}

/// A String takes every text.
fn write(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("a String takes every text");
}

/// The rules that a case leads to, by whatever revision. A case without an oracle shows none.
fn rules_of(case: &Case, detector: DetectorFactory) -> Result<BTreeSet<RuleId>, String> {
    let mut rules = BTreeSet::new();
    for version in ProtocolVersion::ALL {
        if expectation_for(&case.file, version).is_none() {
            continue;
        }
        let detector = detector(rule_set(case, Some(version)));
        let verdict = replay(case, Chunking::AsScripted, detector)
            .map_err(|error| format!("{}: {error}", case.file.id))?;
        rules.extend(found(&verdict));
    }
    Ok(rules)
}

fn found(verdict: &Verdict) -> impl Iterator<Item = RuleId> {
    let violated = match &verdict.outcome {
        Outcome::Violation(finding) => Some(finding.rule),
        Outcome::ValidStdout | Outcome::Inconclusive(_) => None,
    };
    verdict.advice.iter().map(|advice| advice.finding.rule).chain(violated)
}

fn counts(traced: &[Traced<'_>]) -> String {
    let mut text = "\n| family | cases | without a finding |\n|---|---|---|\n".to_owned();
    let mut row = |name: &str, cases: &[&Traced<'_>]| {
        let without = cases.iter().filter(|traced| traced.rules.is_empty()).count();
        write(&mut text, format_args!("| {name} | {} | {without} |\n", cases.len()));
    };
    for family in Family::ALL {
        let of_family: Vec<_> =
            traced.iter().filter(|traced| traced.case.family == Some(family)).collect();
        row(family.directory(), &of_family);
    }
    row("all", &traced.iter().collect::<Vec<_>>());
    text
}

fn section(text: &mut String, rule: &Rule, traced: &[Traced<'_>], fixtures: &BTreeSet<String>) {
    let showing = traced.iter().filter(|traced| traced.rules.contains(&rule.id));
    let (recordings, others): (Vec<_>, Vec<_>) =
        showing.partition(|traced| traced.case.family == Some(Family::Recordings));
    let ids = |traced: &[&Traced<'_>]| -> Vec<String> {
        traced.iter().map(|traced| traced.case.file.id.clone()).collect()
    };
    let (recordings, others) = (ids(&recordings), ids(&others));
    let servers: Vec<String> =
        recordings.iter().filter(|id| fixtures.contains(*id)).cloned().collect();
    write(text, format_args!("\n### {} ({})\n\n", rule.id, rule.level.name()));
    for (kind, ids) in [("fixtures", servers), ("recordings", recordings), ("other cases", others)]
    {
        let list = if ids.is_empty() { "none".to_owned() } else { ids.join(", ") };
        write(text, format_args!("- {kind}, {}: {list}\n", ids.len()));
    }
}
