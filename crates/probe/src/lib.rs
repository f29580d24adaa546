//! `mcp-stdio-probe`: the command, and the library face for tests.
//!
//! [`Probe`] runs one server from a test:
//!
//! ```no_run
//! #[test]
//! fn stdout_carries_nothing_but_messages() {
//!     # const PROGRAM: &str = "my-server";
//!     // PROGRAM is env!("CARGO_BIN_EXE_my-server").
//!     probe::Probe::new(PROGRAM).run().assert_valid();
//! }
//! ```
//!
//! [`main`] is the whole command. What they do lives in
//! the crates below: this one wires them together.

mod cli;
mod facts;
mod judge;
mod layer4;
mod passage;
mod play;
mod probe;
mod profile;
mod promised;
mod rehearse;
mod relay;

pub use cli::{Status, command_line, main};
pub use inspect::{RuleSet, Setting};
pub use model::RuleId;
pub use play::not_playable;
pub use probe::{Probe, ProbeError, Probed};
pub use rehearse::{CANARY, RehearsalError, rehearse, rehearse_with};
