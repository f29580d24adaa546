//! The process layer: it launches a server, plays one session in lockstep, and reaps it.
//!
//! Owns the process, both pipes, the message plan of the client side, the deadlines and the
//! shutdown ladder. It judges no bytes: everything that happens is pushed as an event to an
//! [`inspect::Detector`], and the session goes on as the detector's step says.
//!
//! Whatever ends the session (the plan, a finding, a deadline, a panic, a dropped future), the
//! launched process is killed and reaped with its group. What lies beyond that is a matter of the
//! [`ContainmentSpec`].

#[cfg(not(target_os = "linux"))]
compile_error!("an exit is awaited through a pidfd, which only Linux has");

mod budget;
mod feed;
mod launch;
mod outbox;
mod pipe;
mod plan;
mod process;
mod scenario;
mod session;
mod supervisor;
mod tap;
mod telemetry;
mod transcript;

pub use budget::{Budgets, Caps, TotalBudget};
pub use feed::Observer;
pub use launch::{
    ContainmentSpec, Cwd, EnvPolicy, LaunchError, LaunchSpec, NulIn, Origin, Variable,
};
pub use plan::{ArgumentsError, MoreCalls, Plan, ToolCall};
pub use process::is_ignored;
pub use scenario::{Era, Scenario, ScenarioError, ScenarioFault};
pub use session::{Run, Session, Stop, run, run_blocking, run_blocking_until, run_until};
pub use supervisor::{SUPERVISE, supervise};
pub use tap::{ClientPipes, Tapped, tap};
pub use telemetry::{DeadlineRecord, Ending, Expiry, StderrSummary, Telemetry};
pub use transcript::{Entry, Kept, Recorded, Transcript};
