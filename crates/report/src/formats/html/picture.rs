//! A session as a picture: a lane for the client, one for stdout, one for stderr; a row for each
//! event, from top to bottom.

use maud::{Markup, html};

use crate::evidence::{EventEvidence, Evidence, What};
use crate::safe::columns_of;

/// How much room a picture has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// With times and labels.
    Full,
    /// As one of several.
    Brief,
}

/// Rows of a picture. Beyond it the rest is counted.
const ROWS: usize = 200;

/// A pause of this many milliseconds gets a row of its own.
const PAUSE_MS: u64 = 100;

const ROW: usize = 24;
const TOP: usize = 44;

/// The places of the lanes.
struct Lanes {
    width: usize,
    client: usize,
    stdout: usize,
    stderr: usize,
    label_columns: usize,
}

const FULL: Lanes = Lanes { width: 860, client: 120, stdout: 620, stderr: 760, label_columns: 62 };
const BRIEF: Lanes = Lanes { width: 400, client: 70, stdout: 290, stderr: 360, label_columns: 26 };

enum Row<'a> {
    Event(&'a EventEvidence),
    Pause(u64),
    More(usize),
}

/// The picture of a session.
pub(super) fn session(evidence: &Evidence, detail: Detail) -> Markup {
    let lanes = match detail {
        Detail::Full => FULL,
        Detail::Brief => BRIEF,
    };
    let rows = rows(evidence);
    let bad = evidence.first_violation.as_ref().and_then(|finding| finding.frame);
    let fault = evidence.first_violation.as_ref().filter(|finding| finding.frame.is_none());
    let height = TOP + ROW * (rows.len() + usize::from(fault.is_some())) + 12;
    html! {
        svg.session viewBox={ "0 0 " (lanes.width) " " (height) } width=(lanes.width)
            height=(height) role="img" aria-label="what happened in the session" {
            @for (name, x) in
                [("client", lanes.client), ("stdout", lanes.stdout), ("stderr", lanes.stderr)]
            {
                text.lane x=(x) y="20" text-anchor="middle" { (name) }
                line.lane x1=(x) y1="30" x2=(x) y2=(height - 6) {}
            }
            @for (index, row) in rows.iter().enumerate() {
                @let y = TOP + ROW * index;
                @match row {
                    Row::Event(event) => { (draw(event, y, &lanes, bad)) }
                    Row::Pause(ms) => {
                        text.pause x=(lanes.client + 8) y=(y + 4) { "\u{2026} " (ms) " ms" }
                    }
                    Row::More(count) => {
                        text.pause x=(lanes.client + 8) y=(y + 4) { (count) " more" }
                    }
                }
            }
            @if let Some(finding) = fault {
                @let y = TOP + ROW * rows.len();
                text.fault x=(lanes.client + 8) y=(y + 4) { "error[" (finding.rule) "]" }
            }
        }
    }
}

fn rows(evidence: &Evidence) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    let mut last = None;
    for (index, event) in evidence.events.iter().enumerate() {
        if rows.len() >= ROWS {
            rows.push(Row::More(evidence.events.len() - index));
            break;
        }
        let pause = last.map_or(0, |last| event.time_ms.saturating_sub(last));
        if pause >= PAUSE_MS {
            rows.push(Row::Pause(pause));
        }
        last = Some(event.time_ms);
        rows.push(Row::Event(event));
    }
    rows
}

/// How an event is drawn.
enum Shape {
    /// From the client to the server.
    ToServer,
    /// From the server to the client.
    ToClient,
    /// At a lane.
    At(usize),
    /// Across all lanes.
    Across,
}

fn draw(event: &EventEvidence, y: usize, lanes: &Lanes, bad: Option<u64>) -> Markup {
    let shape = match &event.what {
        What::Sent { .. } | What::Written { .. } => Shape::ToServer,
        What::Frame(_) => Shape::ToClient,
        What::Stderr { .. } | What::StderrEnded => Shape::At(lanes.stderr),
        What::StdoutEnded | What::LeakWindowEnded { .. } => Shape::At(lanes.stdout),
        What::StdinClosed { .. } | What::WriteFailed => Shape::At(lanes.client),
        What::Phase { .. }
        | What::Deadline { .. }
        | What::Cap { .. }
        | What::Signalled { .. }
        | What::Exited { .. }
        | What::Strays { .. }
        | What::Stopped => Shape::Across,
    };
    let is_bad = matches!(&event.what, What::Frame(frame) if Some(frame.frame) == bad);
    let class = match (&event.what, is_bad) {
        (_, true) => "fault",
        (What::Deadline { .. } | What::Cap { .. }, _) => "deadline",
        (What::Phase { .. }, _) => "phase",
        _ => "event",
    };
    let label = cut(&event.what.label(), lanes.label_columns);
    let (left, right) = (lanes.client + 4, lanes.stdout - 4);
    html! {
        text.time x=(lanes.client - 12) y=(y + 4) text-anchor="end" { (event.time_ms) }
        @match shape {
            Shape::ToServer => {
                line class=(class) x1=(left) y1=(y) x2=(right) y2=(y) {}
                path class=(class) d={ "M" (right) " " (y) " l-7 -4 v8 z" } {}
                text class=(class) x=(left + 8) y=(y - 4) { (label) }
            }
            Shape::ToClient => {
                line class=(class) x1=(left) y1=(y) x2=(right) y2=(y) {}
                path class=(class) d={ "M" (left) " " (y) " l7 -4 v8 z" } {}
                text class=(class) x=(right - 8) y=(y - 4) text-anchor="end" { (label) }
            }
            Shape::At(x) => {
                circle class=(class) cx=(x) cy=(y) r="4" {}
                @if x == lanes.client {
                    text class=(class) x=(x + 10) y=(y + 4) { (label) }
                } @else {
                    text class=(class) x=(x - 10) y=(y + 4) text-anchor="end" { (label) }
                }
            }
            Shape::Across => {
                line class=(class) x1=(left) y1=(y) x2=(lanes.stderr) y2=(y) {}
                text class=(class) x=(left + 8) y=(y - 4) { (label) }
            }
        }
    }
}

/// A bar that shows how much of a budget was used.
pub(super) fn bar(used: u64, budget: u64) -> Markup {
    const WIDTH: u64 = 240;
    let filled = used.min(budget).saturating_mul(WIDTH).checked_div(budget).unwrap_or(WIDTH);
    html! {
        svg.bar viewBox={ "0 0 " (WIDTH) " 10" } width=(WIDTH) height="10" role="img"
            aria-label={ (used) " of " (budget) " milliseconds" } {
            rect.budget x="0" y="0" width=(WIDTH) height="10" {}
            rect.used x="0" y="0" width=(filled.max(2)) height="10" {}
        }
    }
}

fn cut(text: &str, columns: usize) -> String {
    if columns_of(text) <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    for character in text.chars() {
        if columns_of(&out) + 2 > columns {
            break;
        }
        out.push(character);
    }
    out.push('\u{2026}');
    out
}
