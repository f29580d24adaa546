//! Ends a fixture that nothing else ends.

use std::os::unix::process::parent_id;
use std::process::exit;
use std::thread;
use std::time::Duration;

const LIFETIME: Duration = Duration::from_secs(60);
const INTERVAL: Duration = Duration::from_millis(100);
const STATUS: i32 = 70;

/// Starts a thread that ends the process after a minute, or when its parent has died.
pub(crate) fn start() {
    let parent = parent_id();
    thread::spawn(move || {
        for _ in 0..LIFETIME.as_millis() / INTERVAL.as_millis() {
            wait(INTERVAL);
            if parent_id() != parent {
                break;
            }
        }
        exit(STATUS)
    });
}

#[expect(
    clippy::disallowed_methods,
    reason = "without unsafe code no event tells of the death of the parent: it has to be polled; \
              and a child that only holds stdout has nothing to wait for"
)]
pub(crate) fn wait(duration: Duration) {
    thread::sleep(duration);
}
