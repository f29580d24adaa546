//! The detector: takes events, ends frames, keeps the first violation.
//!
//! What a single frame shows is judged in `judge`; what no frame shows is judged here.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use model::{
    Advice, Cut, Detail, Event, EventKind, Finding, FrameBytes, FrameNo, FrameOffset, Held,
    Inconclusive, KeepBody, Layer, Level, LevelContext, NotChecked, Outcome, Phase, Position,
    ProtocolVersion, RawId, RuleId, Sent, Side, StreamOffset, TailEnd, Verdict,
};

use crate::canary::Canary;
use crate::detector::{Accepted, Detector, State, Step};
use crate::envelope::Batch;
use crate::frame::{Frame, Retain};
use crate::mcp::{self, Declared, McpSession};
use crate::passing::Decoded;
use crate::plain::PlainReader;
use crate::requests::{Requests, compared};
use crate::rule_set::{Correlation, RuleSet};
use crate::stderr::StderrWatch;

/// The true detector.
#[derive(Debug)]
pub struct Inspector {
    pub(crate) rules: RuleSet,
    pub(crate) frame: Frame,
    pub(crate) plain: PlainReader,
    reading: Reading,
    frame_no: FrameNo,
    /// The offset in the stream at which the current frame begins.
    frame_start: u64,
    /// Bytes of stdout read and judged.
    pub(crate) total: u64,
    pub(crate) complete_frames: u64,
    pub(crate) stderr: StderrWatch,
    pub(crate) canary: Option<Canary>,
    pub(crate) requests: Requests,
    pub(crate) session: McpSession,
    pub(crate) notification: NotificationWindow,
    pub(crate) version: Option<ProtocolVersion>,
    /// Whether the server answered initialize with a revision that nobody knows.
    pub(crate) revision_is_unknown: bool,
    phase: Phase,
    /// The phase in which the last byte of the current frame was read.
    frame_phase: Phase,
    pub(crate) stdin: Stdin,
    /// Whether bytes of ours were no message, so that anything may be said of them.
    pub(crate) malformed: Malformed,
    pub(crate) stdout_is: StdoutIs,
    pub(crate) cut: Cut,
    now: Duration,
    advice: BTreeMap<RuleId, Advice>,
    violation: Option<Finding>,
    pub(crate) inconclusive: Option<Inconclusive>,
    pub(crate) fixed: Fixed,
    accepted: u64,
    pub(crate) layers: BTreeSet<Layer>,
    pub(crate) not_checked: BTreeSet<NotChecked>,
}

/// Whether bytes of the current frame have been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Between,
    Inside,
}

/// Whether an error without an id would be a reply to a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotificationWindow {
    Shut,
    Open,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stdin {
    Open,
    ClosedByUs,
}

/// Whether we sent bytes that are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Malformed {
    NotSent,
    Sent,
}

/// Whether we read stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StdoutIs {
    Read,
    LeftByUs,
}

/// Whether the verdict can still change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fixed {
    No,
    Yes,
}

/// What ended a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameEnd {
    /// 0x0A.
    Newline,
    /// The frame is larger than is read.
    Cap,
    /// The output ended inside it.
    Tail(TailEnd),
}

/// A rule met inside the current frame.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) rule: RuleId,
    pub(crate) at: u64,
    pub(crate) context: LevelContext,
    pub(crate) detail: Detail,
}

/// Whether a frame may go on to the next layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passage {
    Open,
    Blocked,
}

impl Inspector {
    /// A detector for one run.
    #[must_use]
    pub fn new(rules: RuleSet) -> Self {
        let mut not_checked = BTreeSet::new();
        if rules.schema.is_none() {
            not_checked.insert(NotChecked::Schema);
        }
        let canary = rules.canary.as_deref().and_then(Canary::new);
        let version = match rules.correlation {
            // Before the initialize reply the strictest common rules hold.
            Correlation::On => {
                not_checked.insert(NotChecked::ToolCalls);
                None
            }
            Correlation::Off => {
                not_checked.insert(NotChecked::Correlation);
                rules.protocol
            }
        };
        Self {
            rules,
            frame: Frame::new(),
            plain: PlainReader::default(),
            reading: Reading::Between,
            frame_no: FrameNo::FIRST,
            frame_start: 0,
            total: 0,
            complete_frames: 0,
            stderr: StderrWatch::new(),
            canary,
            requests: Requests::default(),
            session: McpSession::default(),
            notification: NotificationWindow::Shut,
            version,
            revision_is_unknown: false,
            phase: Phase::Launch,
            frame_phase: Phase::Launch,
            stdin: Stdin::Open,
            malformed: Malformed::NotSent,
            stdout_is: StdoutIs::Read,
            cut: Cut::Not,
            now: Duration::ZERO,
            advice: BTreeMap::new(),
            violation: None,
            inconclusive: None,
            fixed: Fixed::No,
            accepted: 0,
            layers: BTreeSet::new(),
            not_checked,
        }
    }

    fn stdout(&mut self, bytes: &[u8], accepted: &mut Vec<Accepted>) {
        self.frame_phase = self.phase;
        let mut rest = bytes;
        let mut decoded = Decoded::NotYet;
        while self.fixed == Fixed::No {
            if self.reading == Reading::Between {
                rest = &rest[self.pass_plain(rest, &mut decoded)..];
            }
            if rest.is_empty() {
                return;
            }
            let newline = memchr::memchr(b'\n', rest);
            let content = &rest[..newline.unwrap_or(rest.len())];
            if self.reading == Reading::Between {
                self.begin_frame();
            }
            let room = self.rules.max_frame_bytes.saturating_sub(self.frame.len());
            let over = content.len() as u64 > room
                && self.rules.level(RuleId::OversizedFrame, LevelContext::default()) == Level::Must;
            if over {
                let content = &content[..room as usize];
                self.frame.feed(content);
                self.total += content.len() as u64;
                self.end_frame(FrameEnd::Cap, accepted);
                return;
            }
            if let Some(canary) = &mut self.canary {
                canary.stdout(content, self.frame.len());
            }
            self.frame.feed(content);
            self.total += content.len() as u64;
            rest = &rest[content.len()..];
            if newline.is_some() {
                self.total += 1;
                rest = &rest[1..];
                self.complete_frames += 1;
                self.end_frame(FrameEnd::Newline, accepted);
            }
        }
    }

    fn request_sent(
        &mut self,
        id: &RawId,
        method: &str,
        params: Option<&str>,
        keep_body: KeepBody,
    ) {
        let declared = Declared::of(params);
        self.session.sent(&compared(id), method, &declared);
        // In the era without a handshake each request says which revision it is of.
        if let Some(version) = declared.protocol() {
            self.version = self.version.or(self.rules.protocol).or(Some(version));
        }
        self.requests.sent(id, method, keep_body, declared);
    }

    fn begin_frame(&mut self) {
        self.reading = Reading::Inside;
        let batches_are_legal =
            self.rules.level(RuleId::BatchArray, self.context()) == Level::Legal;
        let batch = if batches_are_legal { Batch::Open } else { Batch::Closed };
        let retain = match self.rules.schema {
            _ if self.requests.keeps_bodies() => Retain::Whole,
            Some(_) => Retain::UpTo(mcp::most_bytes(self.rules.correlation)),
            None => Retain::Prefix,
        };
        self.frame.begin(batch, retain);
        if let Some(canary) = &mut self.canary {
            canary.begin_frame();
        }
    }

    fn end_frame(&mut self, end: FrameEnd, accepted: &mut Vec<Accepted>) {
        self.judge_frame(end, accepted);
        self.reading = Reading::Between;
        self.frame_no = self.frame_no.next();
        self.frame_start = self.total;
    }

    /// Ends a frame of this length that was read without the exact machine.
    pub(crate) fn end_plain(&mut self, len: u64) {
        self.accept(1);
        self.total += len + 1;
        self.complete_frames += 1;
        self.frame_no = self.frame_no.next();
        self.frame_start = self.total;
    }

    /// Ends a frame that no newline ended.
    pub(crate) fn end_tail(&mut self, end: TailEnd) {
        if self.reading == Reading::Inside {
            self.end_frame(FrameEnd::Tail(end), &mut Vec::new());
        }
    }

    /// The context of a rule that depends on the revision alone.
    pub(crate) fn context(&self) -> LevelContext {
        LevelContext { version: self.version, ..LevelContext::default() }
    }

    /// Records what one layer found in the current frame, in the order of findings, up to the
    /// first violation.
    pub(crate) fn settle(&mut self, layer: Layer, mut found: Vec<Found>) -> Passage {
        self.layers.insert(layer);
        found.sort_by_key(|found| (found.at, found.rule));
        let mut passage = Passage::Open;
        for found in found {
            let level = self.rules.level(found.rule, found.context);
            if level == Level::Legal {
                continue;
            }
            // What the user allows does not become a message by being allowed.
            if found.rule.rule().level_in(found.context) == Level::Must {
                passage = Passage::Blocked;
            }
            let finding = self.finding_in_frame(level, found);
            self.record(finding);
            if level == Level::Must {
                return Passage::Blocked;
            }
        }
        passage
    }

    fn finding_in_frame(&self, level: Level, found: Found) -> Finding {
        let position = Position::InFrame {
            frame: self.frame_no,
            byte: FrameOffset(found.at),
            stream: StreamOffset(self.frame_start + found.at),
        };
        let bytes = Some(self.frame.bytes());
        let finding = self.finding(found.rule, level, position, found.detail, bytes);
        Finding { phase: self.frame_phase, ..finding }
    }

    pub(crate) fn finding(
        &self,
        rule: RuleId,
        level: Level,
        position: Position,
        detail: Detail,
        frame_bytes: Option<FrameBytes>,
    ) -> Finding {
        Finding {
            rule,
            level,
            position,
            phase: self.phase,
            pending: self.requests.oldest_pending(),
            at: self.now,
            detail,
            frame_bytes,
        }
    }

    pub(crate) fn record(&mut self, finding: Finding) {
        debug_assert!(self.fixed == Fixed::No, "the first violation is final");
        if finding.level == Level::Must {
            self.violation = Some(finding);
            self.fixed = Fixed::Yes;
            return;
        }
        // Both events that show a leaked descendant tell of the same process.
        let once = finding.rule == RuleId::LeakedDescendant;
        self.advice
            .entry(finding.rule)
            .and_modify(|advice| advice.count += u64::from(!once))
            .or_insert(Advice { finding, count: 1 });
    }

    /// Counts accepted messages.
    pub(crate) fn accept(&mut self, messages: usize) {
        self.accepted += messages as u64;
    }

    /// Whether any message was accepted.
    pub(crate) fn accepted_any(&self) -> bool {
        self.accepted > 0
    }

    /// Whether the verdict can no longer change.
    pub(crate) fn is_fixed(&self) -> bool {
        self.fixed == Fixed::Yes
    }

    /// Whether we are the reason why the stream ends.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut == Cut::ByUs
    }

    /// The run proves nothing, and nothing later can change that.
    pub(crate) fn stop(&mut self, reason: Inconclusive) {
        self.inconclusive.get_or_insert(reason);
        self.fixed = Fixed::Yes;
    }

    fn outcome(&mut self) -> Outcome {
        if let Some(finding) = self.violation.take() {
            return Outcome::Violation(Box::new(finding));
        }
        if let Some(reason) = self.inconclusive.take() {
            return Outcome::Inconclusive(reason);
        }
        match self.rules.correlation {
            Correlation::Off if self.accepted == 0 => {
                Outcome::Inconclusive(Inconclusive::NothingToJudge)
            }
            Correlation::Off => Outcome::ValidStdout,
            Correlation::On => {
                if self.is_whole() {
                    Outcome::ValidStdout
                } else {
                    Outcome::Inconclusive(Inconclusive::Incomplete)
                }
            }
        }
    }
}

impl Detector for Inspector {
    fn push(&mut self, event: &Event<'_>) -> Step {
        let mut accepted = Vec::new();
        if self.fixed == Fixed::No {
            self.now = event.at;
            match &event.kind {
                EventKind::LaunchFailed(kind) => self.stop(Inconclusive::Launch(*kind)),
                EventKind::StepBegan(phase) => {
                    self.phase = *phase;
                    // Also where there is no stdin left to close: the server has closed it.
                    if *phase == Phase::Shutdown {
                        self.stdin = Stdin::ClosedByUs;
                    }
                }
                EventKind::Sent(Sent::Request { id, method, params, keep_body }) => {
                    self.request_sent(id, method, params.as_deref(), *keep_body);
                    // The reply may have begun to come before the request was announced.
                    if *keep_body == KeepBody::Keep {
                        self.frame.retain_whole();
                    }
                    if &**method == "tools/call" {
                        self.not_checked.remove(&NotChecked::ToolCalls);
                    }
                }
                EventKind::Sent(Sent::Notification { method }) => {
                    self.requests.notified(method);
                    if self.malformed == Malformed::NotSent {
                        self.notification = NotificationWindow::Open;
                    }
                }
                EventKind::Sent(Sent::Malformed) => {
                    self.malformed = Malformed::Sent;
                    self.notification = NotificationWindow::Shut;
                }
                EventKind::StdinClosed { by: Side::Client } => self.stdin = Stdin::ClosedByUs,
                EventKind::Usage { cpu, wall } => self.usage(*cpu, *wall),
                EventKind::GaveUp => self.requests.give_up(),
                EventKind::StdoutClosed => {
                    // A client that no longer reads has left, whatever of stdin is open.
                    self.cut = Cut::ByUs;
                    self.stdin = Stdin::ClosedByUs;
                    self.stdout_is = StdoutIs::LeftByUs;
                }
                EventKind::Stdout(bytes) => self.stdout(bytes, &mut accepted),
                EventKind::StdoutEof => self.end_tail(TailEnd::Eof),
                EventKind::Stderr(bytes) => self.stderr(bytes),
                EventKind::Deadline(name) => self.deadline(*name),
                EventKind::CapReached(_) => {
                    self.cut = Cut::ByUs;
                    self.stop(Inconclusive::StdoutCap);
                }
                EventKind::Signalled(_) => self.cut = Cut::ByUs,
                EventKind::Exited(status) => self.exited(*status),
                EventKind::LeakWindowEnded { stdout: Held::Open } => {
                    self.end_tail(TailEnd::Exit);
                    self.lifecycle(RuleId::LeakedDescendant, Detail::None);
                }
                EventKind::Census { strays } if *strays > 0 => {
                    self.lifecycle(RuleId::LeakedDescendant, Detail::Strays(*strays));
                }
                EventKind::Untested(what) => {
                    self.inconclusive.get_or_insert(Inconclusive::Untested(what.clone()));
                }
                EventKind::Stopped => self.stop(Inconclusive::Interrupted),
                // Neither side's bytes: nothing to judge.
                EventKind::Sent(Sent::Reply { .. })
                | EventKind::WriteProgress { .. }
                | EventKind::WriteFailed
                | EventKind::StdinClosed { by: Side::Server }
                | EventKind::StderrEof
                | EventKind::LeakWindowEnded { stdout: Held::Closed }
                | EventKind::Census { .. } => {}
            }
        }
        let replied = accepted.iter().any(|message| self.settles_a_request(message));
        let state = match self.fixed {
            Fixed::Yes => State::Final,
            Fixed::No if replied && !self.requests.any_pending() => State::Awaited,
            Fixed::No => State::Go,
        };
        Step { accepted, state }
    }

    fn finish(mut self: Box<Self>) -> Verdict {
        self.canary_missing();
        let outcome = self.outcome();
        let mut advice: Vec<Advice> = std::mem::take(&mut self.advice).into_values().collect();
        advice.sort_by_key(|advice| advice.finding.order());
        if let Outcome::Violation(first) = &outcome {
            advice.retain(|advice| advice.finding.order() < first.order());
        }
        Verdict {
            outcome,
            advice,
            accepted: self.accepted,
            frames: self.frame_no.0 - 1,
            stdout_bytes: self.total,
            layers_reached: self.layers.iter().copied().collect(),
            protocol: self.version,
            not_checked: self.not_checked.iter().copied().collect(),
            cut_by_us: self.cut,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use model::{Event, EventKind, KeepBody, RawId, Sent, Seq};

    use super::{Detector, Inspector, RuleSet};

    /// Whether the bytes of a frame are held beyond what the report shows.
    fn is_held(sent: &[(i64, KeepBody)]) -> bool {
        let mut inspector = Inspector::new(RuleSet::default());
        let mut push = |kind| inspector.push(&Event { seq: Seq(0), at: Duration::ZERO, kind });
        for (id, keep_body) in sent {
            let (id, method) = (RawId::integer(*id), "tools/call".into());
            let keep_body = *keep_body;
            push(EventKind::Sent(Sent::Request { id, method, params: None, keep_body }));
        }
        push(EventKind::Stdout(b"{}".as_slice().into()));
        inspector.frame.body(0, 2).is_some()
    }

    #[test]
    fn a_frame_that_nobody_wants_is_not_held() {
        assert!(!is_held(&[]));
        assert!(!is_held(&[(42, KeepBody::Drop)]));
        assert!(is_held(&[(42, KeepBody::Drop), (43, KeepBody::Keep)]));
    }
}
