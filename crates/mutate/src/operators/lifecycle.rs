//! Runs that end where they must not: silence, exits, closed pipes, and bytes cut off.

use model::{
    DeadlineName, EventKind, ExitStatus, Held, Level, Phase, RuleId, Side, Signal, TailEnd,
};

use super::bytes::characters;
use super::framing::whole_frame;
use crate::draft::Draft;
use crate::edit::Cut;
use crate::operator::{Operator, Place, advice, must};
use crate::promise::{At, Corruption};
use crate::transcript::stdout_of;
use crate::view::View;

/// What a Linux pipe holds.
const PIPE_BYTES: usize = 64 * 1024;

pub(crate) const OPERATORS: &[Operator] = &[
    must("truncate-last-frame", "The output ends inside the last message", |view, place| {
        let (last, len) = last_frame(view, place)?;
        let kept = 1 + place.spot % len;
        let frame = whole_frame(view, last)?;
        let cut = frame.start + kept;
        let spoiled = Draft::remove(cut..frame.end).depending_on(frame);
        Some(spoiled.claim(RuleId::PartialFrame, Level::Must, At::Tail(cut, TailEnd::Eof)))
    }),
    must("drop-final-newline", "The last message has no newline", |view, place| {
        let (last, _) = last_frame(view, place)?;
        let frame = whole_frame(view, last)?;
        let end = frame.end - 1;
        let spoiled = Draft::remove(end..end + 1).depending_on(frame);
        Some(spoiled.claim(RuleId::UnterminatedFrame, Level::Must, At::Tail(end, TailEnd::Eof)))
    }),
    must("die-inside-frame", "The process dies while it writes a message", |view, place| {
        let kept = 1 + place.spot % unfinished_len(view, place.frame)?;
        die(view, place.frame, kept)
    }),
    must("die-inside-character", "The output ends between two bytes of a character", {
        |view, place| {
            let frame = view.frames.get(place.frame)?;
            let characters = characters(view.text(&(frame.start..frame.end)));
            let (start, len) = place.choose(&characters)?;
            die(view, place.frame, start + 1 + place.spot % (len - 1))
        }
    }),
    must("cut-at-pipe-size", "The output ends where the pipe was full", |view, place| {
        let frame = view.frames.get(place.frame)?;
        let kept = PIPE_BYTES.checked_sub(frame.start).filter(|kept| *kept > 0)?;
        if kept > unfinished_len(view, place.frame)? {
            return None;
        }
        die(view, place.frame, kept)
    }),
    must("stall-inside-frame", "The server falls silent inside a message", |view, place| {
        let frame = view.frames.get(place.frame)?;
        // At a deadline even a whole object is not whole: its newline is owed.
        let cut_at = frame.start + 1 + place.spot % (frame.end - frame.start);
        let cut = view.after(cut_at - 1).filter(|cut| view.is_uncut(*cut))?;
        view.pending(cut, place.frame).next()?;
        let events = [EventKind::Deadline(deadline(view, place.frame))];
        let spoiled = Draft::end(cut, frame.start, then_shutdown(events));
        let at = At::Tail(cut_at, TailEnd::Deadline);
        Some(spoiled.claim(RuleId::PartialFrame, Level::Must, at))
    }),
    must("leave-frame-to-a-child", "The process ends inside a frame, and a child holds stdout", {
        |view, place| {
            let frame = view.frames.get(place.frame)?;
            let cut_at = frame.start + 1 + place.spot % (frame.end - frame.start);
            let cut = view.after(cut_at - 1).filter(|cut| view.is_uncut(*cut))?;
            let events = [
                EventKind::StepBegan(Phase::AfterExit),
                EventKind::LeakWindowEnded { stdout: Held::Open },
                EventKind::Exited(ExitStatus::SUCCESS),
            ];
            let spoiled = Draft::end(cut, frame.start, events);
            let at = At::Tail(cut_at, TailEnd::Exit);
            Some(spoiled.claim(RuleId::PartialFrame, Level::Must, at))
        }
    }),
    must("drop-reply", "A reply is never written, and its deadline passes", |view, place| {
        let cut = before_reply(view, place.frame)?;
        let events = then_shutdown([EventKind::Deadline(deadline(view, place.frame))]);
        after_frames(view, place.frame, cut, events, RuleId::NoResponse)
    }),
    must("reply-on-stderr", "A reply goes to stderr", |view, place| {
        let cut = before_reply(view, place.frame)?;
        let request = view.answered(place.frame)?;
        // stderr explains the silence of the oldest request only.
        let oldest = view.pending(cut, place.frame).next()?;
        let stderr = view.stderr_before(cut);
        if oldest.event != request.event || !(stderr.is_empty() || stderr.ends_with(b"\n")) {
            return None;
        }
        let text = view.text(&whole_frame(view, place.frame)?).to_vec();
        let reply = EventKind::Stderr(text.into());
        let end = match place.spot % 2 {
            0 => vec![EventKind::Deadline(deadline(view, place.frame))],
            _ => vec![EventKind::StdoutEof, EventKind::Exited(ExitStatus::Code(1))],
        };
        let events = [vec![reply], end].concat();
        after_frames(view, place.frame, cut, events, RuleId::RepliedOnStderr)
    }),
    must("exit-before-frame", "The process ends before it writes anything", |view, place| {
        if place.frame != 0 {
            return None;
        }
        let cut = before_pending(view, 0)?;
        after_frames(view, 0, cut, exit(place), RuleId::ExitBeforeFrame)
    }),
    must("exit-before-reply", "The process ends with a request unanswered", |view, place| {
        if place.frame == 0 {
            return None;
        }
        let cut = before_pending(view, place.frame)?;
        after_frames(view, place.frame, cut, exit(place), RuleId::ExitBeforeResponse)
    }),
    must("exit-while-idle", "The process ends though nothing asks it to", |view, place| {
        let frame = view.frames.get(place.frame)?;
        let cut = view.after(frame.end).filter(|cut| view.stdin_is_open(*cut))?;
        if !view.has_client() || view.pending(cut, place.frame + 1).next().is_some() {
            return None;
        }
        let stream = frame.end + 1;
        let spoiled = Draft::end(cut, stream, exit(place));
        Some(spoiled.claim(RuleId::ExitWhileIdle, Level::Must, At::AfterFrames(stream)))
    }),
    must("close-stdout", "The server closes stdout and lives on", |view, place| {
        let cut = view.before(view.frames.get(place.frame)?.start)?;
        if !view.has_client() || !view.stdin_is_open(cut) || stderr_may_explain(view, cut) {
            return None;
        }
        let events = [EventKind::StdoutEof, EventKind::Deadline(DeadlineName::ExitGrace)];
        after_frames(view, place.frame, cut, events.to_vec(), RuleId::StdoutClosed)
    }),
    advice("crash-at-shutdown", "The process ends with an error after stdin was closed", {
        |view, place| {
            let (exited, total) = good_end(view, place)?;
            let statuses = [ExitStatus::Code(1), ExitStatus::Code(255), ExitStatus::Signal(6)];
            let status = EventKind::Exited(place.choose(&statuses)?);
            let rest = view.transcript.kinds()[exited + 1..].iter().cloned();
            let cut = Cut { event: exited, bytes: 0 };
            let spoiled = Draft::end(cut, total, std::iter::once(status).chain(rest));
            Some(spoiled.claim(RuleId::NonzeroExit, Level::Advice, At::AfterFrames(total)))
        }
    }),
    advice("leave-a-descendant", "A process of the server outlives it", |view, place| {
        let (exited, total) = good_end(view, place)?;
        let strays = EventKind::Census { strays: 1 + (place.spot % 3) as u32 };
        let rest = view.transcript.kinds()[exited + 1..].iter().cloned();
        let cut = Cut { event: exited + 1, bytes: 0 };
        let spoiled = Draft::end(cut, total, std::iter::once(strays).chain(rest));
        Some(spoiled.claim(RuleId::LeakedDescendant, Level::Advice, At::AfterFrames(total)))
    }),
    advice("ignore-end-of-stdin", "The process stays when stdin is closed", |view, place| {
        let (cut, total) = after_stdin_closed(view, place)?;
        let events = [
            EventKind::Deadline(DeadlineName::ShutdownEof),
            EventKind::Signalled(Signal::Term),
            EventKind::StdoutEof,
            EventKind::Exited(ExitStatus::Signal(15)),
        ];
        let spoiled = Draft::end(cut, total, events);
        Some(spoiled.claim(RuleId::NoExitAtEof, Level::Advice, At::AfterFrames(total)))
    }),
    advice(
        "ignore-sigterm",
        "The process stays when it is asked to end by signal",
        |view, place| {
            let (cut, total) = after_stdin_closed(view, place)?;
            let events = [
                EventKind::Deadline(DeadlineName::ShutdownEof),
                EventKind::Signalled(Signal::Term),
                EventKind::Deadline(DeadlineName::ShutdownTerm),
                EventKind::Signalled(Signal::Kill),
                EventKind::StdoutEof,
                EventKind::Exited(ExitStatus::Signal(9)),
            ];
            let at = At::AfterFrames(total);
            let spoiled = Draft::end(cut, total, events);
            let spoiled = spoiled.claim(RuleId::IgnoredSigterm, Level::Advice, at);
            Some(spoiled.beside(RuleId::NoExitAtEof, at))
        },
    ),
];

/// The last frame, where the output ends behind it by itself, and the length up to which its
/// message is unfinished.
fn last_frame(view: &View<'_>, place: Place) -> Option<(usize, usize)> {
    let last = view.frames.len().checked_sub(1).filter(|last| *last == place.frame)?;
    let events = view.transcript.kinds();
    let eof = events.iter().position(|event| *event == EventKind::StdoutEof)?;
    let behind = view.event_of(view.frames[last].end)? < eof;
    let uncut = view.is_uncut(Cut { event: eof, bytes: 0 });
    if behind && uncut { Some((last, unfinished_len(view, last)?)) } else { None }
}

/// The length up to which a frame's message is not one complete object.
fn unfinished_len(view: &View<'_>, frame: usize) -> Option<usize> {
    let object = view.message(frame)?.object();
    Some(object.end - 1 - view.frames[frame].start)
}

/// The process dies after so many bytes of a frame.
fn die(view: &View<'_>, frame: usize, kept: usize) -> Option<Corruption> {
    let start = view.frames.get(frame)?.start;
    let cut = view.after(start + kept - 1).filter(|cut| view.is_uncut(*cut))?;
    let events = [EventKind::StdoutEof, EventKind::Exited(ExitStatus::Signal(11))];
    let spoiled = Draft::end(cut, start, events);
    let at = At::Tail(start + kept, TailEnd::Eof);
    Some(spoiled.claim(RuleId::PartialFrame, Level::Must, at))
}

/// The deadline that runs before a frame comes.
fn deadline(view: &View<'_>, frame: usize) -> DeadlineName {
    let answered = (0..frame).any(|frame| view.answered(frame).is_some());
    if answered { DeadlineName::Reply } else { DeadlineName::Startup }
}

/// The place before a frame that is a reply, where nothing explains its absence.
fn before_reply(view: &View<'_>, frame: usize) -> Option<Cut> {
    view.answered(frame)?;
    before_pending(view, frame)
}

/// The place before a frame at which a request is pending, and nothing explains why.
fn before_pending(view: &View<'_>, frame: usize) -> Option<Cut> {
    let cut = view.before(view.frames.get(frame)?.start)?;
    view.pending(cut, frame).next()?;
    let open = view.stdin_is_open(cut) && view.is_uncut(cut);
    (open && !stderr_may_explain(view, cut)).then_some(cut)
}

/// Whether stderr might hold a reply.
fn stderr_may_explain(view: &View<'_>, cut: Cut) -> bool {
    view.stderr_before(cut).contains(&b'{')
}

/// The run ends differently from just before a frame on.
fn after_frames(
    view: &View<'_>,
    frame: usize,
    cut: Cut,
    events: Vec<EventKind<'static>>,
    rule: RuleId,
) -> Option<Corruption> {
    let stream = view.frames.get(frame)?.start;
    let spoiled = Draft::end(cut, stream, events);
    Some(spoiled.claim(rule, Level::Must, At::AfterFrames(stream)))
}

fn exit(place: Place) -> Vec<EventKind<'static>> {
    let statuses = [ExitStatus::SUCCESS, ExitStatus::Code(1), ExitStatus::Signal(9)];
    let status = statuses[place.spot % statuses.len()];
    vec![EventKind::StdoutEof, EventKind::Exited(status)]
}

fn then_shutdown(events: impl IntoIterator<Item = EventKind<'static>>) -> Vec<EventKind<'static>> {
    let shutdown = [
        EventKind::StepBegan(Phase::Shutdown),
        EventKind::StdinClosed { by: Side::Client },
        EventKind::StdoutEof,
        EventKind::Exited(ExitStatus::SUCCESS),
    ];
    events.into_iter().chain(shutdown).collect()
}

/// The event that tells of a good exit after stdin was closed, and the length of stdout.
fn good_end(view: &View<'_>, place: Place) -> Option<(usize, usize)> {
    let events = view.transcript.kinds();
    let exited =
        events.iter().rposition(|event| *event == EventKind::Exited(ExitStatus::SUCCESS))?;
    let cut = Cut { event: exited, bytes: 0 };
    let total = view.stdout().len();
    let at_end = place.frame == view.frames.len() && view.has_client();
    let silent = events[exited..].iter().all(|event| stdout_of(event).is_empty());
    let good = at_end && silent && !view.stdin_is_open(cut) && view.is_uncut(cut);
    good.then_some((exited, total))
}

/// The place just after stdin was closed, where nothing more is written, and the length of
/// stdout.
fn after_stdin_closed(view: &View<'_>, place: Place) -> Option<(Cut, usize)> {
    good_end(view, place)?;
    let events = view.transcript.kinds();
    let closed =
        events.iter().rposition(|event| *event == EventKind::StdinClosed { by: Side::Client })?;
    let silent = events[closed..].iter().all(|event| stdout_of(event).is_empty());
    silent.then_some((Cut { event: closed + 1, bytes: 0 }, view.stdout().len()))
}
