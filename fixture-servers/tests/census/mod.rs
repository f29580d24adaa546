//! Which processes a test has started and not ended: found by a variable in their environment,
//! which descendants inherit whatever group or session they move to.

use std::ffi::OsString;
use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};

const VARIABLE: &str = "FIXTURE_CENSUS";

static NEXT: AtomicU32 = AtomicU32::new(0);

/// The processes of one test.
pub(crate) struct Census {
    mark: String,
}

impl Census {
    pub(crate) fn begin(name: &str) -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { mark: format!("{name}-{}-{number}", std::process::id()) }
    }

    /// The variable to set in the environment of whatever the test starts.
    pub(crate) fn variable(&self) -> (OsString, OsString) {
        (VARIABLE.into(), self.mark.clone().into())
    }

    /// Fails if a process of the test is left, be it a zombie of ours or a runaway.
    #[track_caller]
    pub(crate) fn assert_empty(&self) {
        let mark = format!("{VARIABLE}={}", self.mark).into_bytes();
        let mut left = Vec::new();
        for entry in fs::read_dir("/proc").expect("/proc can be read").flatten() {
            // A process that ends while it is looked at is not left.
            let Ok(environment) = fs::read(entry.path().join("environ")) else { continue };
            if environment.split(|byte| *byte == 0).any(|variable| variable == mark) {
                left.push(entry.file_name());
            }
        }
        assert!(left.is_empty(), "processes left: {left:?}");
    }
}
