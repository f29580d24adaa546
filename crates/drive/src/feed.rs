//! Where every event goes: numbered and timed, to the detector, the transcript and an observer.

use std::time::Duration;

use inspect::{Detector, State, Step};
use model::{Event, EventKind, Phase, Seq, Verdict};
use tokio::time::Instant;

use crate::budget::Caps;
use crate::transcript::Transcript;

/// Somebody who is told of each event as it happens, and of what the detector made of it.
pub trait Observer {
    /// An event happened.
    fn event(&mut self, event: &Event<'_>, step: &Step);
}

/// Nobody.
impl Observer for () {
    fn event(&mut self, _: &Event<'_>, _: &Step) {}
}

impl<F: FnMut(&Event<'_>, &Step)> Observer for F {
    fn event(&mut self, event: &Event<'_>, step: &Step) {
        self(event, step);
    }
}

/// Numbers and times events, and hands them on.
pub(crate) struct Feed<'a> {
    detector: Box<dyn Detector + 'a>,
    observer: &'a mut dyn Observer,
    transcript: Transcript,
    began: Instant,
    next: Seq,
    phase: Phase,
    state: State,
}

impl<'a> Feed<'a> {
    /// Starts the clock.
    pub(crate) fn new(
        detector: Box<dyn Detector + 'a>,
        observer: &'a mut dyn Observer,
        caps: &Caps,
    ) -> Self {
        Self {
            detector,
            observer,
            transcript: Transcript::new(caps),
            began: Instant::now(),
            next: Seq(0),
            phase: Phase::Launch,
            state: State::Go,
        }
    }

    /// Hands on the next event, and tells what the detector made of it.
    pub(crate) fn push(&mut self, kind: EventKind<'_>) -> Step {
        let event = Event { seq: self.next, at: self.elapsed(), kind };
        self.next.0 += 1;
        if let EventKind::StepBegan(phase) = event.kind {
            self.phase = phase;
        }
        let step = self.detector.push(&event);
        if step.state == State::Final {
            self.state = State::Final;
        }
        self.observer.event(&event, &step);
        self.transcript.record(&event);
        step
    }

    /// Whether the detector has said that nothing can change its verdict.
    pub(crate) fn is_final(&self) -> bool {
        self.state == State::Final
    }

    /// The phase of the latest step.
    pub(crate) fn phase(&self) -> Phase {
        self.phase
    }

    /// When the launch began.
    pub(crate) fn began(&self) -> Instant {
        self.began
    }

    /// How long ago the launch began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Ends the run.
    pub(crate) fn finish(self) -> (Verdict, Transcript) {
        (self.detector.finish(), self.transcript)
    }
}
