//! What a corruption does to a transcript: bytes of stdout replaced, or another end of the run.

use std::ops::Range;

use model::EventKind;

use crate::transcript::{Transcript, stdout_of};
use crate::view::View;

/// Bytes of stdout replaced by others. Offsets are those of the untouched stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Splice {
    pub(crate) range: Range<usize>,
    pub(crate) with: Vec<u8>,
}

/// A place between two events, or inside the bytes of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The events before this one are kept.
    pub(crate) event: usize,
    /// So many bytes of it are kept, where it brings stdout.
    pub(crate) bytes: usize,
}

/// What is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Edit {
    /// Splices in the order of the stream, none touching another.
    Bytes(Vec<Splice>),
    /// Everything from a place on happens differently.
    End {
        /// The place.
        at: Cut,
        /// What happens instead.
        events: Vec<EventKind<'static>>,
    },
}

impl Edit {
    fn splices(&self) -> &[Splice] {
        match self {
            Self::Bytes(splices) => splices,
            Self::End { .. } => &[],
        }
    }

    /// The bytes of the untouched stream that are replaced, or the place of the other end. None
    /// for an edit that does nothing.
    pub(crate) fn touched(&self, view: &View<'_>) -> Option<Range<usize>> {
        match self {
            Self::Bytes(splices) => Some(splices.first()?.range.start..splices.last()?.range.end),
            Self::End { at, .. } => {
                let offset = view.offset_of(*at);
                Some(offset..offset)
            }
        }
    }

    /// How many bytes of stdout it brings.
    pub(crate) fn inserted(&self) -> usize {
        self.splices().iter().map(|splice| splice.with.len()).sum()
    }

    /// How many bytes the splices add before an offset of the untouched stream.
    pub(crate) fn shift_at(&self, at: usize) -> isize {
        let before = self.splices().iter().filter(|splice| splice.range.end <= at);
        before.map(|splice| splice.with.len() as isize - splice.range.len() as isize).sum()
    }

    /// The offset in the untouched stream that belongs to one in the stream after this edit;
    /// for bytes that the edit brought, where it brought them.
    pub(crate) fn origin_of(&self, at: usize) -> usize {
        let mut shift = 0;
        for splice in self.splices() {
            let start = splice.range.start.saturating_add_signed(shift);
            if at < start {
                break;
            }
            if at < start + splice.with.len() {
                return splice.range.start;
            }
            shift += splice.with.len() as isize - splice.range.len() as isize;
        }
        at.saturating_add_signed(-shift)
    }
}

/// A transcript after several edits that do not touch one another.
pub(crate) fn edited(transcript: &Transcript, edits: &[&Edit]) -> Transcript {
    let mut events = transcript.kinds().to_vec();
    for edit in edits {
        if let Edit::End { at, events: other } = edit {
            events = ended(&events, *at, other);
        }
    }
    let mut splices: Vec<&Splice> = edits.iter().flat_map(|edit| edit.splices()).collect();
    splices.sort_by_key(|splice| splice.range.start);
    Transcript::new(spliced(events, &splices), transcript.terms())
}

fn ended(
    events: &[EventKind<'static>],
    at: Cut,
    other: &[EventKind<'static>],
) -> Vec<EventKind<'static>> {
    let (kept, rest) = events.split_at(at.event);
    let partial = rest.first().map_or(&[][..], |event| &stdout_of(event)[..at.bytes]);
    let partial = (!partial.is_empty()).then(|| EventKind::Stdout(partial.to_vec().into()));
    kept.iter().cloned().chain(partial).chain(other.iter().cloned()).collect()
}

/// Bytes that are inserted come with the byte that they stand before, and those after the last
/// byte come with it.
fn spliced(events: Vec<EventKind<'static>>, splices: &[&Splice]) -> Vec<EventKind<'static>> {
    let last = events.iter().rposition(|event| !stdout_of(event).is_empty());
    let mut splices = splices.iter().peekable();
    let (mut start, mut taken) = (0, 0);
    let mut out = Vec::with_capacity(events.len());
    for (index, event) in events.into_iter().enumerate() {
        let bytes = stdout_of(&event);
        if bytes.is_empty() {
            out.push(event);
            continue;
        }
        let end = start + bytes.len();
        let mut new = Vec::with_capacity(bytes.len());
        let copy = |from: usize, to: usize, new: &mut Vec<u8>| {
            let from = from.max(start);
            if from < to {
                new.extend_from_slice(&bytes[from - start..to - start]);
            }
        };
        while let Some(splice) = splices.next_if(|splice| {
            splice.range.start < end || (Some(index) == last && splice.range.start == end)
        }) {
            copy(taken, splice.range.start, &mut new);
            new.extend_from_slice(&splice.with);
            taken = splice.range.end;
        }
        copy(taken, end, &mut new);
        taken = taken.max(end);
        start = end;
        if !new.is_empty() {
            out.push(EventKind::Stdout(new.into()));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use model::EventKind;
    use rstest::rstest;

    use super::{Cut, Edit, Splice, edited};
    use crate::transcript::{Terms, Transcript};

    fn transcript() -> Transcript {
        let stdout = |bytes: &'static [u8]| EventKind::Stdout(bytes.into());
        let events = [stdout(b"abc"), EventKind::StderrEof, stdout(b"def"), EventKind::StdoutEof];
        Transcript::new(events, Terms { protocol: None, max_frame_bytes: 100 })
    }

    fn splice(range: std::ops::Range<usize>, with: &[u8]) -> Splice {
        Splice { range, with: with.to_vec() }
    }

    #[rstest]
    #[case(vec![splice(0..0, b"X")], b"Xabcdef")]
    #[case(vec![splice(3..3, b"X")], b"abcXdef")]
    #[case(vec![splice(6..6, b"X")], b"abcdefX")]
    #[case(vec![splice(2..5, b"X")], b"abXf")]
    #[case(vec![splice(0..3, b"")], b"def")]
    #[case(vec![splice(1..2, b"XY"), splice(4..4, b"Z")], b"aXYcdZef")]
    fn bytes_are_replaced_across_events(#[case] splices: Vec<Splice>, #[case] expected: &[u8]) {
        let edited = edited(&transcript(), &[&Edit::Bytes(splices)]);
        assert_eq!(edited.stdout(), expected);
        assert!(edited.kinds().contains(&EventKind::StderrEof));
    }

    #[test]
    fn what_is_inserted_comes_with_the_byte_behind_it() {
        let edited = edited(&transcript(), &[&Edit::Bytes(vec![splice(3..3, b"X")])]);
        assert_eq!(edited.kinds()[2], EventKind::Stdout(b"Xdef"[..].into()));
    }

    #[test]
    fn a_run_ends_differently() {
        let end = Edit::End { at: Cut { event: 2, bytes: 1 }, events: vec![EventKind::Stopped] };
        let first = Edit::Bytes(vec![splice(0..1, b"XY")]);
        let edited = edited(&transcript(), &[&end, &first]);
        assert_eq!(edited.stdout(), b"XYbcd");
        assert_eq!(edited.kinds().last(), Some(&EventKind::Stopped));
    }

    #[test]
    fn offsets_lead_back_to_where_they_came_from() {
        let edit = Edit::Bytes(vec![splice(1..2, b"XY"), splice(4..4, b"Z"), splice(5..6, b"")]);
        // a b c d e f  becomes  a X Y c d Z e
        let origins: Vec<usize> = (0..8).map(|at| edit.origin_of(at)).collect();
        assert_eq!(origins, [0, 1, 1, 2, 3, 4, 4, 6]);
        assert_eq!([0, 1, 2, 4, 6].map(|at| edit.shift_at(at)), [0, 0, 1, 2, 1]);
    }
}
