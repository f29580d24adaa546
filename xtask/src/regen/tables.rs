//! Tables made by replay: what each fixture leads to, which cases show which rule, and which
//! kill which mutant.

use corpus::{Case, Chunking, Family, events, load_all, replay, revision_shown, rule_set};
use model::{Outcome, Verdict};
use tolerant::{KillMatrix, Trial, judge_all};

use super::{DetectorFactory, traceability};
use crate::Complaints;
use crate::generated::{FIXTURES_TABLE, Generated, KILL_MATRIX, TRACEABILITY_TABLE};
use crate::workspace::Workspace;

const HEADER: &str = "# What each fixture server leads to

Made by `cargo xtask regen` from the recordings; do not edit. The oracle is each recording's
`case.json`.

| fixture | verdict | frame | byte | phase | advice |
|---|---|---|---|---|---|
";

pub(super) fn generate(
    workspace: &Workspace,
    detector: DetectorFactory,
) -> Result<Vec<Generated>, Complaints> {
    let cases = load_all(&workspace.corpus())
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Complaints>())?;
    let traceability = traceability::table(workspace, &cases, detector)?;
    Ok(vec![
        Generated { path: FIXTURES_TABLE.into(), bytes: fixtures(&cases, detector)?.into() },
        Generated { path: TRACEABILITY_TABLE.into(), bytes: traceability.into() },
        Generated { path: KILL_MATRIX.into(), bytes: kill_matrix(&cases)?.into() },
    ])
}

fn kill_matrix(cases: &[Case]) -> Result<String, Complaints> {
    let trial = |case| -> Result<Trial<'_>, Complaints> {
        let case: &Case = case;
        let id = case.file.id.as_str();
        let rules = rule_set(case, Some(revision_shown(&case.file)));
        let events =
            events(case, Chunking::AsScripted).map_err(|error| vec![format!("{id}: {error}")])?;
        Ok(Trial { case: id, rules, events })
    };
    let trials: Vec<Trial<'_>> = cases.iter().map(trial).collect::<Result<_, _>>()?;
    Ok(KillMatrix::of(&judge_all(&trials)).to_string())
}

fn fixtures(cases: &[Case], detector: DetectorFactory) -> Result<String, Complaints> {
    let mut table = HEADER.to_owned();
    for case in cases.iter().filter(|case| case.family == Some(Family::Recordings)) {
        let rules = rule_set(case, Some(revision_shown(&case.file)));
        let verdict = replay(case, Chunking::AsScripted, detector(rules))
            .map_err(|error| vec![format!("{}: {error}", case.file.id)])?;
        table.push_str(&row(&case.file.id, &verdict));
    }
    Ok(table)
}

fn row(id: &str, verdict: &Verdict) -> String {
    let number = |number: Option<u64>| number.map_or("–".to_owned(), |number| number.to_string());
    let (name, frame, byte, phase) = match &verdict.outcome {
        Outcome::Violation(finding) => (
            finding.rule.name().to_owned(),
            number(finding.position.frame().map(|frame| frame.0)),
            number(finding.position.byte().map(|byte| byte.0)),
            finding.phase.name(),
        ),
        Outcome::ValidStdout => ("valid-stdout".to_owned(), number(None), number(None), "–"),
        Outcome::Inconclusive(reason) => {
            (format!("inconclusive ({})", reason.name()), number(None), number(None), "–")
        }
    };
    let advice: Vec<&str> =
        verdict.advice.iter().map(|advice| advice.finding.rule.name()).collect();
    let advice = if advice.is_empty() { "–".to_owned() } else { advice.join(", ") };
    format!("| {id} | {name} | {frame} | {byte} | {phase} | {advice} |\n")
}
