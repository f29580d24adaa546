//! Harnesses that do not watch the clock, the exit or stderr.

use std::borrow::Cow;

use inspect::{Detector, Inspector, Step};
use model::{
    DeadlineName, Event, EventKind, ExitStatus, MessageKind, Phase, RuleId, Sent, Side, Verdict,
};

use super::row;
use crate::mutant::{DiesAs, Mutant};
use crate::read::{Session, alone};
use crate::wrap::{Passed, together, with_events};

pub(crate) const MUTANTS: &[Mutant] = &[
    Mutant {
        blinds: &[
            RuleId::ExitBeforeFrame,
            RuleId::ExitBeforeResponse,
            RuleId::ExitWhileIdle,
            RuleId::RepliedOnStderr,
            RuleId::NonzeroExit,
            RuleId::LostAtEof,
        ],
        canonical_case: "inc-0073-unknown-method-ends-the-process",
        dies_as: DiesAs::inconclusive("incomplete"),
        make: |rules| {
            with_events(rules, |event| match event {
                EventKind::Exited(_) => Passed::Instead(Vec::new()),
                _ => Passed::AsItIs,
            })
        },
        ..row("exit-blind", "A harness that only reads stdout never waits for the process.")
    },
    Mutant {
        blinds: &[
            RuleId::ExitBeforeFrame,
            RuleId::ExitBeforeResponse,
            RuleId::ExitWhileIdle,
            RuleId::RepliedOnStderr,
            RuleId::LostAtEof,
        ],
        canonical_case: "inc-0078-entry-guard-is-false",
        dies_as: DiesAs::inconclusive("incomplete"),
        make: |rules| {
            with_events(rules, |event| match event {
                EventKind::Exited(ExitStatus::SUCCESS) => Passed::Instead(Vec::new()),
                _ => Passed::AsItIs,
            })
        },
        ..row("exit-0-is-fine", "A process that ends with status 0 says itself that all is well.")
    },
    Mutant {
        blinds: &[
            RuleId::ExitBeforeFrame,
            RuleId::ExitBeforeResponse,
            RuleId::ExitWhileIdle,
            RuleId::RepliedOnStderr,
        ],
        canonical_case: "inc-0074-legal-request-ends-the-process",
        dies_as: DiesAs::inconclusive("incomplete"),
        make: |rules| {
            let mut stdin = Side::Server;
            with_events(rules, move |event| {
                if matches!(
                    event,
                    EventKind::StdinClosed { by: Side::Client }
                        | EventKind::StepBegan(Phase::Shutdown)
                ) {
                    stdin = Side::Client;
                }
                match event {
                    EventKind::Exited(ExitStatus::Signal(_)) if stdin == Side::Server => {
                        Passed::Instead(Vec::new())
                    }
                    _ => Passed::AsItIs,
                }
            })
        },
        ..row(
            "killed-is-not-exited",
            "`code === null` is not an error code, and a signal has no code.",
        )
    },
    Mutant {
        blinds: &[RuleId::NoResponse, RuleId::RepliedOnStderr, RuleId::PartialFrame],
        canonical_case: "inc-0054-reply-flushed-at-exit-only",
        dies_as: DiesAs::VALID,
        make: |rules| {
            with_events(rules, |event| match event {
                EventKind::Deadline(DeadlineName::Startup | DeadlineName::Reply) => {
                    Passed::Instead(Vec::new())
                }
                _ => Passed::AsItIs,
            })
        },
        ..row(
            "deadline-blind",
            "A slow machine makes every deadline a flake, so the test waits for the end of the \
            run.",
        )
    },
    Mutant {
        blinds: &[RuleId::StdoutClosed, RuleId::RepliedOnStderr],
        canonical_case: "syn-0205-stdout-closed-while-idle",
        dies_as: DiesAs::VALID,
        make: |rules| {
            with_events(rules, |event| match event {
                EventKind::Deadline(DeadlineName::ExitGrace) => Passed::Instead(Vec::new()),
                _ => Passed::AsItIs,
            })
        },
        ..row(
            "end-of-stdout-is-the-end",
            "A reader that reaches the end of stdout has read all there is.",
        )
    },
    Mutant {
        blinds: &[RuleId::LeakedDescendant, RuleId::PartialFrame],
        canonical_case: "syn-0040-partial-frame-while-a-child-holds-stdout",
        dies_as: DiesAs::after_frames(RuleId::ExitBeforeResponse),
        make: |rules| {
            with_events(rules, |event| match event {
                EventKind::LeakWindowEnded { .. } => Passed::Instead(Vec::new()),
                _ => Passed::AsItIs,
            })
        },
        ..row("held-stdout-blind", "When the process is gone, so is its output.")
    },
    Mutant {
        blinds: &[RuleId::NoExitAtEof, RuleId::IgnoredSigterm, RuleId::LeakedDescendant],
        canonical_case: "inc-0079-stays-when-stdin-ends",
        dies_as: DiesAs::VALID,
        make: |rules| {
            with_events(rules, |event| match event {
                EventKind::Deadline(DeadlineName::ShutdownEof | DeadlineName::ShutdownTerm)
                | EventKind::Census { .. } => Passed::Instead(Vec::new()),
                _ => Passed::AsItIs,
            })
        },
        ..row(
            "shutdown-blind",
            "The test is over when the last reply came; what the process does then is its own \
            affair.",
        )
    },
    Mutant {
        blinds: &[RuleId::RepliedOnStderr],
        canonical_case: "inc-0077-errors-go-to-stderr",
        dies_as: DiesAs::VALID,
        like_blind: Some(RuleId::RepliedOnStderr),
        make: |rules| {
            let session = Session::new(&rules);
            Box::new(StderrMerged {
                inner: Inspector::new(rules),
                session,
                line: Vec::new(),
                replies: Vec::new(),
            })
        },
        ..row("stderr-merged", "`2>&1` shows everything in the order in which it happened.")
    },
    Mutant {
        blinds: &[RuleId::ReplyToNotification, RuleId::EchoedInput],
        canonical_case: "inc-0067-error-without-id-for-notification",
        dies_as: DiesAs::VALID,
        like_blind: Some(RuleId::ReplyToNotification),
        make: |rules| {
            with_events(rules, |event| match event {
                EventKind::Sent(Sent::Notification { method })
                    if &**method == "notifications/initialized" =>
                {
                    Passed::Instead(Vec::new())
                }
                _ => Passed::AsItIs,
            })
        },
        ..row(
            "handshake-notification-forgotten",
            "A hand-written client records the requests that it sends, and nothing else.",
        )
    },
];

/// Takes a reply from stderr for one that stdout lacks.
struct StderrMerged {
    inner: Inspector,
    session: Session,
    line: Vec<u8>,
    replies: Vec<Vec<u8>>,
}

impl StderrMerged {
    fn keep(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if self.line.pop_if(|byte| *byte == b'\n').is_some() {
                let line = std::mem::take(&mut self.line);
                self.replies.push(line);
            }
        }
    }

    /// The replies kept that pending requests lack.
    fn missing(&mut self) -> Vec<Vec<u8>> {
        let last = std::mem::take(&mut self.line);
        let lines = std::mem::take(&mut self.replies).into_iter().chain([last]);
        let awaited = |line: &Vec<u8>| {
            let (_, messages) = alone(line, &self.session);
            messages.iter().any(|message| {
                matches!(message.kind, MessageKind::Result | MessageKind::Error)
                    && self.session.pending().any(|id| message.id.as_ref() == Some(id))
            })
        };
        lines.filter(awaited).collect()
    }
}

impl Detector for StderrMerged {
    fn push(&mut self, event: &Event<'_>) -> Step {
        self.session.hear(&event.kind);
        let mut steps = Vec::new();
        match &event.kind {
            EventKind::Stderr(bytes) => self.keep(bytes),
            EventKind::Deadline(_) | EventKind::StdoutEof | EventKind::Exited(_) => {
                for line in self.missing() {
                    let bytes = [line.as_slice(), b"\n"].concat();
                    let kind = EventKind::Stdout(Cow::Owned(bytes));
                    steps.push(self.inner.push(&Event { seq: event.seq, at: event.at, kind }));
                }
            }
            _ => {}
        }
        steps.push(self.inner.push(event));
        let step = together(steps);
        self.session.note(&step);
        step
    }

    fn finish(self: Box<Self>) -> Verdict {
        Box::new(self.inner).finish()
    }
}
