//! The end of a session: the shutdown ladder, the exit, the leak window, and what is left of the
//! process group.

use std::future::Future;
use std::time::Duration;

use model::{
    Cleanliness, Cleanup, DeadlineName, EventKind, Held, LadderStep, LadderStepName, Phase,
    ReapState, SentSignal, Side, Signal,
};
use tokio::time::Instant;

use super::state::{Patience, Rung, Stage, StreamEnd, Unwritten};
use super::{Driver, Timer};
use crate::process::Outlived;
use crate::telemetry::{Ending, Telemetry};

/// The leak window of a session that was stopped.
const LITTLE_PATIENCE: Duration = Duration::from_millis(200);

impl Driver<'_, '_, '_> {
    /// Ends the session and begins the shutdown, unless that has happened.
    pub(super) fn end_session(&mut self, ending: Ending, unwritten: Unwritten) {
        if !matches!(self.stage, Stage::Running | Stage::Grace) {
            return;
        }
        self.ending = Some(ending);
        self.timers.disarm_step();
        self.timers.disarm_total();
        // What comes now is read as it comes.
        self.pace = None;
        self.paused_until = None;
        self.feed.push(EventKind::StepBegan(Phase::Shutdown));
        match unwritten {
            Unwritten::Write => {
                self.stage = Stage::Ladder(Rung::Unwritten);
                self.write();
                if self.stage == Stage::Ladder(Rung::Unwritten) {
                    self.arm(DeadlineName::ShutdownEof, self.budgets.shutdown);
                }
            }
            Unwritten::Discard => {
                self.drain_room.get_or_insert(self.caps.stdout_drain);
                self.end_stdin();
            }
        }
    }

    /// Closes stdin, if the server has not closed it, and awaits the exit.
    fn end_stdin(&mut self) {
        self.stage = Stage::Ladder(Rung::EndOfStdin);
        if self.stdin.is_open() {
            self.stdin.close(Side::Client, self.feed);
            self.step(LadderStepName::CloseStdin);
        }
        self.arm(DeadlineName::ShutdownEof, self.budgets.shutdown);
        // A server that ends in time is not looked at, since that reads of every process.
        let half = self.budgets.shutdown / 2;
        self.timers.arm_look(self.feed.phase(), Instant::now(), half);
    }

    /// Notes what the server, which goes on after the end of stdin, has used so far.
    pub(super) fn look_at_usage(&mut self) {
        self.used_at_look = self.leader.processor_time().map(|used| (used, Instant::now()));
    }

    /// Says what the server used since it was looked at.
    fn tell_usage(&mut self) {
        if let Some((before, since)) = self.used_at_look.take()
            && let Some(now) = self.leader.processor_time()
        {
            let cpu = now.saturating_sub(before);
            self.feed.push(EventKind::Usage { cpu, wall: since.elapsed() });
        }
    }

    /// Closes stdin if that only waited for what was still to be written.
    pub(super) fn end_stdin_if_written(&mut self) {
        if self.stage == Stage::Ladder(Rung::Unwritten) && self.stdin.to_write().is_none() {
            self.end_stdin();
        }
    }

    pub(super) fn deadline_passed(&mut self, name: DeadlineName) {
        match name {
            DeadlineName::Startup
            | DeadlineName::Reply
            | DeadlineName::ExitGrace
            | DeadlineName::Total => {
                self.timeout_phase = Some(self.feed.phase());
                self.at_deadline = self.leader.activity();
                self.stdin_at_deadline = self.stdin.untaken();
                self.feed.push(EventKind::Deadline(name));
                self.end_session(Ending::Deadline(name), Unwritten::Discard);
            }
            DeadlineName::ShutdownEof if self.stage == Stage::Ladder(Rung::Unwritten) => {
                // It did not read what waited, and only from now on can it see the end of stdin.
                self.end_stdin();
            }
            DeadlineName::ShutdownEof => {
                self.tell_usage();
                self.feed.push(EventKind::Deadline(name));
                self.terminate();
            }
            DeadlineName::ShutdownTerm => {
                self.feed.push(EventKind::Deadline(name));
                self.kill();
            }
            DeadlineName::ShutdownKill => {
                self.feed.push(EventKind::Deadline(name));
                self.stage = Stage::Over;
            }
        }
    }

    fn terminate(&mut self) {
        self.leader.terminate();
        self.sent(&[Signal::Term, Signal::Cont]);
        self.feed.push(EventKind::Signalled(Signal::Term));
        self.step(LadderStepName::Terminate);
        self.stage = Stage::Ladder(Rung::Terminated);
        self.arm(DeadlineName::ShutdownTerm, self.budgets.shutdown);
    }

    fn kill(&mut self) {
        self.leader.kill();
        self.sent(&[Signal::Kill]);
        self.feed.push(EventKind::Signalled(Signal::Kill));
        self.step(LadderStepName::Kill);
        self.stage = Stage::Ladder(Rung::Killed);
        self.arm(DeadlineName::ShutdownKill, self.budgets.shutdown);
    }

    /// Ends the session at once: stdin is closed and SIGTERM sent without a wait between them.
    /// Once SIGTERM was sent or the process has ended, everything goes on as it does anyway.
    pub(super) fn stop(&mut self, ending: Ending) {
        match self.stage {
            Stage::Running | Stage::Grace => {}
            Stage::Ladder(Rung::Unwritten | Rung::EndOfStdin) => {}
            Stage::Ladder(Rung::Terminated | Rung::Killed)
            | Stage::AfterExit
            | Stage::Reaped
            | Stage::Over => return,
        }
        if self.leader.has_exited() {
            return self.leader_exited();
        }
        self.feed.push(EventKind::Stopped);
        self.end_session(ending, Unwritten::Discard);
        if self.stage == Stage::Ladder(Rung::Unwritten) {
            self.end_stdin();
        }
        self.ending = Some(ending);
        self.patience = Patience::Little;
        self.terminate();
    }

    /// Kills everything, and waits for nothing but the exit of what was killed.
    pub(super) fn kill_at_once(&mut self) {
        self.patience = Patience::None;
        match self.stage {
            Stage::Running
            | Stage::Grace
            | Stage::Ladder(Rung::Unwritten | Rung::EndOfStdin | Rung::Terminated) => {
                if self.leader.has_exited() {
                    return self.leader_exited();
                }
                if self.ending != Some(Ending::Stopped) {
                    self.feed.push(EventKind::Stopped);
                }
                self.end_session(Ending::Stopped, Unwritten::Discard);
                self.ending = Some(Ending::Stopped);
                self.kill();
            }
            Stage::AfterExit | Stage::Reaped => self.arm_leak_window(),
            Stage::Ladder(Rung::Killed) | Stage::Over => {}
        }
    }

    /// The launched process has ended, and is not reaped yet.
    pub(super) fn leader_exited(&mut self) {
        if self.exited_at.is_some() {
            return;
        }
        self.exited_at = Some(Instant::now());
        // All that it wrote itself is in the pipes by now.
        self.look_at_stderr();
        self.look_at_stdout();
        self.ending.get_or_insert(Ending::Exited);
        self.timers.disarm_step();
        self.timers.disarm_total();
        if self.stdout.is_open() {
            self.stage = Stage::AfterExit;
            self.feed.push(EventKind::StepBegan(Phase::AfterExit));
            self.arm_leak_window();
        } else {
            self.conclude(None);
        }
    }

    fn arm_leak_window(&mut self) {
        let since = self.exited_at.unwrap_or_else(Instant::now);
        let phase = self.feed.phase();
        self.timers.arm(Timer::LeakWindow, phase, since, self.leak_window());
    }

    /// How long descendants may outlive the launched process.
    fn leak_window(&self) -> Duration {
        match self.patience {
            Patience::Usual => self.budgets.leak_window,
            Patience::Little => self.budgets.leak_window.min(LITTLE_PATIENCE),
            Patience::None => Duration::ZERO,
        }
    }

    pub(super) fn leak_window_ended(&mut self) {
        match self.stage {
            Stage::AfterExit => {
                self.stdout.close(StreamEnd::Held);
                self.conclude(Some(Held::Open));
            }
            _ => {
                self.stderr.close(StreamEnd::Held);
                self.stderr_ended();
            }
        }
    }

    /// Reaps the process. `window` says how stdout was found when its leak window ended; None if
    /// it needed no window.
    pub(super) fn conclude(&mut self, window: Option<Held>) {
        self.look_at_stderr();
        if let Some(stdout) = window {
            self.feed.push(EventKind::LeakWindowEnded { stdout });
        }
        if let Some((status, usage)) = self.leader.reap() {
            self.usage = usage;
            self.child_reaped = ReapState::Reaped;
            self.exit_status = Some(status);
            self.step(LadderStepName::Reap);
            self.feed.push(EventKind::Exited(status));
        }
        self.stage = Stage::Reaped;
        self.arm_leak_window();
        self.stderr_ended();
    }

    /// Goes on once stderr is no longer read, if that is all that was awaited.
    pub(super) fn stderr_ended(&mut self) {
        if self.stage == Stage::Reaped && !self.stderr.is_open() {
            self.timers.disarm_step();
            self.stage = Stage::Over;
        }
    }

    /// Deals with what is left of the process group. Its members have the rest of the leak window
    /// to end by themselves: a helper that ends with its parent is often a moment late.
    /// Once `hurry` completes, they have none of it left.
    pub(super) async fn sweep(&mut self, hurry: impl Future<Output = ()>) {
        let Some(exited_at) = self.exited_at.filter(|_| self.child_reaped == ReapState::Reaped)
        else {
            // It was killed, and the kernel does not let go of it. There is nothing else to do.
            self.leader.release();
            return;
        };
        let end = exited_at + self.leak_window();
        let found = tokio::select! {
            found = self.leader.outlived(end) => Some(found),
            () = hurry => None,
        };
        let found = match found {
            Some(found) => found,
            None => self.leader.outlived(Instant::now()).await,
        };
        self.strays = found;
        if let Outlived::Counted(strays @ 1..) = found {
            self.feed.push(EventKind::Census { strays });
        }
        if found != Outlived::Counted(0) {
            self.step(LadderStepName::KillStrays);
            if matches!(found, Outlived::Counted(_)) {
                self.sent(&[Signal::Kill]);
            }
            let left = self.leader.kill_strays(Instant::now() + self.budgets.shutdown).await;
            match (found, left) {
                (Outlived::Counted(strays), Outlived::Counted(left)) => {
                    self.strays_killed = strays.saturating_sub(left);
                }
                _ => self.strays = Outlived::Unseen,
            }
        }
        self.leader.release();
    }

    fn sent(&mut self, signals: &[Signal]) {
        let at = self.feed.elapsed();
        self.signals.extend(signals.iter().map(|signal| SentSignal { signal: *signal, at }));
    }

    fn step(&mut self, name: LadderStepName) {
        let at = self.feed.elapsed();
        self.steps.push(LadderStep { name, at });
    }

    /// Hands over what is known of the session.
    pub(super) fn report(self, telemetry: &mut Telemetry) {
        let ends = [self.stdout.end, self.stderr.end];
        let done = |end: &StreamEnd| matches!(end, StreamEnd::Reached | StreamEnd::Left);
        let readers = if ends.iter().all(done) {
            Cleanliness::Clean
        } else if ends.contains(&StreamEnd::Held) {
            Cleanliness::Leaked
        } else {
            Cleanliness::Unknown
        };
        let signalled = self
            .steps
            .iter()
            .any(|step| matches!(step.name, LadderStepName::Terminate | LadderStepName::Kill));
        let process = match (self.child_reaped, self.strays) {
            (ReapState::NotReaped | ReapState::NeverLaunched, _) | (_, Outlived::Unseen) => {
                Cleanliness::Unknown
            }
            (ReapState::Reaped, Outlived::Counted(1..)) => Cleanliness::Leaked,
            (ReapState::Reaped, Outlived::Counted(0)) if signalled => Cleanliness::Escalated,
            (ReapState::Reaped, Outlived::Counted(0)) => Cleanliness::Clean,
        };
        telemetry.cleanup = Cleanup {
            process,
            readers,
            child_reaped: self.child_reaped,
            strays: match self.strays {
                Outlived::Counted(count) => count,
                Outlived::Unseen => 0,
            },
            strays_killed: self.strays_killed,
            steps: self.steps,
            signals: self.signals,
            containment: telemetry.cleanup.containment.clone(),
            usage: self.usage,
            at_deadline: self.at_deadline,
            stdin_at_deadline: self.stdin_at_deadline,
        };
        telemetry.ending = self.ending;
        telemetry.exit_status = self.exit_status;
        telemetry.timeout_phase = self.timeout_phase;
        telemetry.deadlines = self.timers.into_records();
        telemetry.stderr = self.stderr_keeper.finish();
    }
}
