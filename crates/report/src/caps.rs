//! The sizes that keep a report below 1 MiB whatever a server writes.

use crate::safe::Cap;

/// One excerpt of a frame, its marks of omission included.
pub(crate) const EXCERPT: Cap = Cap { columns: 120, bytes: 512 };

/// The bytes of a frame that a hex prefix shows.
pub(crate) const HEX_BYTES: usize = 64;

/// One line of stderr.
pub(crate) const STDERR_LINE: Cap = Cap { columns: 240, bytes: 1024 };

/// The lines of stderr that the evidence shows.
pub(crate) const STDERR_LINES: usize = 40;

/// The lines of stderr that a report for a person shows.
pub(crate) const STDERR_LINES_HUMAN: usize = 12;

/// A method, an id, a name.
pub(crate) const WORD: Cap = Cap { columns: 120, bytes: 512 };

/// A path, an argument, the text of an error.
pub(crate) const PHRASE: Cap = Cap { columns: 1024, bytes: 4096 };

/// The arguments of a command.
pub(crate) const ARGUMENTS: usize = 64;

/// The names of environment variables.
pub(crate) const VARIABLES: usize = 512;

/// A command line: what is longer is not shown, since a cut one reproduces nothing.
pub(crate) const COMMAND_LINE_BYTES: usize = 16 * 1024;

/// The events of a live session that are told one by one.
pub(crate) const STREAMED_EVENTS: u64 = 100_000;

/// The lines of what was printed on a version.
pub(crate) const VERSION_LINES: usize = 8;
