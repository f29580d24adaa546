//! Complaints about mutants of the detector: each must be killed, by the case that its row names,
//! and each synthetic case must kill one.
//!
//! Who kills whom is read from the kill matrix, so that nothing is replayed here. Whether the
//! matrix is fresh is for `regen --check`; what it lacks or has too much of is seen at once.

use std::collections::BTreeMap;
use std::fs;

use corpus::{Family, Loaded};
use model::RuleId;
use tolerant::AnyMutant;

use super::{Code, Complaint, RuleTable};
use crate::Workspace;
use crate::generated::KILL_MATRIX;
use crate::workspace::name;

const REGEN: &str = "`cargo xtask regen`";
const ROWS: &str = "edit its row, in crates/tolerant/src";

/// What is known of a mutant. A parameter of the check, so that tests can have others.
#[derive(Clone, Debug)]
pub struct MutantRow {
    /// The name.
    pub name: String,
    /// The rule that it does not know, if that is all that is wrong with it.
    pub blind_to: Option<RuleId>,
    /// The id of the case that kills it.
    pub canonical_case: String,
}

impl MutantRow {
    /// Every mutant.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let row = |mutant: AnyMutant| Self {
            name: mutant.name(),
            blind_to: match mutant {
                AnyMutant::Named(_) => None,
                AnyMutant::Blind(blind) => Some(blind.rule),
            },
            canonical_case: mutant.canonical_case().to_owned(),
        };
        AnyMutant::all().map(row).collect()
    }
}

/// The matrix as it stands in its file.
struct Matrix<'a> {
    /// The mutants, in the order of the columns.
    mutants: Vec<&'a str>,
    /// The marks of each case, a byte for each mutant.
    cases: BTreeMap<&'a str, &'a [u8]>,
}

impl<'a> Matrix<'a> {
    fn read(text: &'a str) -> Self {
        let mutants: Vec<&str> = text.lines().filter_map(mutant_of_legend).collect();
        let row = |line: &'a str| {
            let (case, marks) = line.split_once(' ')?;
            let marks = marks.trim_start().as_bytes();
            let whole = marks.len() == mutants.len() && !mutants.is_empty();
            (whole && marks.iter().all(|mark| b".KCX!".contains(mark))).then_some((case, marks))
        };
        let cases = text.lines().filter_map(row).collect();
        Self { mutants, cases }
    }
}

/// The name in a line such as `007 skip-blank-lines, killed by 9`.
fn mutant_of_legend(line: &str) -> Option<&str> {
    let (number, rest) = line.split_once(' ')?;
    let counted = number.len() == 3 && number.bytes().all(|byte| byte.is_ascii_digit());
    let (name, _) = rest.split_once(", killed by ")?;
    counted.then_some(name)
}

/// The cases that are there, and the families of those that could be read.
type Cases = BTreeMap<String, Option<Family>>;

pub(super) fn check(
    workspace: &Workspace,
    loaded: &Loaded,
    table: &RuleTable,
    complaints: &mut Vec<Complaint>,
) {
    if table.mutants.is_empty() {
        let text = "not one mutant was found";
        complaints.push(Complaint::new(Code::T3, "crates/tolerant", text, "bring them back"));
        return;
    }
    for rule in &table.ids {
        if !table.mutants.iter().any(|mutant| mutant.blind_to == Some(*rule)) {
            complaints.push(Complaint::new(
                Code::R4,
                rule.name(),
                "no mutant is blind to it alone",
                "add it to the table in crates/tolerant/src/blind.rs",
            ));
        }
    }
    // A table that is missing has its complaint already.
    let Ok(text) = fs::read_to_string(workspace.path(KILL_MATRIX)) else { return };
    let matrix = Matrix::read(&text);
    let mut cases: Cases =
        loaded.cases.iter().map(|case| (case.file.id.clone(), case.family)).collect();
    // So has what is there and cannot be read.
    let unread = loaded.errors.iter().filter_map(|error| error.path().parent().map(name));
    for case in unread {
        cases.entry(case).or_insert(None);
    }
    let rows_fit = matrix.cases.keys().copied().eq(cases.keys());
    if !rows_fit || !matrix.mutants.iter().eq(table.mutants.iter().map(|row| &row.name)) {
        let text = "it is not of these cases and mutants";
        complaints.push(Complaint::new(Code::S1, KILL_MATRIX, text, REGEN));
    }
    for mutant in &table.mutants {
        // The columns of new mutants are complained of above.
        if let Some(column) = matrix.mutants.iter().position(|name| *name == mutant.name) {
            one_mutant(mutant, column, &matrix, &cases, complaints);
        }
    }
    for (case, family) in &cases {
        let marks = matrix.cases.get(case.as_str());
        if *family == Some(Family::Synthetic)
            && marks.is_some_and(|marks| marks.iter().all(|mark| *mark == b'.'))
        {
            complaints.push(Complaint::new(
                Code::C6,
                case,
                "no mutant gets it wrong, so it guards against nothing that is known",
                "add the mutant that it kills to crates/tolerant, or drop the case",
            ));
        }
    }
}

/// Who kills a mutant, of the cases that are there.
fn one_mutant(
    mutant: &MutantRow,
    column: usize,
    matrix: &Matrix<'_>,
    cases: &Cases,
    complaints: &mut Vec<Complaint>,
) {
    let mut say = |code, place: &str, text: String, mend| {
        complaints.push(Complaint::new(code, place, text, mend));
    };
    let marks = cases.iter().filter_map(|(case, family)| {
        Some((case.as_str(), *family, matrix.cases.get(case.as_str())?[column]))
    });
    let killers: Vec<_> = marks.filter(|(_, _, mark)| *mark != b'.').collect();
    let name = mutant.name.as_str();
    let recorded = |family: Option<Family>| family == Some(Family::Recordings);
    match mutant.blind_to {
        Some(rule) if killers.iter().all(|(_, family, _)| recorded(*family)) => say(
            Code::R4,
            rule.name(),
            format!("{name} lives: no case but a recording kills it"),
            "add a case that shows the rule to corpus/synthetic",
        ),
        None if killers.is_empty() => {
            say(Code::M1, name, "it lives: no case kills it".to_owned(), "add a case that does");
        }
        _ => {}
    }
    let canonical = mutant.canonical_case.as_str();
    if !cases.contains_key(canonical) {
        say(Code::M1, name, format!("there is no case {canonical}, which kills it"), ROWS);
    } else if let Some(marks) = matrix.cases.get(canonical) {
        match marks[column] {
            b'C' | b'!' => {}
            b'X' => {
                let text = format!("{canonical} kills it, but not as its row declares");
                say(Code::M1, name, text, ROWS);
            }
            _ => say(Code::M1, name, format!("{canonical} does not kill it"), ROWS),
        }
    }
    for (case, _, _) in killers.iter().filter(|(_, _, mark)| *mark == b'!') {
        say(
            Code::M2,
            name,
            format!("it is wrong without its temptation on {case}"),
            "make it agree there with the true detector, or declare what it blinds or cries",
        );
    }
}
