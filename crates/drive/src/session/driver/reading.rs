//! Reading what the server writes.

use std::borrow::Cow;

use model::{CapName, DeadlineName, EventKind, Held};
use tokio::time::Instant;

use super::Driver;
use super::state::{Stage, StreamEnd, Unwritten};
use crate::pipe::{Got, PipeReader};
use crate::telemetry::Ending;

/// What is known before a read.
#[derive(Clone, Copy)]
pub(super) enum Before {
    /// The pipe has something, or had.
    Ready,
    /// Nothing.
    Unknown,
}

impl Driver<'_, '_, '_> {
    /// Reads stdout once and acts on what came.
    pub(super) fn read_stdout(&mut self, before: Before) -> Got {
        let Some(pipe) = &mut self.stdout.pipe else {
            return Got::End;
        };
        let room = self.drain_room.unwrap_or(u64::MAX).min(self.stdout_room);
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        // One byte more tells an output that goes beyond its room from one that just fills it.
        let limit = room.saturating_add(1);
        let limit = self.pace.map_or(limit, |pace| limit.min(pace.bytes));
        let got = match before {
            Before::Ready => pipe.read_ready(limit),
            Before::Unknown => pipe.read_now(limit),
        };
        match got {
            Ok(Got::Bytes(count)) => {
                self.paused_until = self.pace.map(|pace| Instant::now() + pace.pause);
                let bytes = &pipe.bytes(count)[..count.min(room)];
                let taken = bytes.len() as u64;
                self.stdout_room -= taken;
                self.drain_room = self.drain_room.map(|drain| drain - taken);
                if taken > 0 {
                    let step = self.feed.push(EventKind::Stdout(Cow::Borrowed(bytes)));
                    // Before it is acted on: what it leads to may be another quiet while.
                    self.disturbed();
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
    pub(super) fn read_stderr(&mut self, before: Before) -> Got {
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
                self.disturbed();
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
    pub(super) fn look(&mut self, read: fn(&mut Self, Before) -> Got, capacity: Option<usize>) {
        let mut left = capacity.unwrap_or(0);
        while left > 0 {
            match read(self, Before::Unknown) {
                Got::Bytes(count) => left = left.saturating_sub(count),
                Got::Nothing | Got::End => break,
            }
        }
    }

    pub(super) fn look_at_stdout(&mut self) {
        let capacity = self.stdout.pipe.as_ref().map(PipeReader::capacity);
        self.look(Self::read_stdout, capacity);
    }

    pub(super) fn look_at_stderr(&mut self) {
        let capacity = self.stderr.pipe.as_ref().map(PipeReader::capacity);
        self.look(Self::read_stderr, capacity);
    }

    pub(super) fn stdout_ended(&mut self) {
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
    }

    /// Stops reading stdout: there was more of it than there was room for.
    pub(super) fn cut_stdout(&mut self) {
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
}
