//! From the events of a case to the acts of the process that plays it.

use std::ops::Range;

use corpus::{Case, Chunking, Expectation, Oracle, ScriptError, events};
use model::{
    DeadlineName, Event, EventKind, ExitStatus, Held, Inconclusive, RawId, Sent, Side, Signal,
};

use super::live::{Mark, marks};

/// One act of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Read stdin up to a message with this method.
    Await {
        /// The method.
        method: Box<str>,
        /// The id that the request has in the plan; None for a notification.
        request: Option<RawId>,
    },
    /// Read stdin up to a reply with this id.
    AwaitReply(RawId),
    /// Read stdin to its end, and be an ordinary server to what still comes.
    AwaitEof,
    /// Read stdin to its end, and say nothing more.
    Hang,
    /// Write these bytes of the case's stdout, at once.
    Write(Range<usize>),
    /// Write these bytes of the case's stderr, at once.
    Log(Range<usize>),
    /// Close the read end of stdin.
    CloseStdin,
    /// Close stdout and live on.
    CloseStdout,
    /// Live on until SIGTERM comes, which does not end it.
    AwaitTerm,
    /// Live on, whatever comes, until a signal ends it.
    AwaitSignal,
    /// Leave processes behind.
    Leave(Leave),
    /// End.
    Exit(ExitStatus),
}

/// Processes that outlive the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leave {
    /// How many.
    pub(crate) count: u32,
    /// What the first of them writes to stdout once the server has ended.
    pub(crate) bytes: Range<usize>,
    /// Whether they hold stdout.
    pub(crate) stdout: Held,
    /// How long they stay.
    pub(crate) hold: Hold,
    /// In which process group they are.
    pub(crate) groups: Groups,
}

/// How long a process that was left behind stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// Until nobody reads its stdout, or for some seconds.
    AWhile,
    /// No longer than it needs to write.
    Nothing,
}

/// The process group of a process that was left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Groups {
    /// That of the server.
    Same,
    /// One of its own: what kills the server's whole group does not reach it.
    Own,
}

/// Why a case cannot be played by a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotPlayable {
    /// It is a bare recording: nothing says when its bytes come.
    NoScript,
    /// Its script cannot be read.
    Script(ScriptError),
    /// It tells of something that the client side does.
    ClientSide,
}

impl NotPlayable {
    /// In a few words.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::NoScript => "a bare recording, without a client side".to_owned(),
            Self::Script(error) => error.to_string(),
            Self::ClientSide => "it tells of something that the client side does".to_owned(),
        }
    }
}

/// A case as a server performs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Performance {
    pub(crate) acts: Vec<Act>,
    /// Where ids of the client's requests stand in stdout.
    pub(crate) stdout_marks: Vec<Mark>,
    /// Where they stand in stderr.
    pub(crate) stderr_marks: Vec<Mark>,
    /// What SIGTERM does.
    pub(crate) sigterm: Sigterm,
}

/// What SIGTERM does to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sigterm {
    /// It ends it.
    Ends,
    /// The server notices it and goes on.
    Noticed,
}

/// What the server of a case does.
pub(crate) fn performance(case: &Case) -> Result<Performance, NotPlayable> {
    if case.file.script.is_none() {
        return Err(NotPlayable::NoScript);
    }
    if ends_early(case) {
        return Err(NotPlayable::ClientSide);
    }
    let events = events(case, Chunking::AsScripted).map_err(NotPlayable::Script)?;
    // Ours declares what the plan says, and no case writes that down.
    let declares = |event: &Event<'_>| {
        matches!(event.kind, EventKind::Sent(Sent::Request { params: Some(_), .. }))
    };
    if events.iter().any(declares) {
        return Err(NotPlayable::ClientSide);
    }
    let requests: Vec<RawId> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Sent(Sent::Request { id, .. }) => Some(id.clone()),
            _ => None,
        })
        .collect();
    let stdout_marks = marks(&case.stdout, &requests);
    let mut composer = Composer::new(&events);
    for event in &events {
        composer.add(&event.kind)?;
    }
    Ok(Performance {
        acts: apart(composer.acts, &case.stdout, &stdout_marks),
        stdout_marks,
        stderr_marks: marks(&case.stderr, &requests),
        sigterm: composer.sigterm,
    })
}

/// Whether its client ends the session before it is whole: nothing that a server does.
fn ends_early(case: &Case) -> bool {
    let incomplete = |expectation: &Expectation| {
        matches!(expectation, Expectation::Stuck(stuck)
            if stuck.reason == Inconclusive::Incomplete.name())
    };
    matches!(&case.file.expect, Oracle::ByRevision(expect) if expect.values().any(incomplete))
}

/// Puts the acts together, event by event.
struct Composer {
    acts: Vec<Act>,
    sigterm: Sigterm,
    leave: Option<Leave>,
    lives_on_without_stdout: bool,
    stdout: usize,
    stderr: usize,
    after_exit: bool,
}

impl Composer {
    fn new(events: &[Event<'_>]) -> Self {
        let has = |kind: EventKind<'static>| events.iter().any(|event| event.kind == kind);
        Self {
            acts: Vec::new(),
            sigterm: sigterm(events),
            leave: leave(events),
            lives_on_without_stdout: has(EventKind::Deadline(DeadlineName::ExitGrace)),
            stdout: 0,
            stderr: 0,
            after_exit: false,
        }
    }

    fn add(&mut self, event: &EventKind<'_>) -> Result<(), NotPlayable> {
        match event {
            EventKind::Sent(Sent::Request { method, id, .. }) => {
                self.act(Act::Await { method: method.clone(), request: Some(id.clone()) });
            }
            EventKind::Sent(Sent::Notification { method }) => {
                self.act(Act::Await { method: method.clone(), request: None });
            }
            EventKind::Sent(Sent::Reply { id }) => self.act(Act::AwaitReply(id.clone())),
            EventKind::Stdout(bytes) => {
                let range = self.stdout..self.stdout + bytes.len();
                self.stdout = range.end;
                // What comes after the exit is written by a process that was left behind.
                if !self.after_exit {
                    self.write(range);
                }
            }
            EventKind::Stderr(bytes) => {
                let range = self.stderr..self.stderr + bytes.len();
                self.stderr = range.end;
                self.act(Act::Log(range));
            }
            EventKind::StdinClosed { by: Side::Client } => self.act(Act::AwaitEof),
            EventKind::StdinClosed { by: Side::Server } => self.act(Act::CloseStdin),
            EventKind::StdoutEof if self.lives_on_without_stdout => self.act(Act::CloseStdout),
            EventKind::Deadline(
                DeadlineName::Startup | DeadlineName::Reply | DeadlineName::Total,
            ) => self.act(Act::Hang),
            EventKind::Signalled(signal) => {
                self.leave_now();
                let noticed = *signal == Signal::Term && self.sigterm == Sigterm::Noticed;
                self.act(if noticed { Act::AwaitTerm } else { Act::AwaitSignal });
            }
            EventKind::StepBegan(model::Phase::AfterExit) => {
                self.leave_now();
                self.after_exit = true;
            }
            EventKind::Exited(status) => {
                self.leave_now();
                self.act(Act::Exit(*status));
            }
            EventKind::CapReached(_)
            | EventKind::Untested(_)
            | EventKind::Stopped
            | EventKind::StdoutClosed
            | EventKind::Usage { .. }
            | EventKind::LaunchFailed(_) => return Err(NotPlayable::ClientSide),
            _ => {}
        }
        Ok(())
    }

    fn act(&mut self, act: Act) {
        self.acts.push(act);
    }

    /// Bytes with nothing between them are one write, or the client could go on between them.
    fn write(&mut self, range: Range<usize>) {
        match self.acts.last_mut() {
            Some(Act::Write(written)) => written.end = range.end,
            _ => self.act(Act::Write(range)),
        }
    }

    /// What is left behind must be there before the server can be ended.
    fn leave_now(&mut self) {
        if let Some(leave) = self.leave.take() {
            self.act(Act::Leave(leave));
        }
    }
}

/// Whether something happens between SIGTERM and the end, or the server ends by its own doing.
fn sigterm(events: &[Event<'_>]) -> Sigterm {
    let mut signalled = false;
    for event in events {
        match &event.kind {
            EventKind::Signalled(Signal::Term) => signalled = true,
            EventKind::Stdout(_)
            | EventKind::Stderr(_)
            | EventKind::Deadline(DeadlineName::ShutdownTerm)
            | EventKind::Exited(ExitStatus::Code(_))
                if signalled =>
            {
                return Sigterm::Noticed;
            }
            _ => {}
        }
    }
    Sigterm::Ends
}

fn leave(events: &[Event<'_>]) -> Option<Leave> {
    let mut end = 0;
    let mut after_exit = None;
    let (mut strays, mut hold, mut groups) = (None, Hold::Nothing, Groups::Same);
    for event in events {
        match &event.kind {
            EventKind::Stdout(bytes) => end += bytes.len(),
            EventKind::StepBegan(model::Phase::AfterExit) => after_exit = Some(end),
            EventKind::Census { strays: count } => strays = Some(*count),
            EventKind::LeakWindowEnded { stdout: Held::Open } => hold = Hold::AWhile,
            EventKind::Signalled(Signal::Kill) => groups = Groups::Own,
            _ => {}
        }
    }
    let count = strays.unwrap_or_default().max(u32::from(after_exit.is_some()));
    (count > 0).then(|| Leave {
        count,
        bytes: after_exit.unwrap_or(end)..end,
        stdout: if after_exit.is_some() { Held::Open } else { Held::Closed },
        hold: if after_exit.is_some() { hold } else { Hold::AWhile },
        groups,
    })
}

/// Sets the replies to requests that our client sends all together apart, each behind its own
/// request: another client may send the second only when it has the first reply.
fn apart(acts: Vec<Act>, stdout: &[u8], marks: &[Mark]) -> Vec<Act> {
    let mut apart: Vec<Act> = Vec::with_capacity(acts.len());
    for act in acts {
        let Act::Write(mut range) = act else {
            apart.push(act);
            continue;
        };
        let together = apart.iter().rev().take_while(|act| matches!(act, Act::Await { .. }));
        let requests = apart.split_off(apart.len() - together.count());
        let last = requests.len().saturating_sub(1);
        for (index, request) in requests.into_iter().enumerate() {
            let end = match &request {
                Act::Await { request: Some(id), .. } if index < last => {
                    end_of_reply(id, &range, stdout, marks)
                }
                _ => None,
            };
            apart.push(request);
            if let Some(end) = end {
                apart.push(Act::Write(range.start..end));
                range.start = end;
            }
        }
        if !range.is_empty() {
            apart.push(Act::Write(range));
        }
    }
    apart
}

/// The end of the frame that holds the reply to a request, if no other reply comes before it.
fn end_of_reply(id: &RawId, range: &Range<usize>, stdout: &[u8], marks: &[Mark]) -> Option<usize> {
    let first = marks.iter().find(|mark| range.contains(&mark.range.start))?;
    if first.request != *id {
        return None;
    }
    let newline = stdout[first.range.end..range.end].iter().position(|byte| *byte == b'\n')?;
    Some(first.range.end + newline + 1)
}

#[cfg(test)]
mod tests {
    use corpus::{Case, embedded};

    use super::{Act, performance};

    fn case(id: &str) -> Case {
        embedded().into_iter().find(|case| case.file.id == id).expect("the case is there")
    }

    #[test]
    fn every_byte_of_a_case_is_written_once_and_in_order() {
        let mut played = 0;
        for case in embedded() {
            let Ok(performance) = performance(&case) else { continue };
            let mut at = 0;
            for act in &performance.acts {
                let range = match act {
                    Act::Write(range) => range.clone(),
                    Act::Leave(leave) => leave.bytes.clone(),
                    _ => continue,
                };
                if !range.is_empty() {
                    assert_eq!(range.start, at, "{}", case.file.id);
                    at = range.end;
                }
            }
            assert_eq!(at, case.stdout.len(), "{}", case.file.id);
            played += 1;
        }
        assert!(played > 400, "{played} cases can be played");
    }

    #[test]
    fn replies_to_requests_that_come_together_stand_each_behind_its_own() {
        let lists = |id: &str| -> Vec<Act> {
            let acts = performance(&case(id)).expect("it can be played").acts;
            let lists = acts.into_iter().skip_while(
                |act| !matches!(act, Act::Await { method, .. } if &**method == "tools/list"),
            );
            lists.take(4).collect()
        };
        let in_order = lists("ctl-0032-empty-lists");
        assert!(
            matches!(
                in_order[..],
                [Act::Await { .. }, Act::Write(_), Act::Await { .. }, Act::Write(_)]
            ),
            "{in_order:?}"
        );
        // Where the replies come in another order, that is what the case shows.
        let reversed = lists("ctl-0011-replies-in-reverse-order");
        assert!(reversed.iter().all(|act| matches!(act, Act::Await { .. })), "{reversed:?}");
    }
}
