//! The deadlines that are running, and a record of each that ended.

use std::time::Duration;

use model::{DeadlineName, Phase};
use tokio::time::Instant;

use crate::telemetry::{DeadlineRecord, Expiry};

/// What a timer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    /// A deadline, which is an event when it passes.
    Deadline(DeadlineName),
    /// The time in which descendants may outlive the launched process.
    LeakWindow,
    /// The time for which a scenario waits for replies that it can do without.
    Patience,
    /// The time for which a scenario wants the server to be quiet.
    Quiet,
    /// The time after which it is worth a look what a server does that has not ended.
    Look,
}

#[derive(Clone, Copy, Debug)]
struct Armed {
    timer: Timer,
    phase: Phase,
    since: Instant,
    budget: Duration,
}

impl Armed {
    fn end(&self) -> Instant {
        end(self.since, self.budget)
    }
}

/// `budget` after `since`, or in the far future if no clock reaches that.
fn end(since: Instant, budget: Duration) -> Instant {
    const YEARS: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);
    since.checked_add(budget).unwrap_or_else(|| since + YEARS)
}

/// The timer of the step that is under way, beside that of the whole session.
pub(super) struct Timers {
    step: Option<Armed>,
    look: Option<Armed>,
    total: Option<Armed>,
    generation: u64,
    records: Vec<DeadlineRecord>,
}

impl Timers {
    /// Starts the timer of the whole session.
    pub(super) fn new(since: Instant, total: Duration) -> Self {
        Self {
            step: None,
            look: None,
            total: Some(Armed {
                timer: Timer::Deadline(DeadlineName::Total),
                phase: Phase::Launch,
                since,
                budget: total,
            }),
            generation: 0,
            records: Vec::new(),
        }
    }

    /// Starts the timer of a step, in place of the one before.
    pub(super) fn arm(&mut self, timer: Timer, phase: Phase, since: Instant, budget: Duration) {
        self.disarm_step();
        self.step = Some(Armed { timer, phase, since, budget });
    }

    /// Starts the timer of a look at the server while the step goes on, with which it ends.
    pub(super) fn arm_look(&mut self, phase: Phase, since: Instant, budget: Duration) {
        self.look = Some(Armed { timer: Timer::Look, phase, since, budget });
    }

    /// Ends the timer of the step: what it was for has happened, or no longer can.
    pub(super) fn disarm_step(&mut self) {
        self.look = None;
        let ended = self.step.take();
        self.end_one(ended, Expiry::NotExpired);
    }

    /// Ends the timer of the whole session.
    pub(super) fn disarm_total(&mut self) {
        let ended = self.total.take();
        self.end_one(ended, Expiry::NotExpired);
    }

    /// Ends a timer that has passed.
    pub(super) fn expire(&mut self, timer: Timer) {
        let slot = match timer {
            Timer::Deadline(DeadlineName::Total) => &mut self.total,
            Timer::Look => &mut self.look,
            _ => &mut self.step,
        };
        let ended = slot.take();
        self.end_one(ended, Expiry::Expired);
    }

    /// The timer that passes next, and when. Of two at the same moment, that of the step: it says
    /// more.
    pub(super) fn next(&self) -> Option<(Timer, Instant)> {
        self.step
            .iter()
            .chain(&self.look)
            .chain(&self.total)
            .map(|armed| (armed.timer, armed.end()))
            .min_by_key(|(_, end)| *end)
    }

    /// Changes whenever a timer was started or ended.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// Every deadline that was set, in the order in which they ended.
    pub(super) fn into_records(mut self) -> Vec<DeadlineRecord> {
        self.disarm_step();
        self.disarm_total();
        self.records
    }

    fn end_one(&mut self, ended: Option<Armed>, expiry: Expiry) {
        self.generation += 1;
        let Some(armed) = ended else { return };
        let Timer::Deadline(name) = armed.timer else {
            return;
        };
        self.records.push(DeadlineRecord {
            name,
            phase: armed.phase,
            budget: armed.budget,
            elapsed: armed.since.elapsed(),
            expiry,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLY: Timer = Timer::Deadline(DeadlineName::Reply);
    const TOTAL: Timer = Timer::Deadline(DeadlineName::Total);

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn the_one_that_passes_first_is_next_and_a_step_before_the_total() {
        let now = Instant::now();
        let mut timers = Timers::new(now, seconds(5));
        assert_eq!(timers.next(), Some((TOTAL, now + seconds(5))));
        timers.arm(REPLY, Phase::Call, now, seconds(5));
        assert_eq!(timers.next(), Some((REPLY, now + seconds(5))));
        timers.arm(REPLY, Phase::Call, now, seconds(6));
        assert_eq!(timers.next(), Some((TOTAL, now + seconds(5))));
        timers.disarm_total();
        assert_eq!(timers.next(), Some((REPLY, now + seconds(6))));
    }

    #[test]
    fn every_deadline_is_recorded_once_and_no_window() {
        let now = Instant::now();
        let mut timers = Timers::new(now, seconds(5));
        timers.arm(REPLY, Phase::Call, now, seconds(1));
        timers.arm(Timer::LeakWindow, Phase::AfterExit, now, seconds(2));
        timers.arm(REPLY, Phase::Call, now, seconds(3));
        timers.expire(REPLY);
        let told: Vec<_> = timers
            .into_records()
            .iter()
            .map(|record| (record.name, record.budget, record.expiry))
            .collect();
        assert_eq!(
            told,
            [
                (DeadlineName::Reply, seconds(1), Expiry::NotExpired),
                (DeadlineName::Reply, seconds(3), Expiry::Expired),
                (DeadlineName::Total, seconds(5), Expiry::NotExpired),
            ]
        );
    }

    #[test]
    fn a_look_ends_with_the_step_and_is_no_deadline() {
        let now = Instant::now();
        let mut timers = Timers::new(now, seconds(9));
        timers.arm(REPLY, Phase::Shutdown, now, seconds(4));
        timers.arm_look(Phase::Shutdown, now, seconds(2));
        assert_eq!(timers.next(), Some((Timer::Look, now + seconds(2))));
        timers.expire(Timer::Look);
        assert_eq!(timers.next(), Some((REPLY, now + seconds(4))));
        timers.arm_look(Phase::Shutdown, now, seconds(3));
        timers.disarm_step();
        assert_eq!(timers.next(), Some((TOTAL, now + seconds(9))));
        assert_eq!(timers.into_records().len(), 2);
    }

    #[test]
    fn a_budget_may_be_longer_than_any_clock() {
        let mut timers = Timers::new(Instant::now(), Duration::MAX);
        timers.arm(REPLY, Phase::Call, Instant::now(), seconds(1));
        assert_eq!(timers.next().map(|(timer, _)| timer), Some(REPLY));
    }
}
