//! Layer 5 as far as no frame shows it: silence, exits, and replies that stderr held.

use std::time::Duration;

use model::{
    ACKNOWLEDGED, Cut, DeadlineName, Detail, ExitStatus, IdValue, Inconclusive, Layer, Level,
    MessageKind, Position, RuleId, StreamOffset, TailEnd,
};

use crate::detector::Accepted;
use crate::inspector::{Fixed, Inspector, Stdin, StdoutIs};
use crate::requests::{Match, Requests};
use crate::rule_set::Correlation;

/// Processor time is told in steps of a hundredth of a second: less than some of them prove nothing.
const LEAST_WINDOW: Duration = Duration::from_millis(50);

impl Inspector {
    pub(crate) fn stderr(&mut self, bytes: &[u8]) {
        if let Some(canary) = &mut self.canary {
            canary.stderr(bytes);
        }
        let requests = &mut self.requests;
        self.stderr.feed(bytes, |id| note_reply_on_stderr(requests, &id));
    }

    /// Takes stderr's last line as it is: what explains a silence may lack its newline.
    fn end_stderr_line(&mut self) {
        let requests = &mut self.requests;
        self.stderr.end_line(|id| note_reply_on_stderr(requests, &id));
    }

    pub(crate) fn deadline(&mut self, name: DeadlineName) {
        match name {
            DeadlineName::Startup | DeadlineName::Reply => {
                self.requests.overdue();
                self.end_tail(TailEnd::Deadline);
                self.without_reply(RuleId::NoResponse, Detail::None);
            }
            DeadlineName::ExitGrace => self.without_reply_or(RuleId::StdoutClosed, Detail::None),
            DeadlineName::ShutdownEof => self.lifecycle(RuleId::NoExitAtEof, Detail::None),
            DeadlineName::ShutdownTerm => self.lifecycle(RuleId::IgnoredSigterm, Detail::None),
            DeadlineName::ShutdownKill => {}
            DeadlineName::Total => self.stop(Inconclusive::TotalTimeout),
        }
    }

    pub(crate) fn exited(&mut self, status: ExitStatus) {
        if self.cut == Cut::ByUs || self.rules.correlation == Correlation::Off {
            return;
        }
        let detail = Detail::Exit(status);
        if self.stdin == Stdin::ClosedByUs {
            if status != ExitStatus::SUCCESS {
                self.lifecycle(RuleId::NonzeroExit, detail);
            }
            if !self.requests.any_overdue() {
                for _ in 0..self.requests.pending() {
                    self.lifecycle(RuleId::LostAtEof, Detail::None);
                }
            }
        } else if !self.requests.any_pending() {
            self.lifecycle(RuleId::ExitWhileIdle, detail);
        } else if self.complete_frames == 0 {
            self.without_reply(RuleId::ExitBeforeFrame, detail);
        } else {
            self.without_reply(RuleId::ExitBeforeResponse, detail);
        }
    }

    /// A process that only waits uses next to nothing; one that has written nothing may still be
    /// starting, which is work.
    pub(crate) fn usage(&mut self, cpu: Duration, wall: Duration) {
        if self.total > 0 && wall >= LEAST_WINDOW && cpu >= wall / 10 {
            let rule = match self.stdout_is {
                StdoutIs::Read => RuleId::BusyAtEof,
                StdoutIs::LeftByUs => RuleId::StdoutWriteRetry,
            };
            self.lifecycle(rule, Detail::None);
        }
    }

    /// What stderr did not hold is known when everything is over.
    pub(crate) fn canary_missing(&mut self) {
        let missing = self.canary.as_ref().is_some_and(|canary| !canary.was_on_stderr());
        let on = self.rules.correlation == Correlation::On;
        if missing && on && self.inconclusive.is_none() && self.is_whole() {
            self.lifecycle(RuleId::CanaryMissing, Detail::None);
        }
    }

    /// Whether the session came to its end: stdin was closed by us, and every request that was
    /// waited for was settled. What was still open when stdin was closed in good order may be
    /// lost, which is no fault; and where nothing was asked, nothing can be missing.
    pub(crate) fn is_whole(&self) -> bool {
        let answered = self.accepted_any() || self.requests.is_empty();
        self.stdin == Stdin::ClosedByUs && answered && !self.requests.any_overdue()
    }

    /// Whether a message is a reply, or what stands for one: the acknowledgement of a request
    /// that stays open.
    pub(crate) fn settles_a_request(&mut self, message: &Accepted) -> bool {
        match message.kind {
            MessageKind::Result | MessageKind::Error => true,
            MessageKind::Notification => {
                message.method.as_deref() == Some(ACKNOWLEDGED) && self.requests.acknowledge()
            }
            MessageKind::Request => false,
        }
    }

    /// The oldest pending request will get no reply; if stderr held it, that is the reason.
    fn without_reply(&mut self, rule: RuleId, detail: Detail) {
        if self.requests.any_pending() {
            self.without_reply_or(rule, detail);
        }
    }

    fn without_reply_or(&mut self, rule: RuleId, detail: Detail) {
        self.end_stderr_line();
        if self.requests.oldest_is_on_stderr() && self.rules.knows(RuleId::RepliedOnStderr) {
            self.lifecycle(RuleId::RepliedOnStderr, Detail::None);
        } else {
            self.lifecycle(rule, detail);
        }
    }

    /// A rule of layer 5 that no frame shows.
    pub(crate) fn lifecycle(&mut self, rule: RuleId, detail: Detail) {
        if self.fixed == Fixed::Yes {
            return;
        }
        self.layers.insert(Layer::Lifecycle);
        let level = self.rules.level(rule, self.context());
        if level == Level::Legal {
            return;
        }
        let position = Position::AfterFrames { stream: StreamOffset(self.total) };
        let finding = self.finding(rule, level, position, detail, None);
        self.record(finding);
    }
}

fn note_reply_on_stderr(requests: &mut Requests, id: &IdValue) {
    if let Match::Pending { index } = requests.find(id) {
        requests.replied_on_stderr(index);
    }
}
