//! The process layer: it launches a server, plays one session in lockstep, and reaps it.
//!
//! Owns the process, both pipes, the message plan of the client side, the deadlines and the
//! shutdown ladder. It judges no bytes: everything that happens is pushed as an event to an
//! [`inspect::Detector`], and the session goes on as the detector's step says.
//!
//! Containment is that of a process group and a guard: whatever ends the session (the plan, a
//! finding, a deadline, a panic, a dropped future), the group is killed and the leader reaped.
//! A descendant that leaves the group is not seen, unless it holds stdout or stderr open.

#[cfg(not(target_os = "linux"))]
compile_error!("an exit is awaited through a pidfd, which only Linux has");

mod budget;
mod feed;
mod launch;
mod outbox;
mod pipe;
mod plan;
mod process;
mod session;
mod tap;
mod telemetry;
mod transcript;

pub use budget::{Budgets, Caps, TotalBudget};
pub use feed::Observer;
pub use launch::{Cwd, EnvPolicy, LaunchError, LaunchSpec, NulIn, Origin, Variable};
pub use plan::{ArgumentsError, Plan, ToolCall};
pub use session::{Run, Session, run, run_blocking};
pub use tap::{ClientPipes, Tapped, tap};
pub use telemetry::{DeadlineRecord, Ending, Expiry, StderrSummary, Telemetry};
pub use transcript::{Entry, Kept, Recorded, Transcript};
