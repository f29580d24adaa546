//! What every fixture server shares, so that a binary in `src/bin/` is nothing but its mistake.
//!
//! A fixture is an ordinary, clean MCP server ([`Server`]) with one [`defect`](Server::defect),
//! which `--sane` removes. Its name is printed on stderr, with a canary, when it starts. It ends
//! when stdin ends, and a watchdog ends it in any case.
//!
//! This crate uses std only, and nothing of the detector: a fixture that shares code with the
//! detector can share its bug.

mod json;
mod message;
mod out;
mod process;
mod reply;
mod server;
mod watchdog;

pub use message::{Method, Request};
pub use out::{Out, log};
pub use process::{give_stdin_to_a_child, hold_stdout_in_a_child, live_on, start_over_after};
pub use reply::{DISCOVERED, LOG_NOTIFICATION, NULL_ID_ERROR, TOOLS, TOOLS_OF_2026};
pub use server::Server;
