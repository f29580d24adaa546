//! Completeness: everything that is missing or out of place, named at once with its mend.
//!
//! Each complaint begins with its code and ends with what to do.

mod cases;
mod sources;

use std::path::Path;

use corpus::load_all;

use crate::Complaints;

/// Checks the workspace at `root`.
pub(crate) fn run(root: &Path) -> Complaints {
    let mut complaints = Complaints::new();
    match load_all(&root.join("corpus")) {
        Ok(cases) => cases::check(root, &cases, &mut complaints),
        Err(errors) => {
            complaints.extend(errors.iter().map(|error| format!("C1 {error}; edit the case")));
        }
    }
    sources::check(root, &mut complaints);
    complaints.sort();
    complaints.dedup();
    if complaints.is_empty() {
        println!("check: nothing is missing");
    }
    complaints
}
