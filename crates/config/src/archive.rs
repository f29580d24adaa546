//! Unpacking an `.mcpb` bundle: every entry is looked at before one byte is written, and whatever
//! could reach outside the directory, or fill the disk, is refused.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use zip::ZipArchive;
use zip::result::ZipError;

/// A file of more bytes than this is looked at for its ratio.
const LARGE: u64 = 1024 * 1024;

/// So many times its packed size may a large file have. Programs and texts stay far below it.
const MOST_RATIO: u64 = 200;

/// How much a bundle may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Files and directories.
    pub entries: usize,
    /// Bytes of all files together, unpacked.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 50_000, bytes: 1024 * 1024 * 1024 }
    }
}

/// Why a bundle was not unpacked. Names of entries are shown escaped, on one line.
#[derive(Debug)]
pub enum ArchiveError {
    /// The file cannot be read, or a file cannot be written.
    Io(io::Error),
    /// It is no ZIP archive, or a broken one.
    Zip(ZipError),
    /// The path of an entry leads, or could lead, out of the directory.
    Path(String),
    /// An entry is neither a file nor a directory: a symbolic link, a device.
    Kind(String),
    /// An entry is encrypted.
    Encrypted(String),
    /// Two entries have one path.
    Duplicate(String),
    /// There are more entries than allowed.
    Entries(usize),
    /// Its files are larger, together, than allowed.
    Bytes(u64),
    /// An entry is packed so tightly that it can only be meant to fill a disk.
    Ratio(String),
    /// An entry holds more than it declares.
    Size(String),
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot unpack the bundle: {error}"),
            Self::Zip(error) => write!(f, "not a readable ZIP archive: {error}"),
            Self::Path(name) => write!(f, "the path {name:?} leads out of the bundle"),
            Self::Kind(name) => write!(f, "{name:?} is neither a file nor a directory"),
            Self::Encrypted(name) => write!(f, "{name:?} is encrypted"),
            Self::Duplicate(name) => write!(f, "{name:?} is there twice"),
            Self::Entries(limit) => write!(f, "it holds more than {limit} entries"),
            Self::Bytes(limit) => write!(f, "it holds more than {limit} bytes"),
            Self::Ratio(name) => {
                write!(f, "{name:?} is more than {MOST_RATIO} times as large as it is packed")
            }
            Self::Size(name) => write!(f, "{name:?} is larger than it says"),
        }
    }
}

impl Error for ArchiveError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Zip(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for ArchiveError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<ZipError> for ArchiveError {
    fn from(error: ZipError) -> Self {
        Self::Zip(error)
    }
}

/// An entry that may be written.
struct Item {
    index: usize,
    path: PathBuf,
    is_directory: IsDirectory,
    executable: Executable,
    /// The size that the entry declares, in bytes.
    declared: u64,
}

enum IsDirectory {
    Yes,
    No,
}

enum Executable {
    Yes,
    No,
}

/// Unpacks the bundle `archive` into `directory`, which must be empty. The execute bit of a file
/// is kept, nothing else of its mode.
///
/// # Errors
///
/// If the bundle is refused, nothing was written, unless it lied about the size of its files;
/// what was written then lies within `directory`.
pub fn unpack(archive: &Path, directory: &Path, limits: Limits) -> Result<(), ArchiveError> {
    let mut archive = ZipArchive::new(File::open(archive)?)?;
    let items = examined(&mut archive, limits)?;
    for item in items {
        let path = directory.join(&item.path);
        if matches!(item.is_directory, IsDirectory::Yes) {
            fs::create_dir_all(&path)?;
            continue;
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let mode = match item.executable {
            Executable::Yes => 0o755,
            Executable::No => 0o644,
        };
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&path)?;
        // The size that an entry declares is only its word.
        let mut content = archive.by_index(item.index)?.take(item.declared.saturating_add(1));
        if io::copy(&mut content, &mut file)? > item.declared {
            return Err(ArchiveError::Size(item.path.display().to_string()));
        }
    }
    Ok(())
}

fn examined<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    limits: Limits,
) -> Result<Vec<Item>, ArchiveError> {
    if archive.len() > limits.entries {
        return Err(ArchiveError::Entries(limits.entries));
    }
    let mut items = Vec::with_capacity(archive.len());
    let mut seen = BTreeSet::new();
    let mut declared = 0_u64;
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index)?;
        let name = entry.name()?.into_owned();
        let path = relative(&name).ok_or_else(|| ArchiveError::Path(name.clone()))?;
        if entry.encrypted() {
            return Err(ArchiveError::Encrypted(name));
        }
        const TYPE: u32 = 0o170_000;
        const REGULAR: u32 = 0o100_000;
        const DIRECTORY: u32 = 0o040_000;
        let mode = entry.unix_mode();
        let kind = mode.map_or(0, |mode| mode & TYPE);
        let fits = match entry.is_dir() {
            true => matches!(kind, 0 | DIRECTORY),
            false => matches!(kind, 0 | REGULAR),
        };
        if !fits || entry.is_symlink() {
            return Err(ArchiveError::Kind(name));
        }
        if !seen.insert(path.clone()) && !entry.is_dir() {
            return Err(ArchiveError::Duplicate(name));
        }
        declared = declared.saturating_add(entry.size());
        if declared > limits.bytes {
            return Err(ArchiveError::Bytes(limits.bytes));
        }
        let most = entry.compressed_size().saturating_mul(MOST_RATIO);
        if entry.size() > LARGE && entry.size() > most {
            return Err(ArchiveError::Ratio(name));
        }
        items.push(Item {
            index,
            declared: entry.size(),
            path,
            is_directory: if entry.is_dir() { IsDirectory::Yes } else { IsDirectory::No },
            executable: match mode.is_some_and(|mode| mode & 0o111 != 0) {
                true => Executable::Yes,
                false => Executable::No,
            },
        });
    }
    Ok(items)
}

/// The path of an entry, if it cannot lead anywhere but below the directory: not absolute, no
/// `..`, no drive, and no backslash, which other systems take for a separator.
fn relative(name: &str) -> Option<PathBuf> {
    if name.is_empty() || name.contains(['\\', '\0']) || name.starts_with('/') {
        return None;
    }
    let mut bytes = name.bytes();
    if bytes.next().is_some_and(|first| first.is_ascii_alphabetic()) && bytes.next() == Some(b':') {
        return None;
    }
    let path = Path::new(name);
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(part) => clean.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!clean.as_os_str().is_empty()).then_some(clean)
}
