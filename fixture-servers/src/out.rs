//! stdout without a buffer, and the log on stderr.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::Arc;

/// stdout. What is given to one call is written at once and needs no flush.
#[derive(Clone, Debug)]
pub struct Out(Arc<File>);

impl Out {
    /// Opens stdout below the line buffer of std, which would cut writes at newlines.
    pub(crate) fn open() -> Self {
        let stdout = io::stdout().as_fd().try_clone_to_owned();
        Self(Arc::new(File::from(stdout.expect("stdout is open"))))
    }

    /// Writes exactly these bytes.
    pub fn write(&self, bytes: impl AsRef<[u8]>) {
        if self.0.as_ref().write_all(bytes.as_ref()).is_err() {
            // The client has gone.
            std::process::exit(1);
        }
    }

    /// Writes these bytes and a newline.
    pub fn line(&self, bytes: impl AsRef<[u8]>) {
        self.write(with_newline(bytes.as_ref()));
    }
}

/// Writes a line to stderr, where logs belong.
pub fn log(line: impl AsRef<[u8]>) {
    // A log that nobody reads is no reason to fail.
    let _ = io::stderr().write_all(&with_newline(line.as_ref()));
}

fn with_newline(bytes: &[u8]) -> Vec<u8> {
    [bytes, b"\n"].concat()
}
