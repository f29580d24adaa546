//! The files in which people write down MCP servers: what each would launch, and where that is
//! written.
//!
//! A file becomes one [`File`] of [`Entry`]s, whatever its format; an entry becomes a [`Launch`]
//! when its references (`${TOKEN}`, `${input:key}`, `{port}` …) are expanded in the dialect of the
//! client that reads such files. Every part knows its line and column. Nothing here starts a
//! process or talks to a network, and nothing of the machine is read but what [`Surroundings`]
//! hold and the files that a configuration names.

mod archive;
mod dialect;
mod discover;
mod entry;
mod env_file;
mod error;
mod expand;
mod format;
mod launch;
mod propose;
mod read;
mod surroundings;
mod tree;

pub use archive::{ArchiveError, Limits, unpack};
pub use dialect::{Dialect, Meaning, Opening, Pattern, Reference, Unset};
pub use discover::{PROJECT_FILES, project_files};
pub use entry::{Entry, File, Kind, Timeouts};
pub use error::{ConfigError, Place, Problem};
pub use expand::{Expanded, Value, expand};
pub use format::{Format, UnknownFormat};
pub use launch::{Launch, Origin, Secret, Strictness, Variable, Warning};
pub use propose::{Proposal, propose};
pub use read::{read, read_bundle};
pub use surroundings::Surroundings;
