//! Which case kills which mutant.

use std::fmt;

use crate::trial::{AnyMutant, Judged};

/// Which case kills which mutant: cases down, mutants across.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KillMatrix {
    rows: Vec<(String, Vec<Mark>)>,
}

/// What a mutant does with a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It agrees with the true detector.
    Agrees,
    /// It does not, and is killed.
    Killed,
    /// It does not, and this is the case that its row names.
    Canonical,
}

impl KillMatrix {
    /// The matrix of these cases, in their order.
    #[must_use]
    pub fn of(judged: &[Judged]) -> Self {
        let row = |judged: &Judged| {
            let marks = AnyMutant::all().zip(&judged.answers).map(|(mutant, answer)| {
                match (answer == &judged.truth, mutant.canonical_case() == judged.case) {
                    (true, _) => Mark::Agrees,
                    (false, false) => Mark::Killed,
                    (false, true) => Mark::Canonical,
                }
            });
            (judged.case.clone(), marks.collect())
        };
        Self { rows: judged.iter().map(row).collect() }
    }

    /// The cases, each with one mark for each mutant, in the order of [`AnyMutant::all`].
    #[must_use]
    pub fn rows(&self) -> &[(String, Vec<Mark>)] {
        &self.rows
    }
}

impl Mark {
    fn letter(self) -> char {
        match self {
            Self::Agrees => '.',
            Self::Killed => 'K',
            Self::Canonical => 'C',
        }
    }
}

const HEADER: &str = "Which case kills which mutant of the detector

Made by `cargo xtask regen` by replay; do not edit. `.` the mutant agrees with the true detector,
`K` it does not, `C` it does not, and this is the case that its row names. The mutants' numbers
stand over their columns, to be read downwards.

";

impl fmt::Display for KillMatrix {
    /// Writes the legend, the numbers of the mutants, and one line for each case.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HEADER)?;
        let names: Vec<String> = AnyMutant::all().map(AnyMutant::name).collect();
        for (index, name) in names.iter().enumerate() {
            let kills = self.rows.iter().filter(|(_, marks)| marks[index] != Mark::Agrees).count();
            writeln!(f, "{:03} {name}, killed by {kills}", index + 1)?;
        }
        writeln!(f)?;
        let width = self.rows.iter().map(|(case, _)| case.len()).max().unwrap_or(0);
        for digit in 0..3 {
            let digits = (1..=names.len()).map(|number| format!("{number:03}"));
            let line: String = digits.filter_map(|number| number.chars().nth(digit)).collect();
            writeln!(f, "{:width$} {line}", "")?;
        }
        for (case, marks) in &self.rows {
            let line: String = marks.iter().map(|mark| mark.letter()).collect();
            writeln!(f, "{case:width$} {line}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{KillMatrix, Mark};
    use crate::answer::{Answer, Conclusion};
    use crate::trial::{AnyMutant, Judged};

    #[test]
    fn a_matrix_has_a_mark_for_every_mutant_and_case() {
        let answer = |outcome| Answer { outcome, advice: Vec::new() };
        let first = AnyMutant::all().next().expect("there are mutants");
        let all = AnyMutant::all().count();
        let mut answers = vec![answer(Conclusion::Valid); all];
        answers[0] = answer(Conclusion::Inconclusive("interrupted"));
        let judged = |case: &str| Judged {
            case: case.to_owned(),
            truth: answer(Conclusion::Valid),
            answers: answers.clone(),
        };
        let matrix = KillMatrix::of(&[judged(first.canonical_case()), judged("other")]);
        assert!(matrix.rows().iter().all(|(_, marks)| marks.len() == all));
        assert_eq!(matrix.rows()[0].1[0], Mark::Canonical);
        assert_eq!(matrix.rows()[1].1[..2], [Mark::Killed, Mark::Agrees]);
        let text = matrix.to_string();
        assert!(text.contains(&format!("001 {}, killed by 2\n", first.name())));
        let last = text.lines().last().unwrap_or_default();
        assert!(last.starts_with("other ") && last.ends_with(&format!("K{}", ".".repeat(all - 1))));
    }
}
