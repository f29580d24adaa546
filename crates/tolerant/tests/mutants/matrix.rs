//! The kill matrix of the whole corpus is complete.

use std::collections::BTreeSet;

use tolerant::{AnyMutant, Judged, KillMatrix, Mark};

use crate::trials::TRIED;

#[test]
fn the_matrix_has_every_case_and_every_mutant() {
    let judged: Vec<Judged> = TRIED.iter().map(|tried| tried.judged.clone()).collect();
    let matrix = KillMatrix::of(&judged);
    let mutants = AnyMutant::all().count();
    assert_eq!(matrix.rows().len(), TRIED.len());
    for (column, mutant) in AnyMutant::all().enumerate() {
        let marks: Vec<Mark> = matrix.rows().iter().map(|(_, marks)| marks[column]).collect();
        let canonical = marks.iter().filter(|mark| **mark == Mark::Canonical).count();
        assert_eq!(canonical, 1, "{}", mutant.name());
    }
    let broken = |mark: &Mark| matches!(mark, Mark::Misdeclared | Mark::Broken);
    assert!(matrix.rows().iter().all(|(_, marks)| !marks.iter().any(broken)));
    let text = matrix.to_string();
    let cases: BTreeSet<&str> = TRIED.iter().map(|tried| tried.case.file.id.as_str()).collect();
    let mut shown = BTreeSet::new();
    for line in text.lines() {
        if let Some((case, marks)) = line.split_once(' ')
            && cases.contains(case)
        {
            let marks = marks.trim_start();
            assert_eq!(marks.len(), mutants, "{case}");
            assert!(marks.bytes().all(|mark| b".KC".contains(&mark)), "{case}");
            shown.insert(case);
        }
    }
    assert_eq!(shown, cases);
    assert!(AnyMutant::all().all(|mutant| text.contains(&mutant.name())));
}
