//! Copies of this workspace, and a minimal one in which nothing is missing.
#![expect(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use model::{RuleId, catalogue};
use tempfile::TempDir;
use xtask::Workspace;
use xtask::check::{self, Complaint, MutantRow, RuleTable};

/// A workspace that is gone when the test is over.
pub(crate) struct Copy {
    pub(crate) workspace: Workspace,
    _directory: TempDir,
}

impl Copy {
    fn empty() -> Self {
        let directory = TempDir::new().expect("a temporary directory can be made");
        // The path without links, as tools print it.
        let root = directory.path().canonicalize().expect("it is there");
        Self { workspace: Workspace::at(root), _directory: directory }
    }

    /// Everything in this workspace but what was built.
    pub(crate) fn of_this_workspace() -> Self {
        let copy = Self::empty();
        copy_tree(Workspace::here().root(), copy.workspace.root());
        copy
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.workspace.path(relative)
    }

    pub(crate) fn write(&self, relative: &str, text: &str) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().expect("a file has a directory")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }

    pub(crate) fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.path(relative))
            .unwrap_or_else(|error| panic!("{relative}: {error}"))
    }

    /// Puts one text in the place of another, which must be there.
    pub(crate) fn edit(&self, relative: &str, old: &str, new: &str) {
        let text = self.read(relative);
        assert!(text.contains(old), "{relative} holds no {old}");
        self.write(relative, &text.replacen(old, new, 1));
    }

    pub(crate) fn remove(&self, relative: &str) {
        let path = self.path(relative);
        let removed =
            if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.unwrap_or_else(|error| panic!("{relative}: {error}"));
    }

    /// Removes something that will be wanted again.
    pub(crate) fn set_aside(&self, relative: &str) {
        fs::create_dir_all(self.aside(relative).parent().expect("it has one")).expect("it is made");
        fs::rename(self.path(relative), self.aside(relative)).expect("it can be moved");
    }

    pub(crate) fn bring_back(&self, relative: &str) {
        fs::rename(self.aside(relative), self.path(relative)).expect("it can be moved back");
    }

    fn aside(&self, relative: &str) -> PathBuf {
        self.path("aside").join(relative)
    }

    /// Leaves only these fixtures and recordings: each takes time to build and to run.
    pub(crate) fn keep_fixtures(&self, kept: &[&str]) {
        for entry in fs::read_dir(self.path("corpus/recordings")).expect("there are recordings") {
            let name = entry.expect("an entry can be read").file_name().display().to_string();
            if !kept.contains(&name.as_str()) {
                self.remove(&format!("corpus/recordings/{name}"));
                self.remove(&format!("fixture-servers/src/bin/{name}.rs"));
            }
        }
    }

    pub(crate) fn complaints(&self) -> Vec<Complaint> {
        check::run(&self.workspace, &RuleTable::of_the_catalogue())
    }

    /// The files with this name or extension, and what they hold.
    pub(crate) fn files(&self, ending: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.workspace.root(), ending, &mut files);
        assert!(!files.is_empty(), "no file ends with {ending}");
        files
    }
}

fn collect(directory: &Path, ending: &str, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(directory).expect("a directory can be read") {
        let path = entry.expect("an entry can be read").path();
        if path.is_dir() {
            if !path.ends_with("target") {
                collect(&path, ending, files);
            }
        } else if path.display().to_string().ends_with(ending) {
            let bytes = fs::read(&path).expect("a file can be read");
            files.insert(path, bytes);
        }
    }
}

fn copy_tree(from: &Path, to: &Path) {
    const LEFT_OUT: [&str; 2] = ["target", ".git"];
    fs::create_dir_all(to).expect("a directory can be made");
    for entry in fs::read_dir(from).expect("a directory can be read") {
        let entry = entry.expect("an entry can be read");
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            if !LEFT_OUT.iter().any(|name| path.ends_with(name)) {
                copy_tree(&path, &copy);
            }
        } else {
            fs::copy(&path, &copy).expect("a file can be copied");
        }
    }
}

/// Who kills whom in the minimal workspace.
const KILL_MATRIX: &str = "Which case kills which mutant

001 skip-lines, killed by 2
002 blind(invalid-json), killed by 3

                  00
                  00
                  12
inc-0001-greeting .C
syn-0001-word     CK
ctl-0001-number   ..
garbage           KK
ok-plain          ..
";

/// One rule, one case of each family, two fixtures, and everything that belongs to them.
pub(crate) fn minimal() -> (Copy, RuleTable) {
    let copy = Copy::empty();
    let violation = r#"{"rule":"invalid-json","frame":1,"byte":0,"byte_in_stream":0,"clean_before":0,"pending":null,"advice":[]}"#;
    let clean = r#"{"verdict":"valid-stdout","advice":[]}"#;
    let message = |id: u32| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n");
    let incident = r#"{"kind":"incident","url":"https://example.org/issue/1"}"#;
    let fixture = r#"{"kind":"fixture"}"#;
    for (family, id, origin, expect, stdout) in [
        ("incidents", "inc-0001-greeting", incident, violation, "hello\n".to_owned()),
        ("synthetic", "syn-0001-word", r#"{"kind":"synthetic"}"#, violation, "word\n".to_owned()),
        ("controls", "ctl-0001-number", r#"{"kind":"control"}"#, clean, message(1)),
        ("recordings", "garbage", fixture, violation, "garbage\n".to_owned()),
        ("recordings", "ok-plain", fixture, clean, message(2)),
    ] {
        let case = format!(
            r#"{{"schema":1,"id":"{id}","title":"a line","why":"because","origin":{origin},"tags":["numbers"],"expect":{{"all":{expect}}}}}"#
        );
        copy.write(&format!("corpus/{family}/{id}/case.json"), &case);
        copy.write(&format!("corpus/{family}/{id}/stdout.raw"), &stdout);
        copy.write(&format!("snapshots/reports/{family}/{id}.snap"), "a report\n");
        if family == "recordings" {
            copy.write(&format!("fixture-servers/src/bin/{id}.rs"), "//! A server.\n");
        }
    }
    copy.write("snapshots/reports/recordings/ok-plain.json.snap", "a report\n");
    copy.write("snapshots/fixtures.md", "a table\n");
    copy.write("snapshots/traceability.md", "a table\n");
    copy.write("snapshots/kill-matrix.txt", KILL_MATRIX);
    copy.write("corpus/case.schema.json", &corpus::case_schema());
    copy.write("crates/report/report.schema.json", &report::report_schema());
    let rule = RuleId::InvalidJson;
    let row = |name: &str, blind_to, case: &str| MutantRow {
        name: name.to_owned(),
        blind_to,
        canonical_case: case.to_owned(),
    };
    let mutants = vec![
        row("skip-lines", None, "syn-0001-word"),
        row("blind(invalid-json)", Some(rule), "inc-0001-greeting"),
    ];
    (copy, RuleTable { ids: vec![rule], rows: vec![*catalogue().rule(rule)], mutants })
}
