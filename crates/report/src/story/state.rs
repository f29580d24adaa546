//! What became of the server's process: whether it ended by itself, was ended by the probe, or was
//! still alive.

use model::{DeadlineName, ExitStatus, Signal};

use crate::evidence::{EventEvidence, Evidence, What};

/// The state of the process, in one sentence. None without a process, or if nothing is known.
pub(super) fn sentence(evidence: &Evidence) -> Option<String> {
    let events = &evidence.events;
    let exited = events.iter().position(|event| matches!(event.what, What::Exited { .. }));
    let before = &events[..exited.unwrap_or(events.len())];
    let status = evidence.exit_status.or_else(|| match events.get(exited?)?.what {
        What::Exited { status } => Some(status),
        _ => None,
    });
    let alive =
        before.iter().any(is_deadline).then(|| "was still alive at the deadline".to_owned());
    let parts: Vec<String> = [alive, status.map(|status| end(status, exited.map(|_| before)))]
        .into_iter()
        .flatten()
        .collect();
    (!parts.is_empty()).then(|| format!("the server's process {}", parts.join("; it ")))
}

/// How it ended, and who had asked it to, as far as what came before is known.
fn end(status: ExitStatus, before: Option<&[EventEvidence]>) -> String {
    let Some(before) = before else { return ended(status) };
    let signal = before.iter().rev().find_map(|event| match event.what {
        What::Signalled { signal } => Some(signal).filter(|signal| *signal != Signal::Cont),
        _ => None,
    });
    let closed = |event: &EventEvidence| matches!(event.what, What::StdinClosed { by: "client" });
    let asked = match signal {
        Some(signal) => format!(" after the probe had sent {signal}"),
        None if before.iter().any(closed) => " after the probe had closed stdin".to_owned(),
        None => match status {
            ExitStatus::Code(_) => ", by itself".to_owned(),
            ExitStatus::Signal(_) => ", which the probe had not sent".to_owned(),
        },
    };
    format!("{}{asked}", ended(status))
}

fn ended(status: ExitStatus) -> String {
    match status {
        ExitStatus::Code(code) => format!("ended with exit status {code}"),
        ExitStatus::Signal(signal) => format!("was killed by {}", name(signal)),
    }
}

/// Whether the session's own deadline passed: that of a reply, not of the shutdown.
fn is_deadline(event: &EventEvidence) -> bool {
    let What::Deadline { name } = event.what else { return false };
    matches!(name, DeadlineName::Startup | DeadlineName::Reply | DeadlineName::Total)
}

/// The name of a signal of Linux.
pub(super) fn name(signal: i32) -> String {
    const NAMES: [&str; 15] = [
        "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE",
        "SIGKILL", "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM",
    ];
    let index = usize::try_from(signal).ok().and_then(|signal| signal.checked_sub(1));
    match index.and_then(|index| NAMES.get(index)) {
        Some(name) => (*name).to_owned(),
        None => format!("signal {signal}"),
    }
}
