//! The event loop of one session: reads, writes, steps and deadlines. What happens once the session
//! is over is the business of its sub-module.
//!
//! Everything but the waiting is synchronous, so what is done on one piece of news is done before
//! the next is looked for. In particular the next step's messages are pushed before stdout is read
//! again.

mod shutdown;

use std::borrow::Cow;
use std::future::{Future, pending, ready};
use std::io;
use std::os::fd::OwnedFd;
use std::pin::{Pin, pin};
use std::process::Child;
use std::time::Duration;

use inspect::{State, Step};
use model::{
    CapName, DeadlineName, EventKind, ExitStatus, Held, LadderStep, MessageKind, Phase, ReapState,
    Sent,
};
use tokio::time::{Instant, sleep_until};

use super::Session;
use super::timers::{Timer, Timers};
use crate::budget::{Budgets, Caps};
use crate::feed::Feed;
use crate::launch::LaunchError;
use crate::outbox::Outbox;
use crate::pipe::{Got, PipeReader, PipeWriter};
use crate::plan::{Action, Client, Outgoing, answer};
use crate::process::Leader;
use crate::telemetry::{Ending, StderrKeeper, Telemetry};

/// Requests of the server are no longer answered while this many bytes wait to be written: a
/// server that asks and never reads must not fill our memory.
const MAX_WAITING_BYTES: usize = 8 * 1024 * 1024;

/// After this many reads of a busy stdout, everything else has its turn once.
const STDOUT_TURNS: u32 = 16;
/// After this many reads of busy pipes, everything but the pipes has its turn once.
const PIPE_TURNS: u32 = 32;

/// One session, from the launched process to its end.
pub(super) struct Driver<'s, 'f, 'a> {
    feed: &'f mut Feed<'a>,
    budgets: &'s Budgets,
    caps: &'s Caps,
    client: Client<'s>,
    leader: Leader,
    stdin: Outbox,
    stdout: Stream,
    stderr: Stream,
    stderr_keeper: StderrKeeper,
    timers: Timers,
    stage: Stage,
    /// Bytes of stdout that may still be read.
    stdout_room: u64,
    /// The same, once the session was ended early: what is still read then is for diagnosis only.
    drain_room: Option<u64>,
    exited_at: Option<Instant>,
    turns: u32,
    ending: Option<Ending>,
    timeout_phase: Option<Phase>,
    exit_status: Option<ExitStatus>,
    child_reaped: ReapState,
    strays: Strays,
    steps: Vec<LadderStep>,
}

/// What of the process group outlived the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strays {
    /// This many processes.
    Counted(u32),
    /// Some, which cannot be counted.
    Unseen,
}

/// How far a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The steps of the plan are carried out.
    Running,
    /// stdout has ended, which we did not cause, and the exit is awaited with stdin open.
    Grace,
    /// The exit is awaited after what we did to bring it about.
    Ladder(Rung),
    /// The process has ended, and stdout has not.
    AfterExit,
    /// The process was reaped; stderr is read to its end.
    Reaped,
    /// Nothing is awaited any more.
    Over,
}

/// A rung of the shutdown ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rung {
    /// stdin is closed as soon as what waits is written.
    Unwritten,
    /// stdin was closed.
    EndOfStdin,
    /// SIGTERM was sent.
    Terminated,
    /// SIGKILL was sent.
    Killed,
}

/// What to do with messages that wait to be written when a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unwritten {
    /// Write them first.
    Write,
    /// Drop them.
    Discard,
}

/// An output of the server.
struct Stream {
    pipe: Option<PipeReader>,
    end: StreamEnd,
}

/// How the reading of an output ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StreamEnd {
    /// It has not.
    Reading,
    /// At its end.
    Reached,
    /// Somebody held it open for longer than we read.
    Held,
    /// We stopped.
    Cut,
}

impl Stream {
    fn new(pipe: PipeReader) -> Self {
        Self { pipe: Some(pipe), end: StreamEnd::Reading }
    }

    fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Closes our end.
    fn close(&mut self, end: StreamEnd) {
        self.pipe = None;
        self.end = end;
    }
}

/// What the loop woke up for.
enum Wake {
    Stdout,
    Stderr,
    Exit,
    Stdin,
    Timer,
    Stop,
    /// Nothing: a busy pipe waited while everything else had its turn.
    Turn,
}

/// What is known before a read.
#[derive(Clone, Copy)]
enum Before {
    /// The pipe has something, or had.
    Ready,
    /// Nothing.
    Unknown,
}

impl<'s, 'f, 'a> Driver<'s, 'f, 'a> {
    /// Takes over a child that was just launched.
    ///
    /// # Errors
    ///
    /// If the machine has no room to watch it. Then it has been killed and reaped.
    pub(super) fn new(
        session: &'s Session,
        mut child: Child,
        feed: &'f mut Feed<'a>,
    ) -> Result<Self, LaunchError> {
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let watched = || -> io::Result<_> {
            let leader = Leader::new(child)?;
            let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
                return Err(io::ErrorKind::BrokenPipe.into());
            };
            let stdin = PipeWriter::new(OwnedFd::from(stdin))?;
            let stdout = PipeReader::new(OwnedFd::from(stdout))?;
            let stderr = PipeReader::new(OwnedFd::from(stderr))?;
            Ok((leader, stdin, stdout, stderr))
        };
        let (leader, stdin, stdout, stderr) = watched()
            .map_err(|source| LaunchError::System { action: "watch the process", source })?;
        let (budgets, caps) = (&session.budgets, &session.caps);
        Ok(Self {
            client: Client::new(&session.plan),
            leader,
            stdin: Outbox::new(stdin),
            stdout: Stream::new(stdout),
            stderr: Stream::new(stderr),
            stderr_keeper: StderrKeeper::new(caps.stderr_head, caps.stderr_tail),
            timers: Timers::new(feed.began(), budgets.total()),
            stage: Stage::Running,
            stdout_room: caps.stdout_total,
            drain_room: None,
            exited_at: None,
            turns: 0,
            ending: None,
            timeout_phase: None,
            exit_status: None,
            child_reaped: ReapState::NotReaped,
            strays: Strays::Counted(0),
            steps: Vec::new(),
            feed,
            budgets,
            caps,
        })
    }

    /// Plays the session to its end and cleans up.
    pub(super) async fn run(
        mut self,
        mut stop: Pin<&mut impl Future<Output = ()>>,
        telemetry: &mut Telemetry,
    ) {
        let mut sleep = pin!(sleep_until(Instant::now()));
        let mut stopped = false;
        let first = self.client.start();
        self.perform(first);
        while self.stage != Stage::Over {
            let (_, end) = self.timers.next().expect("every stage but the last has a timer");
            if sleep.deadline() != end {
                sleep.as_mut().reset(end);
            }
            let wake = tokio::select! {
                biased;
                () = readable(&self.stdout), if !self.is_turn_after(STDOUT_TURNS) => Wake::Stdout,
                () = readable(&self.stderr), if !self.is_turn_after(PIPE_TURNS) => Wake::Stderr,
                () = exited(&self.leader), if self.exited_at.is_none() => Wake::Exit,
                () = writable(&self.stdin) => Wake::Stdin,
                () = sleep.as_mut() => Wake::Timer,
                () = stop.as_mut(), if !stopped => Wake::Stop,
                () = ready(()), if self.is_turn_after(STDOUT_TURNS) => Wake::Turn,
            };
            match wake {
                Wake::Stdout => {
                    self.read_stdout(Before::Ready);
                }
                Wake::Stderr => {
                    self.read_stderr(Before::Ready);
                }
                Wake::Exit => self.leader_exited(),
                Wake::Stdin => self.write(),
                Wake::Timer => self.timer_passed(),
                Wake::Stop => {
                    stopped = true;
                    self.stop(Ending::Stopped);
                }
                Wake::Turn => {}
            }
            self.turns = match wake {
                Wake::Stdout | Wake::Stderr | Wake::Turn => self.turns.wrapping_add(1),
                _ => 0,
            };
        }
        self.sweep().await;
        self.report(telemetry);
    }

    fn is_turn_after(&self, turns: u32) -> bool {
        self.turns % turns == turns - 1
    }

    /// Reads stdout once and acts on what came.
    fn read_stdout(&mut self, before: Before) -> Got {
        let Some(pipe) = &mut self.stdout.pipe else {
            return Got::End;
        };
        let room = self.drain_room.unwrap_or(u64::MAX).min(self.stdout_room);
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        // One byte more tells an output that goes beyond its room from one that just fills it.
        let limit = room.saturating_add(1);
        let got = match before {
            Before::Ready => pipe.read_ready(limit),
            Before::Unknown => pipe.read_now(limit),
        };
        match got {
            Ok(Got::Bytes(count)) => {
                let bytes = &pipe.bytes(count)[..count.min(room)];
                let taken = bytes.len() as u64;
                self.stdout_room -= taken;
                self.drain_room = self.drain_room.map(|drain| drain - taken);
                if taken > 0 {
                    let step = self.feed.push(EventKind::Stdout(Cow::Borrowed(bytes)));
                    if count <= room {
                        self.act(step);
                    }
                }
                if count > room {
                    self.cut_stdout();
                }
                Got::Bytes(count)
            }
            Ok(Got::End) => {
                self.stdout_ended();
                Got::End
            }
            Ok(Got::Nothing) => Got::Nothing,
            Err(_) => {
                self.stdout.close(StreamEnd::Cut);
                self.stop(Ending::PipeFailed);
                Got::End
            }
        }
    }

    /// Reads stderr once.
    fn read_stderr(&mut self, before: Before) -> Got {
        let Some(pipe) = &mut self.stderr.pipe else {
            return Got::End;
        };
        let got = match before {
            Before::Ready => pipe.read_ready(usize::MAX),
            Before::Unknown => pipe.read_now(usize::MAX),
        };
        match got {
            Ok(Got::Bytes(count)) => {
                let bytes = pipe.bytes(count);
                self.stderr_keeper.add(bytes);
                self.feed.push(EventKind::Stderr(Cow::Borrowed(bytes)));
                self.heed_verdict();
                Got::Bytes(count)
            }
            Ok(Got::End) => {
                self.stderr.close(StreamEnd::Reached);
                self.feed.push(EventKind::StderrEof);
                self.stderr_ended();
                Got::End
            }
            Ok(Got::Nothing) => Got::Nothing,
            Err(_) => {
                self.stderr.close(StreamEnd::Cut);
                self.stderr_ended();
                Got::End
            }
        }
    }

    /// Reads what an output holds at this moment: until it is found empty or at its end, or until
    /// as much came as the pipe can hold, for what comes after that was written later.
    fn look(&mut self, read: fn(&mut Self, Before) -> Got, capacity: Option<usize>) {
        let mut left = capacity.unwrap_or(0);
        while left > 0 {
            match read(self, Before::Unknown) {
                Got::Bytes(count) => left = left.saturating_sub(count),
                Got::Nothing | Got::End => break,
            }
        }
    }

    fn look_at_stdout(&mut self) {
        let capacity = self.stdout.pipe.as_ref().map(PipeReader::capacity);
        self.look(Self::read_stdout, capacity);
    }

    fn look_at_stderr(&mut self) {
        let capacity = self.stderr.pipe.as_ref().map(PipeReader::capacity);
        self.look(Self::read_stderr, capacity);
    }

    /// Acts on what the detector made of bytes of stdout.
    fn act(&mut self, step: Step) {
        if self.stage == Stage::Running && step.state != State::Final {
            for accepted in step.accepted {
                match accepted.kind {
                    MessageKind::Request => {
                        if self.stdin.waiting_bytes() <= MAX_WAITING_BYTES
                            && let Some(answer) = answer(&accepted)
                        {
                            self.send(answer);
                        }
                    }
                    MessageKind::Result | MessageKind::Error => self.client.take(accepted),
                    MessageKind::Notification => {}
                }
            }
            if step.state == State::Awaited {
                let actions = self.client.proceed();
                self.perform(actions);
            } else {
                self.write();
            }
        }
        self.heed_verdict();
    }

    /// Ends the session once nothing can change the verdict.
    fn heed_verdict(&mut self) {
        if self.feed.is_final() {
            self.drain_room.get_or_insert(self.caps.stdout_drain);
            self.end_session(Ending::VerdictFinal, Unwritten::Discard);
        }
    }

    fn perform(&mut self, actions: Vec<Action>) {
        self.timers.disarm_step();
        let mut awaits = false;
        for action in actions {
            match action {
                Action::Begin(phase) => {
                    self.feed.push(EventKind::StepBegan(phase));
                }
                Action::Send(outgoing) => {
                    if matches!(outgoing.sent, Sent::Request { .. }) && !awaits {
                        awaits = true;
                        self.await_reply();
                    }
                    self.send(outgoing);
                }
                Action::Untested(untested) => {
                    self.feed.push(EventKind::Untested(untested));
                }
                Action::Finish => self.end_session(Ending::PlanCompleted, Unwritten::Write),
            }
        }
        self.write();
    }

    fn await_reply(&mut self) {
        let (name, since, budget) = match self.feed.phase() {
            Phase::Startup => (DeadlineName::Startup, self.feed.began(), self.budgets.startup),
            _ => (DeadlineName::Reply, Instant::now(), self.budgets.reply),
        };
        let phase = self.feed.phase();
        self.timers.arm(Timer::Deadline(name), phase, since, budget);
    }

    fn send(&mut self, outgoing: Outgoing) {
        self.feed.push(EventKind::Sent(outgoing.sent));
        self.stdin.add(outgoing.line);
    }

    /// Writes what the pipe takes now.
    fn write(&mut self) {
        if self.stdin.write(self.feed).is_err() {
            self.stop(Ending::PipeFailed);
        }
        self.end_stdin_if_written();
    }

    fn stdout_ended(&mut self) {
        self.stdout.close(StreamEnd::Reached);
        self.feed.push(EventKind::StdoutEof);
        match self.stage {
            Stage::Running => {
                // The step that was under way is over, and only the grace still counts: how a
                // server ends is worth more than a budget that it would overrun a little.
                self.stage = Stage::Grace;
                self.timers.disarm_total();
                self.arm(DeadlineName::ExitGrace, self.budgets.exit_grace);
            }
            Stage::AfterExit => self.conclude(Some(Held::Closed)),
            Stage::Grace | Stage::Ladder(_) | Stage::Reaped | Stage::Over => {}
        }
        self.heed_verdict();
    }

    /// Stops reading stdout: there was more of it than there was room for.
    fn cut_stdout(&mut self) {
        self.stdout.close(StreamEnd::Cut);
        if self.stdout_room == 0 {
            let cap = CapName::TotalStdout;
            self.feed.push(EventKind::CapReached(cap));
            self.end_session(Ending::Cap(cap), Unwritten::Discard);
        }
        if self.stage == Stage::AfterExit {
            self.conclude(None);
        }
    }

    fn timer_passed(&mut self) {
        let Some((timer, end)) = self.timers.next() else {
            return;
        };
        if Instant::now() < end {
            return;
        }
        // What the server did in time counts, even if it is only read now.
        let generation = self.timers.generation();
        self.look_at_stderr();
        self.look_at_stdout();
        if self.exited_at.is_none() && self.leader.has_exited() {
            self.leader_exited();
        }
        if self.timers.generation() != generation {
            return;
        }
        self.timers.expire(timer);
        match timer {
            Timer::Deadline(name) => self.deadline_passed(name),
            Timer::LeakWindow => self.leak_window_ended(),
        }
        self.heed_verdict();
    }

    fn arm(&mut self, name: DeadlineName, budget: Duration) {
        let phase = self.feed.phase();
        self.timers.arm(Timer::Deadline(name), phase, Instant::now(), budget);
    }
}

// The runtime refuses to wait only while it shuts down, and then it polls nothing any more.

async fn readable(stream: &Stream) {
    match &stream.pipe {
        Some(pipe) if pipe.ready().await.is_ok() => {}
        _ => pending().await,
    }
}

async fn writable(stdin: &Outbox) {
    match stdin.to_write() {
        Some(pipe) if pipe.ready().await.is_ok() => {}
        _ => pending().await,
    }
}

async fn exited(leader: &Leader) {
    if leader.exited().await.is_err() {
        pending().await
    }
}
