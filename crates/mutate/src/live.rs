//! Operators on a session that is still going on: when to strike, and what to do then.
//!
//! A live session cannot be edited as a whole: what was written is written, and the client's next
//! message depends on it. So an operator is aimed beforehand, on a recording of an untouched
//! session, at a reply of the server or at the end of its run. When that moment comes in the live
//! session, the operator acts on what this server really wrote so far, with the recording in
//! place of what it has not written yet.

use std::ops::Range;

use model::{DeadlineName, EventKind, ExitStatus, Level, RawId, RuleId, Sent, Side};

use crate::edit::Edit;
use crate::operator::{Operator, Place};
use crate::promise::{Corrupted, Corruption};
use crate::transcript::Transcript;
use crate::view::View;

/// How many of an operator's ways to act at a frame are looked at.
const SPOTS: usize = 12;

/// When an operator strikes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moment {
    /// When the server has written the reply to the request with this id.
    Reply(RawId),
    /// When the server has written its first request or notification with this method.
    Call(Box<str>),
    /// Whenever the server has written a frame.
    EachFrame,
    /// When stdin was closed and the server has ended.
    End,
}

/// Where in a live session an operator acts.
#[derive(Clone, Debug)]
pub struct Aim {
    operator: &'static Operator,
    moment: Moment,
    /// How many frames behind the moment's own the operator is placed.
    ahead: usize,
    spot: usize,
    patience: Patience,
}

/// How long somebody has to wait until a corruption is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Patience {
    /// Not at all.
    None,
    /// As long as the deadline of a reply or of a step of the shutdown.
    Deadline,
    /// As long as a server may take to start.
    Startup,
}

/// What happens instead of what the server did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strike {
    /// What a detector must find in the whole session.
    pub corrupted: Corrupted,
    /// What the server does from the moment on, its frame of that moment included.
    pub events: Vec<EventKind<'static>>,
    /// Whether the server goes on by itself afterwards.
    pub then: Then,
}

/// What comes after a strike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The server's own frames.
    Relay,
    /// The server's next frame, to be struck again.
    Again,
    /// Nothing: the run has ended differently.
    End,
}

impl Aim {
    /// Aims an operator at a moment of which a recording of the untouched session says that the
    /// client will live to see it. None if there is none.
    ///
    /// A moment after the first reply is preferred, and one at which nobody has to wait for a
    /// deadline.
    #[must_use]
    pub fn new(operator: &'static Operator, recorded: &View<'_>) -> Option<Self> {
        let end = recorded.frames();
        let frames = (1..=end).chain(std::iter::once(0));
        let places = frames.flat_map(|frame| (0..SPOTS).map(move |spot| Place { frame, spot }));
        let aims = places.filter_map(|place| {
            let corruption = operator.at(recorded, place)?;
            Self::of(operator, place, &corruption, recorded)
        });
        // The first of the least patience.
        let mut best: Option<Self> = None;
        for aim in aims {
            let patience = aim.patience;
            if best.as_ref().is_none_or(|best| patience < best.patience) {
                best = Some(aim);
            }
            if patience == Patience::None {
                break;
            }
        }
        best
    }

    fn of(
        operator: &'static Operator,
        place: Place,
        corruption: &Corruption,
        view: &View<'_>,
    ) -> Option<Self> {
        let patience = patience(corruption);
        // A client in lockstep always awaits something while stdin is open.
        if corruption.rule() == RuleId::ExitWhileIdle {
            return None;
        }
        let aim = |moment, ahead| Self { operator, moment, ahead, spot: place.spot, patience };
        if place.frame == view.frames() {
            return match &corruption.edit {
                Edit::End { events, .. } => can_be_left(events).then(|| aim(Moment::End, 0)),
                Edit::Bytes(splices) if operator.level == Level::Advice && splices.len() > 1 => {
                    Some(aim(Moment::EachFrame, 0))
                }
                Edit::Bytes(_) => None,
            };
        }
        let touched = corruption.edit.touched(view)?;
        let first = view.frames.iter().position(|frame| touched.start <= frame.end)?;
        // What is written behind a frame comes with it.
        let first = first.min(place.frame);
        let moment = match view.answered(first) {
            Some(request) => Moment::Reply(request.id.clone()),
            None => Moment::Call(view.first_call(first)?),
        };
        let start = view.frames[first].start;
        let last = touched.end.saturating_sub(1).max(view.frames[first].end);
        is_one_step(view, start..last + 1).then(|| aim(moment, place.frame - first))
    }

    /// The operator.
    #[must_use]
    pub fn operator(&self) -> &'static Operator {
        self.operator
    }

    /// How long it takes to prove what it does.
    #[must_use]
    pub fn patience(&self) -> Patience {
        self.patience
    }

    /// When it strikes.
    #[must_use]
    pub fn moment(&self) -> &Moment {
        &self.moment
    }

    /// The id of the reply that is waited for, as the client of the live session has given it: that
    /// of its request for the same method, counted as in the recording. None before it was sent,
    /// and where no reply is waited for.
    #[must_use]
    pub fn awaited_id(&self, seen: &[EventKind<'static>], recorded: &View<'_>) -> Option<RawId> {
        let Moment::Reply(id) = &self.moment else { return None };
        let requests = &recorded.requests;
        let at = requests.iter().position(|request| request.id == *id)?;
        let wanted = &requests[at].method;
        let before = requests[..at].iter().filter(|request| request.method == *wanted).count();
        let mut sent = seen.iter().filter_map(|event| match event {
            EventKind::Sent(Sent::Request { id, method, .. }) if method == wanted => Some(id),
            _ => None,
        });
        sent.nth(before).cloned()
    }

    /// What to do now that the moment has come. `seen` is what happened so far: the client's
    /// messages, the server's frames with the one of the moment as the last, and at the end of
    /// the run that stdin was closed. None if the server wrote something to which the operator
    /// does not apply, unlike in the recording.
    #[must_use]
    pub fn strike(&self, seen: &[EventKind<'static>], recorded: &View<'_>) -> Option<Strike> {
        let live = Transcript::new(seen.iter().cloned(), recorded.transcript().terms());
        let frames = newlines(live.stdout());
        let last = frames.checked_sub(1)?;
        let (whole, frame, placed) = match &self.moment {
            Moment::Reply(id) => {
                let recorded_as = recorded.frame_that_answers(id);
                (continued(seen, recorded_as, recorded), last, last + self.ahead)
            }
            Moment::Call(method) => {
                let recorded_as = recorded.frame_that_calls(method);
                (continued(seen, recorded_as, recorded), last, last + self.ahead)
            }
            Moment::EachFrame => (live, last, frames),
            Moment::End => (ended(seen, recorded), frames, frames),
        };
        let view = View::of(&whole);
        let place = Place { frame: placed, spot: self.spot };
        let corruption = self.operator.at(&view, place)?;
        let corrupted = corruption.apply(&whole);
        let (events, then) = match (&corruption.edit, &self.moment) {
            (Edit::End { events, .. }, Moment::End) => (events.clone(), Then::End),
            (Edit::Bytes(_), Moment::EachFrame) => {
                let frame = &view.frames[frame];
                let moved = |at: usize| at.checked_add_signed(corruption.edit.shift_at(at));
                let range = moved(frame.start)?..moved(frame.end)? + 1;
                let text = corrupted.transcript.stdout().get(range)?.to_vec();
                (vec![EventKind::Stdout(text.into())], Then::Again)
            }
            (Edit::End { at, events }, _) => {
                let start = view.frames.get(frame)?.start;
                let cut = view.offset_of(*at);
                let kept = whole.stdout().get(start..cut)?;
                let kept = (!kept.is_empty()).then(|| EventKind::Stdout(kept.to_vec().into()));
                (kept.into_iter().chain(events.iter().cloned()).collect(), Then::End)
            }
            (Edit::Bytes(_), _) => instead(&corruption, &corrupted, &view, frame)?,
        };
        Some(Strike { corrupted, events, then })
    }
}

/// What the operator's bytes make of the frames from `frame` on, as far as they reach, to the
/// end of a line.
fn instead(
    corruption: &Corruption,
    corrupted: &Corrupted,
    view: &View<'_>,
    frame: usize,
) -> Option<(Vec<EventKind<'static>>, Then)> {
    let start = view.frames.get(frame)?.start;
    let touched = corruption.edit.touched(view)?;
    if touched.start < start {
        return None;
    }
    let stdout = corrupted.transcript.stdout();
    // Behind what was touched, and never before the end of the frame of the moment.
    let last = touched.end.max(view.frames[frame].end);
    let last = last.checked_add_signed(corruption.edit.shift_at(last))?.min(stdout.len());
    let end = if touched.end > view.frames[frame].end && stdout[..last].ends_with(b"\n") {
        Some(last)
    } else {
        stdout[last..].iter().position(|byte| *byte == b'\n').map(|newline| last + newline + 1)
    };
    match end {
        Some(end) => {
            let text = stdout[start..end].to_vec();
            Some((vec![EventKind::Stdout(text.into())], Then::Relay))
        }
        // Nobody can go on inside an unfinished line, so that the run is over.
        None => {
            let text = EventKind::Stdout(stdout[start..].to_vec().into());
            let end = [text, EventKind::StdoutEof, EventKind::Exited(ExitStatus::SUCCESS)];
            Some((end.to_vec(), Then::End))
        }
    }
}

/// What has been seen, continued as the recording says.
fn continued(
    seen: &[EventKind<'static>],
    recorded_as: Option<usize>,
    recorded: &View<'_>,
) -> Transcript {
    let transcript = recorded.transcript();
    let frame = recorded_as.and_then(|frame| recorded.frames.get(frame));
    let behind = frame.and_then(|frame| recorded.after(frame.end));
    let rest = behind.map_or_else(Vec::new, |cut| {
        let mut rest = transcript.kinds()[cut.event..].to_vec();
        if let Some(EventKind::Stdout(bytes)) = rest.first_mut() {
            bytes.to_mut().drain(..cut.bytes);
        }
        rest
    });
    let is_sent = |event: &EventKind<'_>| seen.iter().any(|seen| is_same_message(seen, event));
    let rest = rest.into_iter().filter(|event| !is_sent(event));
    Transcript::new(seen.iter().cloned().chain(rest), transcript.terms())
}

/// A message of the client is known by its id, or without one by its method.
fn is_same_message(one: &EventKind<'_>, other: &EventKind<'_>) -> bool {
    match (one, other) {
        (
            EventKind::Sent(Sent::Request { id, .. } | Sent::Reply { id }),
            EventKind::Sent(Sent::Request { id: other, .. } | Sent::Reply { id: other }),
        ) => id == other,
        (
            EventKind::Sent(Sent::Notification { method }),
            EventKind::Sent(Sent::Notification { method: other }),
        ) => method == other,
        _ => false,
    }
}

/// What has been seen of a run that has ended well.
fn ended(seen: &[EventKind<'static>], recorded: &View<'_>) -> Transcript {
    let end = [EventKind::StdoutEof, EventKind::Exited(ExitStatus::SUCCESS)];
    Transcript::new(seen.iter().cloned().chain(end), recorded.transcript().terms())
}

fn newlines(stdout: &[u8]) -> usize {
    stdout.iter().filter(|byte| **byte == b'\n').count()
}

/// Whether a process can leave behind what these events tell of.
fn can_be_left(events: &[EventKind<'static>]) -> bool {
    !events.iter().any(|event| matches!(event, EventKind::Census { strays } if *strays > 1))
}

/// Whether no message of the client comes between these bytes of stdout.
fn is_one_step(view: &View<'_>, bytes: Range<usize>) -> bool {
    let last = bytes.end.min(view.stdout().len()).saturating_sub(1);
    let (Some(from), Some(to)) = (view.event_of(bytes.start), view.event_of(last)) else {
        return false;
    };
    !view.transcript().kinds()[from..=to].iter().any(|event| {
        matches!(
            event,
            EventKind::Sent(Sent::Request { .. } | Sent::Notification { .. })
                | EventKind::StdinClosed { by: Side::Client }
        )
    })
}

fn patience(corruption: &Corruption) -> Patience {
    let Edit::End { events, .. } = &corruption.edit else {
        return Patience::None;
    };
    let waits = events.iter().map(|event| match event {
        EventKind::Deadline(DeadlineName::Startup) => Patience::Startup,
        EventKind::Deadline(_) | EventKind::LeakWindowEnded { .. } => Patience::Deadline,
        _ => Patience::None,
    });
    waits.max().unwrap_or(Patience::None)
}
