//! What kind of client a case is for: ours, or one that does something else.

use model::{PlanStep, RawId};

use super::performance::{Act, Performance};

/// Why `run` does not come to what a case says, although a process can play it: its client does
/// something else than ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherClient {
    /// It waits while no request is without a reply. Ours has always something to do.
    Idles,
    /// It leaves calls out.
    CallsOnlySome,
    /// It notices the exit before the bytes of a process that was left behind.
    SeesTheExitFirst,
}

impl OtherClient {
    /// In a few words.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Idles => "its client waits while no request is pending",
            Self::CallsOnlySome => "its client leaves calls out",
            Self::SeesTheExitFirst => "its client sees the exit before the bytes that follow it",
        }
    }
}

/// Whether a client must send requests all together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pipelining {
    Needed,
    NotNeeded,
}

impl Performance {
    /// What the client of the case does otherwise than ours.
    pub(crate) fn other_client(&self) -> Option<OtherClient> {
        let mut calls = 0;
        let mut pending: Vec<&RawId> = Vec::new();
        let mut stdin_open = true;
        for act in &self.acts {
            match act {
                Act::Await { request: Some(id), method } => {
                    if &**method == "tools/call" {
                        calls += 1;
                        if PlanStep::of_request(id, method)
                            != Some(PlanStep::Call { number: calls })
                        {
                            return Some(OtherClient::CallsOnlySome);
                        }
                    }
                    pending.push(id);
                }
                Act::Leave(leave) if !leave.bytes.is_empty() => {
                    return Some(OtherClient::SeesTheExitFirst);
                }
                Act::AwaitEof | Act::Hang => stdin_open = false,
                Act::Write(_) | Act::CloseStdout | Act::Exit(_)
                    if stdin_open && pending.is_empty() =>
                {
                    return Some(OtherClient::Idles);
                }
                _ => {}
            }
            if let Act::Write(range) = act {
                let answered =
                    self.stdout_marks.iter().filter(|mark| range.contains(&mark.range.start));
                for mark in answered {
                    pending.retain(|id| **id != mark.request);
                }
            }
        }
        None
    }

    /// Whether it shows what it has to show only to a client that sends requests before it has
    /// the replies to those before.
    pub(crate) fn pipelining(&self) -> Pipelining {
        let request = |act: &Act| matches!(act, Act::Await { request: Some(_), .. });
        match self.acts.windows(2).any(|acts| acts.iter().all(request)) {
            true => Pipelining::Needed,
            false => Pipelining::NotNeeded,
        }
    }
}
