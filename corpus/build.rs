//! Puts every case into the library, so that the installed command has the whole corpus.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The families, as `Family` names them and as their directories are called.
const FAMILIES: [(&str, &str); 4] = [
    ("Incidents", "incidents"),
    ("Synthetic", "synthetic"),
    ("Controls", "controls"),
    ("Recordings", "recordings"),
];

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let mut table = "pub(crate) const FILES: &[Embedded] = &[\n".to_owned();
    for (family, directory) in FAMILIES {
        let directory = root.join(directory);
        println!("cargo::rerun-if-changed={}", directory.display());
        let mut cases: Vec<PathBuf> = fs::read_dir(&directory)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<_>>()?;
        cases.sort();
        for case in cases.iter().filter(|case| case.join("case.json").is_file()) {
            println!("cargo::rerun-if-changed={}", case.display());
            row(&mut table, family, case);
        }
    }
    table.push_str("];\n");
    fs::write(out.join("embedded.rs"), table)
}

fn row(table: &mut String, family: &str, case: &Path) {
    let file = |name: &str| {
        let path = case.join(name);
        if path.is_file() {
            format!("include_bytes!({:?})", path.display().to_string())
        } else {
            "b\"\"".to_owned()
        }
    };
    let id = case.file_name().map(|name| name.display().to_string()).unwrap_or_default();
    let written = writeln!(
        table,
        "    Embedded {{ family: Family::{family}, id: {id:?}, json: {}, stdout: {}, stderr: {} }},",
        file("case.json"),
        file("stdout.raw"),
        file("stderr.raw"),
    );
    written.expect("a String takes every text");
}
