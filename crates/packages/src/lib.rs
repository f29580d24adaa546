//! Installs an MCP server as its users do: with the ecosystem's own client, into a prefix that is
//! gone afterwards.
//!
//! Owns the three ecosystems (npm, PyPI, the Rust registry), the running of their clients, and
//! what is known of what was installed. It launches no server and judges nothing; what an
//! installer prints is never taken for what a server prints.

mod cargo;
mod error;
mod installed;
mod nearest;
mod npm;
mod pypi;
mod spec;
mod tool;

pub use error::InstallError;
pub use installed::{Component, Installed, install};
pub use nearest::{Nearest, nearest};
pub use spec::{Ecosystem, Source, Spec};
