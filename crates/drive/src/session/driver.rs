//! The event loop of one session: what is waited for, the steps of the plan, the deadlines.
//! Reading, and what happens once the session is over, are the business of its sub-modules.
//!
//! Everything but the waiting is synchronous, so what is done on one piece of news is done before
//! the next is looked for. In particular the next step's messages are pushed before stdout is read
//! again.

mod reading;
mod shutdown;
mod state;

use std::future::{Future, pending, ready};
use std::io;
use std::pin::{Pin, pin};
use std::time::Duration;

use inspect::{State, Step};
use model::{
    Activity, DeadlineName, EventKind, ExitStatus, LadderStep, MessageKind, Phase, ReapState,
    ResourceUsage, SentSignal, Untaken,
};
use tokio::time::{Instant, sleep_until};

use self::reading::Before;
use self::state::{Patience, Stage, Stream, StreamEnd, Unwritten};
use super::Session;
use super::timers::{Timer, Timers};
use crate::budget::{Budgets, Caps};
use crate::feed::Feed;
use crate::launch::LaunchError;
use crate::outbox::Outbox;
use crate::pipe::{PipeReader, PipeWriter};
use crate::plan::{Action, Client, Outgoing, answer};
use crate::process::{Launched, Leader, Outlived};
use crate::scenario::Pace;
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
    /// How long the server has to be quiet, and when that is no longer waited for.
    quiet: Option<Quiet>,
    /// How slowly stdout is read. None for as it comes.
    pace: Option<Pace>,
    /// When stdout is read again.
    paused_until: Option<Instant>,
    exited_at: Option<Instant>,
    /// The processor time that was used some time after stdin was closed, and when that was.
    used_at_look: Option<(Duration, Instant)>,
    turns: u32,
    patience: Patience,
    ending: Option<Ending>,
    timeout_phase: Option<Phase>,
    exit_status: Option<ExitStatus>,
    child_reaped: ReapState,
    strays: Outlived,
    strays_killed: u32,
    steps: Vec<LadderStep>,
    signals: Vec<SentSignal>,
    usage: Option<ResourceUsage>,
    at_deadline: Option<Activity>,
    stdin_at_deadline: Option<Untaken>,
}

/// A wait for the server to be quiet.
#[derive(Clone, Copy)]
struct Quiet {
    quiet: Duration,
    until: Instant,
}

/// What the loop woke up for.
enum Wake {
    Stdout,
    Stderr,
    Exit,
    Stdin,
    Timer,
    Stop,
    Kill,
    /// A slow reader reads again.
    Resume,
    /// Nothing: a busy pipe waited while everything else had its turn.
    Turn,
}

impl<'s, 'f, 'a> Driver<'s, 'f, 'a> {
    /// Takes over a child that was just launched.
    ///
    /// # Errors
    ///
    /// If the machine has no room to watch it. Then it has been killed and reaped.
    pub(super) fn new(
        session: &'s Session,
        launched: Launched,
        feed: &'f mut Feed<'a>,
    ) -> Result<Self, LaunchError> {
        let watched = || -> io::Result<_> {
            let leader = Leader::new(launched.process)?;
            let stdin = PipeWriter::new(launched.stdin)?;
            let stdout = PipeReader::new(launched.stdout)?;
            let stderr = PipeReader::new(launched.stderr)?;
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
            quiet: None,
            pace: None,
            paused_until: None,
            exited_at: None,
            used_at_look: None,
            turns: 0,
            patience: Patience::Usual,
            ending: None,
            timeout_phase: None,
            exit_status: None,
            child_reaped: ReapState::NotReaped,
            strays: Outlived::Counted(0),
            strays_killed: 0,
            steps: Vec::new(),
            signals: Vec::new(),
            usage: None,
            at_deadline: None,
            stdin_at_deadline: None,
            feed,
            budgets,
            caps,
        })
    }

    /// Plays the session to its end and cleans up.
    pub(super) async fn run(
        mut self,
        mut stop: Pin<&mut impl Future<Output = ()>>,
        mut kill: Pin<&mut impl Future<Output = ()>>,
        telemetry: &mut Telemetry,
    ) {
        let mut sleep = pin!(sleep_until(Instant::now()));
        let mut stopped = false;
        let mut killed = false;
        let first = self.client.start();
        self.perform(first);
        self.heed_verdict();
        while self.stage != Stage::Over {
            let (_, end) = self.timers.next().expect("every stage but the last has a timer");
            if sleep.deadline() != end {
                sleep.as_mut().reset(end);
            }
            let reads = self.paused_until.is_none() && !self.is_turn_after(STDOUT_TURNS);
            let wake = tokio::select! {
                biased;
                () = readable(&self.stdout), if reads => Wake::Stdout,
                () = readable(&self.stderr), if !self.is_turn_after(PIPE_TURNS) => Wake::Stderr,
                () = exited(&self.leader), if self.exited_at.is_none() => Wake::Exit,
                () = writable(&self.stdin) => Wake::Stdin,
                () = sleep.as_mut() => Wake::Timer,
                () = stop.as_mut(), if !stopped => Wake::Stop,
                () = kill.as_mut(), if !killed => Wake::Kill,
                () = paused(self.paused_until) => Wake::Resume,
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
                Wake::Kill => {
                    killed = true;
                    self.kill_at_once();
                }
                Wake::Resume => self.paused_until = None,
                // The runtime's own timers and signals have their turn too, or a flood would
                // keep every deadline from passing.
                Wake::Turn => tokio::task::yield_now().await,
            }
            self.heed_verdict();
            self.turns = match wake {
                Wake::Stdout | Wake::Stderr | Wake::Turn => self.turns.wrapping_add(1),
                _ => 0,
            };
        }
        let hurry = async {
            if !killed {
                kill.await;
            }
        };
        self.sweep(hurry).await;
        self.report(telemetry);
    }

    fn is_turn_after(&self, turns: u32) -> bool {
        self.turns % turns == turns - 1
    }

    /// Acts on what the detector made of bytes of stdout.
    fn act(&mut self, step: Step) {
        if self.stage == Stage::Running && step.state != State::Final {
            for accepted in step.accepted {
                match accepted.kind {
                    MessageKind::Request => {
                        if self.client.answers_requests()
                            && self.stdin.waiting_bytes() <= MAX_WAITING_BYTES
                            && let Some(answer) = answer(&accepted)
                        {
                            self.send(answer);
                        }
                    }
                    MessageKind::Result | MessageKind::Error | MessageKind::Notification => {
                        self.client.take(accepted);
                    }
                }
            }
            if step.state == State::Awaited && self.client.awaits_replies() {
                self.go_on();
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
        for action in actions {
            match action {
                Action::Begin(phase) => {
                    self.feed.push(EventKind::StepBegan(phase));
                }
                Action::Send(outgoing) => self.send(outgoing),
                Action::Untested(untested) => {
                    self.feed.push(EventKind::Untested(untested));
                }
                Action::GiveUp => {
                    self.feed.push(EventKind::GaveUp);
                }
                Action::ReadSlowly(pace) => self.pace = Some(pace),
                Action::CloseStdout => {
                    self.stdout.close(StreamEnd::Left);
                    self.feed.push(EventKind::StdoutClosed);
                }
                Action::AwaitReplies => self.await_reply(),
                Action::AwaitRepliesWithin(budget) => {
                    self.timers.arm(Timer::Patience, self.feed.phase(), Instant::now(), budget);
                }
                Action::AwaitQuiet { quiet, at_most } => {
                    let now = Instant::now();
                    self.quiet = Some(Quiet { quiet, until: now + at_most });
                    self.timers.arm(Timer::Quiet, self.feed.phase(), now, quiet);
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
            Timer::Patience => {
                self.feed.push(EventKind::GaveUp);
                self.client.give_up();
                self.go_on();
            }
            Timer::Quiet => {
                self.quiet = None;
                self.go_on();
            }
            Timer::Look => self.look_at_usage(),
        }
    }

    fn go_on(&mut self) {
        let actions = self.client.proceed();
        self.perform(actions);
    }

    /// The server wrote something: what was to be a quiet while begins anew, unless it has
    /// lasted long enough.
    fn disturbed(&mut self) {
        let now = Instant::now();
        if let Some(Quiet { quiet, until }) = self.quiet
            && self.stage == Stage::Running
            && now < until
        {
            let budget = quiet.min(until - now);
            self.timers.arm(Timer::Quiet, self.feed.phase(), now, budget);
        }
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

async fn paused(until: Option<Instant>) {
    match until {
        Some(until) => sleep_until(until).await,
        None => pending().await,
    }
}
