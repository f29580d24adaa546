//! The corpus as part of the library.

use std::path::PathBuf;

use crate::expand::expand;
use crate::load::{Case, Family};

/// The files of one case.
pub(crate) struct Embedded {
    family: Family,
    /// The name of its directory.
    id: &'static str,
    json: &'static [u8],
    stdout: &'static [u8],
    stderr: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Every case, as it was when the library was built.
///
/// # Panics
///
/// Never for a corpus whose tests pass: they load every case.
#[must_use]
pub fn embedded() -> Vec<Case> {
    FILES.iter().map(case).collect()
}

/// The case with this id, as it was when the library was built.
///
/// # Panics
///
/// Never for a corpus whose tests pass: they load every case.
#[must_use]
pub fn embedded_case(id: &str) -> Option<Case> {
    FILES.iter().find(|files| files.id == id).map(case)
}

fn case(files: &Embedded) -> Case {
    let file: crate::format::CaseFile =
        serde_json::from_slice(files.json).expect("a test loads every embedded case");
    let stdout = expand(files.stdout, &file.expand).expect("a test loads every embedded case");
    let path = PathBuf::from(files.family.directory()).join(&file.id);
    Case { family: Some(files.family), path, file, stdout, stderr: files.stderr.to_vec() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{embedded, embedded_case};
    use crate::load::load_all;

    #[test]
    fn the_embedded_corpus_is_the_one_on_disk() {
        let on_disk = load_all(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the corpus loads");
        let names = |cases: &[crate::Case]| -> Vec<_> {
            cases.iter().map(|case| (case.family, case.file.id.clone())).collect()
        };
        let embedded = embedded();
        assert!(!embedded.is_empty());
        assert_eq!(names(&embedded), names(&on_disk));
        for (embedded, on_disk) in embedded.iter().zip(&on_disk) {
            assert!(embedded.stdout == on_disk.stdout, "{}", on_disk.file.id);
            assert!(embedded.stderr == on_disk.stderr, "{}", on_disk.file.id);
            let found = embedded_case(&on_disk.file.id).map(|case| case.file.id);
            assert_eq!(found.as_ref(), Some(&on_disk.file.id));
        }
        assert!(embedded_case("no-such-case").is_none());
    }
}
