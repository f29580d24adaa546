//! The corpus as one archive for any language: plain JSON, its schema, worked examples.
//!
//! The archive is a function of the files of this workspace: made twice, it is the same to the
//! byte, and its version changes with anything in it.

mod examples;
mod format;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use corpus::{Case, load_all};
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};

use crate::Complaints;
use crate::workspace::Workspace;

pub use examples::try_examples;

/// The name of the archive and of the directory in it, before the version.
const NAME: &str = "mcp-stdio-corpus";
/// How much of the hash is in the version, in hexadecimal digits.
const VERSION_DIGITS: usize = 12;

/// What the archive holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archive {
    /// The format, and the beginning of the hash of everything else.
    pub version: String,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Archive {
    /// The archive of some cases and the files beside them.
    #[must_use]
    pub fn new(cases: &[Case], beside: BTreeMap<PathBuf, Vec<u8>>) -> Self {
        let mut files = beside;
        let mut export = format::Export::new(cases);
        files.insert("corpus.schema.json".into(), format::schema().into_bytes());
        let mut hash = Sha256::new();
        hash.update(export.to_json());
        for (path, bytes) in &files {
            hash.update(path.as_os_str().as_encoded_bytes());
            hash.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(bytes);
        }
        let digits = &hex(&hash.finalize())[..VERSION_DIGITS];
        let version = format!("{}.{digits}", format::FORMAT);
        export.version.clone_from(&version);
        files.insert("corpus.json".into(), export.to_json().into_bytes());
        Self { version, files }
    }

    /// The archive of a workspace.
    ///
    /// # Errors
    ///
    /// A case or a file that cannot be read.
    pub fn of(workspace: &Workspace) -> Result<Self, Complaints> {
        let cases = load_all(&workspace.corpus())
            .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Complaints>())?;
        let root = workspace.path("exports");
        let mut beside = BTreeMap::new();
        read_all(&root, &root, &mut beside)
            .map_err(|error| vec![format!("{}: {error}", root.display())])?;
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let path = workspace.path(licence);
            let bytes =
                fs::read(&path).map_err(|error| vec![format!("{}: {error}", path.display())])?;
            beside.insert(licence.into(), bytes);
        }
        Ok(Self::new(&cases, beside))
    }

    /// The file's name.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{NAME}-{}.tar.gz", self.version)
    }

    /// The archive's bytes: no time, no user, no machine is in them.
    ///
    /// # Errors
    ///
    /// Never, as far as memory goes.
    pub fn bytes(&self) -> io::Result<Vec<u8>> {
        let gzip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
        let mut tar = tar::Builder::new(gzip);
        for (path, bytes) in &self.files {
            let mut header = tar::Header::new_ustar();
            header.set_size(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
            header.set_mode(0o644);
            header.set_mtime(0);
            header.set_uid(0);
            header.set_gid(0);
            let path = Path::new(&format!("{NAME}-{}", self.version)).join(path);
            tar.append_data(&mut header, path, bytes.as_slice())?;
        }
        tar.into_inner()?.finish()
    }

    /// Writes the files as they are in the archive.
    fn unpack(&self, directory: &Path) -> io::Result<()> {
        for (path, bytes) in &self.files {
            let path = directory.join(path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, bytes)?;
        }
        Ok(())
    }
}

/// Writes the archive into a directory.
#[must_use]
pub fn run(directory: &Path) -> Complaints {
    let archive = match Archive::of(&Workspace::here()) {
        Ok(archive) => archive,
        Err(complaints) => return complaints,
    };
    let path = directory.join(archive.file_name());
    let written = fs::create_dir_all(directory)
        .and_then(|()| archive.bytes())
        .and_then(|bytes| fs::write(&path, &bytes).map(|()| bytes.len()));
    match written {
        Ok(bytes) => {
            println!("export: {} ({bytes} bytes)", path.display());
            Complaints::new()
        }
        Err(error) => vec![format!("{}: {error}", path.display())],
    }
}

fn read_all(
    root: &Path,
    directory: &Path,
    files: &mut BTreeMap<PathBuf, Vec<u8>>,
) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        // What running the examples in place leaves behind.
        if name.starts_with(b".") || name.starts_with(b"__") {
            continue;
        }
        if path.is_dir() {
            read_all(root, &path, files)?;
        } else if let Ok(relative) = path.strip_prefix(root) {
            files.insert(relative.to_owned(), fs::read(&path)?);
        }
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;

    use super::{Archive, format};
    use crate::workspace::Workspace;

    #[test]
    fn the_archive_is_the_same_to_the_byte_and_can_be_read_back() {
        let archive = Archive::of(&Workspace::here()).expect("the corpus loads");
        let again = Archive::of(&Workspace::here()).expect("the corpus loads");
        assert!(archive.bytes().unwrap() == again.bytes().unwrap());
        let json = &archive.files[std::path::Path::new("corpus.json")];
        let export: format::Export = serde_json::from_slice(json).expect("it reads its own form");
        assert_eq!(export.version, archive.version);
        let embedded = corpus::embedded();
        assert_eq!(export.cases.len(), embedded.len());
        for (exported, case) in export.cases.iter().zip(&embedded) {
            assert_eq!(exported.id, case.file.id);
            // The bytes, put together as a reader must.
            let stored = BASE64_STANDARD.decode(&exported.stdout).expect("it is base64");
            let whole = corpus::expand(&stored, &exported.expand).expect("the runs fit");
            assert!(whole == case.stdout, "{}", case.file.id);
        }
        for file in ["README.md", "corpus.schema.json", "python/harness.py", "node/harness.mjs"] {
            assert!(archive.files.contains_key(std::path::Path::new(file)), "{file}");
        }
    }

    #[test]
    fn any_change_of_a_case_changes_the_version() {
        let cases: Vec<_> = corpus::embedded().into_iter().take(3).collect();
        let version = |cases: &[corpus::Case]| Archive::new(cases, BTreeMap::new()).version;
        let whole = version(&cases);
        assert_eq!(whole, version(&cases));
        let changed = |change: fn(&mut corpus::Case)| {
            let mut cases = cases.clone();
            change(&mut cases[1]);
            version(&cases)
        };
        assert_ne!(whole, changed(|case| case.stdout[0] ^= 1));
        assert_ne!(whole, changed(|case| case.stderr.push(b'x')));
        assert_ne!(whole, changed(|case| case.file.title.push('x')));
        assert_ne!(whole, changed(|case| case.file.tags.clear()));
        assert_ne!(whole, changed(|case| case.file.script = None));
        assert_ne!(whole, version(&cases[..2]));
        let beside = BTreeMap::from([("x".into(), Vec::new())]);
        assert_ne!(whole, Archive::new(&cases, beside).version);
    }
}
