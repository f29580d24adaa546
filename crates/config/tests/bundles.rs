//! Bundles: one that is in order, and those that must not be unpacked.

use std::fs::{self, File};
use std::io::{Seek, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use config::{ArchiveError, Limits, Problem, Strictness, Surroundings, read_bundle, unpack};
use rstest::rstest;
use tempfile::TempDir;
use zip::write::{SimpleFileOptions, ZipWriter};

const MANIFEST: &str = r#"{"manifest_version": "0.3", "name": "b", "server": {"type": "binary",
 "mcp_config": {"command": "${__dirname}/bin/server"}}}"#;

const SMALL: Limits = Limits { entries: 8, bytes: 64 * 1024 };

/// A bundle in a directory of its own, and an empty directory beside it.
struct Trial {
    root: TempDir,
}

impl Trial {
    fn new(write: impl FnOnce(&mut ZipWriter<File>)) -> Self {
        let root = TempDir::new().expect("a temporary directory can be made");
        let mut writer = ZipWriter::new(
            File::create(root.path().join("b.mcpb")).expect("the trial can be made"),
        );
        write(&mut writer);
        writer.finish().expect("the trial can be made");
        fs::create_dir(root.path().join("into")).expect("the trial can be made");
        Self { root }
    }

    fn bundle(&self) -> PathBuf {
        self.root.path().join("b.mcpb")
    }

    fn target(&self) -> PathBuf {
        self.root.path().join("into")
    }

    fn unpack(&self) -> Result<(), ArchiveError> {
        unpack(&self.bundle(), &self.target(), SMALL)
    }

    /// What lies beside the bundle, and in the directory.
    fn left(&self) -> (Vec<String>, Vec<String>) {
        (names(self.root.path()), names(&self.target()))
    }
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("the trial can be made");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("the trial can be made")
                .file_name()
                .into_string()
                .expect("the trial can be made")
        })
        .collect();
    names.sort();
    names
}

fn put(writer: &mut ZipWriter<File>, name: &str, mode: u32, content: &[u8]) {
    writer
        .start_file(name, SimpleFileOptions::default().unix_permissions(mode))
        .expect("the trial can be made");
    writer.write_all(content).expect("the trial can be made");
}

#[test]
fn a_bundle_in_order_is_unpacked_and_leads_to_its_command() {
    let trial = Trial::new(|writer| {
        put(writer, "manifest.json", 0o644, MANIFEST.as_bytes());
        writer.add_directory("bin/", SimpleFileOptions::default()).unwrap();
        put(writer, "bin/server", 0o755, b"#!/bin/sh\n");
        put(writer, "./lib/a.js", 0o600, b"1");
    });
    let file = read_bundle(&trial.bundle(), &trial.target(), SMALL).unwrap();
    let mode = |name: &str| fs::metadata(trial.target().join(name)).unwrap().permissions().mode();
    assert_eq!(mode("bin/server") & 0o777 & 0o700, 0o700);
    assert_eq!(mode("lib/a.js") & 0o111, 0);
    assert_eq!(file.path, trial.bundle());
    let launch = file
        .launch(&file.entries[0], &Surroundings::default(), Strictness::Strict)
        .unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!(launch.program, trial.target().join("bin/server").display().to_string());
}

#[rstest]
#[case::parent("../out")]
#[case::parent_inside("a/../../out")]
#[case::absolute("/tmp/out-of-the-bundle")]
#[case::drive("C:/out")]
#[case::backslashes("..\\out")]
#[case::nothing_left("./.")]
fn a_path_that_leads_out_is_refused_and_nothing_is_written(#[case] name: &str) {
    let trial = Trial::new(|writer| {
        put(writer, "manifest.json", 0o644, MANIFEST.as_bytes());
        put(writer, name, 0o644, b"out");
    });
    match trial.unpack() {
        Err(ArchiveError::Path(named)) => assert_eq!(named, name),
        other => panic!("{other:?}"),
    }
    assert_eq!(trial.left(), (vec!["b.mcpb".to_owned(), "into".to_owned()], Vec::new()));
    assert!(!Path::new("/tmp/out-of-the-bundle").exists());
}

#[test]
fn a_symbolic_link_is_refused_and_nothing_is_written() {
    let trial = Trial::new(|writer| {
        writer.add_symlink("link", "/etc", SimpleFileOptions::default()).unwrap();
        put(writer, "link/passwd", 0o644, b"out");
    });
    assert!(matches!(trial.unpack(), Err(ArchiveError::Kind(name)) if name == "link"));
    assert!(trial.left().1.is_empty());
}

#[test]
fn a_bomb_is_refused_and_nothing_is_written() {
    let trial = Trial::new(|writer| put(writer, "zeros", 0o644, &vec![0; 1024 * 1024]));
    assert!(fs::metadata(trial.bundle()).unwrap().len() < 4096);
    assert!(matches!(trial.unpack(), Err(ArchiveError::Bytes(_))));
    assert!(trial.left().1.is_empty());
}

#[test]
fn a_bomb_of_many_files_below_the_limit_is_refused_and_nothing_is_written() {
    let zeros = vec![0; 2 * 1024 * 1024];
    let trial = Trial::new(|writer| {
        for number in 0..3 {
            put(writer, &format!("zeros-{number}"), 0o644, &zeros);
        }
    });
    let unpacked = unpack(&trial.bundle(), &trial.target(), Limits::default());
    assert!(matches!(unpacked, Err(ArchiveError::Ratio(name)) if name == "zeros-0"));
    assert!(trial.left().1.is_empty());
}

#[test]
fn a_bomb_that_lies_about_its_size_ends_at_the_limit() {
    let trial = Trial::new(|writer| put(writer, "zeros", 0o644, &vec![0; 1024 * 1024]));
    // The size stands in the local header and in the directory at the end.
    let mut bytes = fs::read(trial.bundle()).unwrap();
    let real = (1024_u32 * 1024).to_le_bytes();
    let places: Vec<usize> =
        (0..bytes.len() - 3).filter(|at| bytes[*at..*at + 4] == real).collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + 4].copy_from_slice(&100_u32.to_le_bytes());
    }
    let mut file = File::options().write(true).open(trial.bundle()).unwrap();
    file.rewind().unwrap();
    file.write_all(&bytes).unwrap();
    assert!(trial.unpack().is_err());
    let written = fs::metadata(trial.target().join("zeros")).map_or(0, |metadata| metadata.len());
    assert!(written <= SMALL.bytes + 1, "{written} bytes were written");
    assert_eq!(trial.left().0, ["b.mcpb", "into"]);
}

#[test]
fn too_many_entries_are_refused() {
    let trial = Trial::new(|writer| {
        for number in 0..9 {
            put(writer, &format!("file-{number}"), 0o644, b"");
        }
    });
    assert!(matches!(trial.unpack(), Err(ArchiveError::Entries(8))));
    assert!(trial.left().1.is_empty());
}

#[test]
fn two_entries_of_one_path_are_refused() {
    let trial = Trial::new(|writer| {
        put(writer, "a/b", 0o644, b"1");
        put(writer, "a/./b", 0o644, b"2");
    });
    assert!(matches!(trial.unpack(), Err(ArchiveError::Duplicate(_))));
    assert!(trial.left().1.is_empty());
}

#[test]
fn what_is_no_archive_is_refused() {
    let trial = Trial::new(|_| {});
    fs::write(trial.bundle(), b"not a zip").unwrap();
    assert!(matches!(trial.unpack(), Err(ArchiveError::Zip(_))));
    let error = read_bundle(&trial.bundle(), &trial.target(), SMALL).unwrap_err();
    assert!(matches!(error.problem, Problem::Refused(_)));
    let empty = Trial::new(|_| {});
    let error = read_bundle(&empty.bundle(), &empty.target(), SMALL).unwrap_err();
    assert!(matches!(error.problem, Problem::Unreadable(_)), "{error}");
}
