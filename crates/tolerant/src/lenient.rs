//! Mutants that overlook what they must find.

mod framing;
mod lifecycle;
mod lines;
mod shape;
mod syntax;
mod whole;

use crate::mutant::{DiesAs, Family, Mutant};

pub(crate) const MUTANTS: [&[Mutant]; 6] = [
    lines::MUTANTS,
    framing::MUTANTS,
    syntax::MUTANTS,
    shape::MUTANTS,
    lifecycle::MUTANTS,
    whole::MUTANTS,
];

/// What the rows have in common.
const fn row(name: &'static str, temptation: &'static str) -> Mutant {
    Mutant {
        name,
        family: Family::Lenient,
        temptation,
        blinds: &[],
        cries: &[],
        canonical_case: "",
        dies_as: DiesAs::VALID,
        like_blind: None,
        make: |rules| Box::new(inspect::Inspector::new(rules)),
    }
}
