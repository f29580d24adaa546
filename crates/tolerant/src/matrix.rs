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
    /// It does not in the case that its row names, but with another answer than its row declares.
    Misdeclared,
    /// It does not, and its temptation is no excuse for it.
    Broken,
}

impl KillMatrix {
    /// The matrix of these cases, in their order.
    #[must_use]
    pub fn of(judged: &[Judged]) -> Self {
        let row = |judged: &Judged| {
            let marks = AnyMutant::all().zip(&judged.answers).map(|(mutant, answer)| {
                let canonical = mutant.canonical_case() == judged.case;
                if answer == &judged.truth {
                    Mark::Agrees
                } else if mutant.broken(&judged.truth, answer).is_some() {
                    Mark::Broken
                } else if !canonical {
                    Mark::Killed
                } else if mutant.dies_as().is(answer) {
                    Mark::Canonical
                } else {
                    Mark::Misdeclared
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

    /// The cases that kill a mutant, by its place in [`AnyMutant::all`].
    #[must_use]
    pub fn killers(&self, mutant: usize) -> Vec<&str> {
        let kills = self.rows.iter().filter(|(_, marks)| marks[mutant] != Mark::Agrees);
        kills.map(|(case, _)| case.as_str()).collect()
    }
}

impl Mark {
    fn letter(self) -> char {
        match self {
            Self::Agrees => '.',
            Self::Killed => 'K',
            Self::Canonical => 'C',
            Self::Misdeclared => 'X',
            Self::Broken => '!',
        }
    }
}

const HEADER: &str = "Which case kills which mutant of the detector

Made by `cargo xtask regen` by replay; do not edit. `.` the mutant agrees with the true detector,
`K` it does not, `C` it does not, and this is the case that its row names. `X` in that case it
gives another answer than its row declares; `!` it is wrong without its temptation. Behind a mutant
that one case alone kills stands that case: taken away, it leaves the mutant alive. The mutants'
numbers stand over their columns, to be read downwards.

";

impl fmt::Display for KillMatrix {
    /// Writes the legend, the numbers of the mutants, and one line for each case.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HEADER)?;
        let names: Vec<String> = AnyMutant::all().map(AnyMutant::name).collect();
        for (index, name) in names.iter().enumerate() {
            let killers = self.killers(index);
            write!(f, "{:03} {name}, killed by {}", index + 1, killers.len())?;
            match killers.as_slice() {
                [case] => writeln!(f, ": {case}")?,
                _ => writeln!(f)?,
            }
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
    use model::{FrameNo, FrameOffset, Position, RuleId, StreamOffset};

    use super::{KillMatrix, Mark};
    use crate::answer::{Answer, Conclusion, Seen};
    use crate::mutant::DiesAs;
    use crate::trial::{AnyMutant, Judged};

    fn answer(outcome: Conclusion) -> Answer {
        Answer { outcome, advice: Vec::new() }
    }

    fn violation(rule: RuleId) -> Answer {
        let position = Position::InFrame {
            frame: FrameNo::FIRST,
            byte: FrameOffset(0),
            stream: StreamOffset(0),
        };
        answer(Conclusion::Violation(Seen { rule, position, tail: None, count: 1 }))
    }

    /// A case in which everybody tells the truth but one mutant.
    fn judged(case: &str, truth: &Answer, (liar, lie): (usize, &Answer)) -> Judged {
        let mut answers = vec![truth.clone(); AnyMutant::all().count()];
        answers[liar] = lie.clone();
        Judged { case: case.to_owned(), truth: truth.clone(), answers }
    }

    #[test]
    fn a_matrix_has_a_mark_for_every_mutant_and_case() {
        let (at, mutant) = AnyMutant::all()
            .enumerate()
            .find(|(_, mutant)| mutant.dies_as() == DiesAs::VALID && !mutant.blinds().is_empty())
            .expect("a mutant sees nothing wrong");
        let (own, valid) = (violation(mutant.blinds()[0]), answer(Conclusion::Valid));
        let stopped = answer(Conclusion::Inconclusive("interrupted"));
        let canonical = mutant.canonical_case();
        let matrix = KillMatrix::of(&[
            judged(canonical, &own, (at, &valid)),
            judged(canonical, &own, (at, &stopped)),
            judged("other", &own, (at, &valid)),
            judged("clean", &valid, (at, &stopped)),
            judged("nobody", &own, (at, &own)),
        ]);
        let marks: Vec<Mark> = matrix.rows().iter().map(|(_, marks)| marks[at]).collect();
        assert_eq!(
            marks,
            [Mark::Canonical, Mark::Misdeclared, Mark::Killed, Mark::Broken, Mark::Agrees]
        );
        let others = matrix.rows().iter().flat_map(|(_, marks)| [&marks[..at], &marks[at + 1..]]);
        assert!(others.flatten().all(|mark| *mark == Mark::Agrees));
        assert_eq!(matrix.killers(at), [canonical, canonical, "other", "clean"]);
        let text = matrix.to_string();
        assert!(text.contains(&format!("{:03} {}, killed by 4\n", at + 1, mutant.name())));
        let last = text.lines().rev().nth(1).unwrap_or_default();
        assert!(last.starts_with("clean "));
        assert_eq!(last.bytes().filter(|mark| *mark == b'!').count(), 1);
    }

    #[test]
    fn a_case_without_which_a_mutant_lives_is_named() {
        let mutant = AnyMutant::all().next().expect("there are mutants");
        let (valid, stopped) =
            (answer(Conclusion::Valid), answer(Conclusion::Inconclusive("interrupted")));
        let matrix = KillMatrix::of(&[judged("alone", &valid, (0, &stopped))]);
        assert_eq!(matrix.killers(0), ["alone"]);
        let text = matrix.to_string();
        assert!(text.contains(&format!("001 {}, killed by 1: alone\n", mutant.name())));
        assert!(text.lines().any(|line| line.starts_with("002 ") && line.ends_with("killed by 0")));
    }
}
